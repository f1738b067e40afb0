//===- StagedFold.h - packs of a fold, through a stage ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread that waits for its loads stores nothing, and registers hold the
// loads of two sources. So packs are loaded into the block's shared memory, its
// stage, asynchronously: while a thread adds a pack, those of the next sources
// and of its next turns are on their way. Measurements: docs/gpu-results.md,
// "Folds".
//
// A stage belongs to a thread, which uses nothing of what other threads have
// loaded, so there are no barriers. Besides the members of LaneWaits.h's Block:
//
//   struct Block {
//     static constexpr bool kStages; // whether folds use stages
//     uint32_t stagePacks(); // packs that a thread's stage holds in this
//     launch Stage stage();         // the thread's stage
//   };
//   struct Stage {
//     void load(uint32_t slot, const char *pack); // begins to load
//     void endGroup();                 // the loads since the last one
//     // Waits for all groups but the last `left`. kPacks: the loads of a
//     group. void awaitAllBut<uint32_t kPacks>(uint32_t left); Pack
//     get(uint32_t slot); // after the wait for the group of its load
//   };
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_STAGEDFOLD_H
#define BLINK_RUNTIME_CUDA_STAGEDFOLD_H

#include "runtime/cuda/DeviceFold.h"

namespace blink::runtime {

/// Folds the packs of a thread, of ranges that are all aligned alike. Returns
/// those that are left: none, unless there is no stage or a division takes the
/// slow way, which needs registers. Then the first ones are to be folded
/// otherwise.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline Turns foldStaged(const DeviceFold<T, Operator> &fold,
                                     const Block &block, Turns turns) {
  using Fold = DeviceFold<T, Operator>;
  constexpr uint32_t kPacks = Fold::kStagedPacks;
  /// Groups of loads on their way, each of kPacks packs of one source.
  const uint32_t depth = block.stagePacks() / kPacks, end = depth * kPacks;
  if (depth == 0)
    return turns;
  const auto reciprocalOfDivisor = reciprocal<Accumulator<T>>(fold.divisor);
  auto stage = block.stage();
  // What is loaded next, and to where. After the last pack come empty groups,
  // so that there is always one to wait for.
  Turns next = turns;
  uint32_t nextSource = 0, nextSlot = 0;
  const auto load = [&] {
    if (next.left != 0) {
      const char *from = fold.sources[nextSource] + next.offset;
      BLINK_UNROLL
      for (uint32_t u = 0; u < kPacks; ++u)
        if (u < next.left)
          stage.load(nextSlot + u, from + u * next.stride);
      nextSlot = nextSlot + kPacks == end ? 0 : nextSlot + kPacks;
      if (++nextSource == fold.numSources) {
        nextSource = 0;
        next.skip(kPacks);
      }
    }
    stage.endGroup();
  };
  BLINK_ROLLED
  for (uint32_t i = 0; i < depth; ++i)
    load();
  uint32_t slot = 0;
  BLINK_ROLLED
  for (; turns.left != 0; turns.skip(kPacks)) {
    typename Fold::Value sums[kPacks][Fold::kValues] = {};
    BLINK_ROLLED
    for (uint32_t s = 0; s < fold.numSources; ++s) {
      stage.template awaitAllBut<kPacks>(depth - 1);
      // What lies in slots that have not been loaded is not stored.
      BLINK_UNROLL
      for (uint32_t u = 0; u < kPacks; ++u) {
        typename Fold::Value values[Fold::kValues];
        Fold::take(stage.get(slot + u), values);
        BLINK_UNROLL
        for (uint32_t i = 0; i < Fold::kValues; ++i)
          sums[u][i] =
              s == 0 ? values[i] : Operator::combine(sums[u][i], values[i]);
      }
      slot = slot + kPacks == end ? 0 : slot + kPacks;
      load(); // to the slots of the packs that have just been added
    }
    if (!fold.template finishTurn<false>(
            Turn<int(kPacks)>{turns.offset, turns.stride}, sums,
            reciprocalOfDivisor, turns.left))
      break;
  }
  stage.template awaitAllBut<kPacks>(0); // the next fold uses the stage, too
  return turns;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_STAGEDFOLD_H
