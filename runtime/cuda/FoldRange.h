//===- FoldRange.h - a fold by the threads of a block -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Chooses the way in which a block folds a range: as a copy, through a stage,
// or with the packs of sources in registers.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_FOLDRANGE_H
#define BLINK_RUNTIME_CUDA_FOLDRANGE_H

#include "runtime/cuda/DeviceCopy.h"
#include "runtime/cuda/StagedFold.h"

namespace blink::runtime {

/// Runs the fold of host/Fold.h with all threads of `block`, skipping null
/// destinations. `sources` and `destinations` lie in the block's shared memory.
/// `divisor` is 0 unless the operator is Sum. A thread writes the same elements
/// of all ranges and uses no others; the caller synchronises.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void foldRange(const Block &block, const T *const *sources,
                                   uint32_t numSources, T *const *destinations,
                                   uint32_t numDestinations, uint64_t count,
                                   uint32_t divisor) {
  const DeviceFold<T, Operator> fold{
      SharedPointers<const char>(
          reinterpret_cast<const char *const *>(sources)),
      numSources,
      SharedPointers<char>(reinterpret_cast<char *const *>(destinations)),
      numDestinations, divisor};
  if (numSources == 1 && divisor == 0)
    return copyRange(block, fold.sources[0], fold.destinations, numDestinations,
                     count * sizeof(T));
  const char *first = nullptr;
  uint32_t differences = 0;
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations; ++d)
    if (const char *destination = fold.destinations[d]) {
      first = first ? first : destination;
      differences |= misalignment(destination) ^ misalignment(first);
    }
  BLINK_ROLLED
  for (uint32_t s = 0; s < numSources; ++s)
    differences |= misalignment(fold.sources[s]) ^ misalignment(first);
  const bool loose = differences != 0;
  const PackRange range = PackRange::of<T>(first, loose, count);
  foldBesidePacks<T>(fold, block, range, count);
  Turns turns = Turns::of(block, range.head * sizeof(T), range.numPacks);
  if (loose)
    return fold.template foldPacks<true>(fold, turns);
  if constexpr (Block::kStages) {
    BLINK_ROLLED
    while (turns.left != 0) {
      turns = foldStaged(fold, block, turns);
      // What it has left is folded element by element for a turn.
      BLINK_ROLLED
      for (int u = 0; u < fold.kStagedPacks && turns.left != 0; ++u) {
        const uint64_t next = turns.offset / sizeof(T);
        fold.foldElements(fold, next, next + kPackCount<T>, 1);
        turns.skip(1);
      }
    }
  } else {
    fold.template foldPacks<false>(fold, turns);
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_FOLDRANGE_H
