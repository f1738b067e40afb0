//===- Lane.h - a lane on a device ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter of the CUDA back end: one block of threads runs one lane from
// its first fold to its last.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANE_H
#define BLINK_RUNTIME_CUDA_LANE_H

#include "runtime/cuda/DeviceFold.h"
#include "runtime/cuda/LaneChannels.h"
#include "runtime/cuda/LineFold.h"
#include "runtime/cuda/ScaledFold.h"

namespace blink::runtime {

/// `Block`: of LaneWaits.h.
template <typename T, typename Operator, typename Block>
class Lane : LaneChannels<Block> {
public:
  BLINK_DEVICE Lane(Block &block, const LaunchedCall &launch,
                    const LaunchedRank &rank, uint32_t number, uint32_t first)
      : LaneChannels<Block>(block, launch, rank, number, first) {}

  /// Runs the lane to its end, or until something failed, which is reported.
  ///
  ///   folding threads   wait, fold chunk 0 | wait, fold chunk 1 | ...
  ///   posters                              | post chunk 0       | ...
  BLINK_DEVICE void run() {
    if (!this->begin())
      return;
    for (this->start(); !cursor_.done(); this->advance()) {
      if (!block_.isPoster())
        waitAndFold(this->step());
      block_.sync();
      if (this->failed(fold_))
        return;
      if (block_.isPoster())
        this->postAll(this->step());
    }
    this->finish();
  }

private:
  using Base = LaneChannels<Block>;
  using Base::block_, Base::cursor_, Base::fold_, Base::launch_, Base::operands,
      Base::state_;

  BLINK_DEVICE void waitAndFold(const LaneStep &step) {
    const uint64_t count = this->chunk().size();
    if (!this->resolveAll(step))
      return;
    if (this->traces())
      this->traceBegin(count * sizeof(T));
    const uint32_t divisor = step.completes ? launch_.shape.divisor : 0;
    if (launch_.lowLatency)
      LineFold<T, Operator, Block>{
          block_, step, operands() + step.operandsBegin, fold_, divisor}
          .fold(count);
    else if (kSums<Operator> && launch_.scales &&
             contribution(step) != step.sources)
      foldScaled<T>(
          block_, reinterpret_cast<const T *const *>(state_.pointers),
          step.sources,
          reinterpret_cast<T *const *>(state_.pointers + step.sources),
          step.destinations, count, contribution(step), state_.scalar);
    else
      foldRange<T, Operator>(
          block_, reinterpret_cast<const T *const *>(state_.pointers),
          step.sources,
          reinterpret_cast<T *const *>(state_.pointers + step.sources),
          step.destinations, count, divisor);
    if (this->traces())
      this->traceEnd();
  }

  /// The source of the step that is the rank's input, of which no step has two;
  /// or step.sources.
  BLINK_DEVICE uint32_t contribution(const LaneStep &step) const {
    uint32_t s = 0;
    while (s < step.sources &&
           operands()[step.operandsBegin + s].kind != OperandKind::input)
      ++s;
    return s;
  }
};

/// The lane of block `index` of a launch.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void runBlock(Block &block, const Launch &launch,
                                  uint32_t index) {
  uint32_t r = launch.numRanks - 1;
  while (launch.ranks[r].firstBlock > index)
    --r;
  const Launch::Rank &rank = launch.ranks[r];
  Lane<T, Operator, Block>(block, launch, rank, index - rank.firstBlock, 0)
      .run();
}

/// What block `index` of a launch of messages does: one tree of each message of
/// a queue, in their order. They are bytes, whatever their types.
template <typename Block>
BLINK_DEVICE inline void
runMessageBlock(Block &block, const MessageLaunch &launch, uint32_t index) {
  uint32_t m = launch.firstOf(index);
  const uint32_t tree = index - launch.messages[m].rank.firstBlock;
  BLINK_ROLLED
  while (m != MessageLaunch::kMax) {
    const LaunchedMessage &message = launch.messages[m];
    if (tree < message.numLanes)
      Lane<uint8_t, Sum, Block>(block, message.call, message.rank,
                                message.firstLane + tree, message.firstLane)
          .run();
    block.sync(); // what the threads share is the next one's
    m = message.next;
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANE_H
