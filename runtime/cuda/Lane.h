//===- Lane.h - a lane on a device ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter of the CUDA back end: one thread block runs one lane from its
// first fold to its last.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANE_H
#define BLINK_RUNTIME_CUDA_LANE_H

#include "runtime/cuda/FoldRange.h"
#include "runtime/cuda/LaneChannels.h"
#include "runtime/cuda/LineFold.h"
#include "runtime/cuda/ScaledFold.h"
#include "runtime/cuda/SwitchFold.h"
#include "runtime/cuda/WideFold.h"

namespace blink::runtime {

/// `Block`: see LaneWaits.h. `kWide`: for calls whose partial sums are floats.
template <typename T, typename Operator, typename Block, bool kSwitches,
          bool kWide>
class Lane : LaneChannels<Block, kSwitches> {
public:
  BLINK_DEVICE Lane(Block &block, const LaunchedCall &launch,
                    const LaunchedRank &rank, uint32_t number, uint32_t first)
      : Base(block, launch, rank, number, first) {}

  /// Runs the lane to its end, or until something fails, which is reported.
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
      if (this->failed(fold_ + 1))
        return;
      if (block_.isPoster())
        this->postAll(this->step());
    }
    this->finish();
  }

private:
  using Base = LaneChannels<Block, kSwitches>;
  using Base::block_, Base::cursor_, Base::fold_, Base::launch_, Base::operands,
      Base::state_;

  BLINK_DEVICE void waitAndFold(const LaneStep &step) {
    const uint64_t count = this->chunk().size();
    if (!this->resolveAll(step))
      return;
    if (Base::isSwitched(step))
      aliasFence(); // what is read was written through the multicast address
    if (this->traces())
      this->traceBegin(count * sizeof(T));
    if constexpr (kSwitches)
      foldByCopies(step, count);
    else
      foldByLinks(step, count);
    if (Base::isSwitched(step))
      aliasFence(); // what is written is read through the multicast address
    if (this->traces())
      this->traceEnd();
  }

  BLINK_DEVICE void foldByLinks(const LaneStep &step, uint64_t count) {
    const uint32_t divisor = step.completes ? launch_.shape.divisor : 0;
    if (launch_.lowLatency)
      LineFold<T, Operator, Block, kWide>{
          block_, step, operands() + step.operandsBegin, fold_ + 1, divisor}
          .fold(count);
    else if constexpr (kWide)
      foldWide(block_, wideFold(step, divisor), count);
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
  }

  /// Folds in a launch for which switches work. Such a launch does not scale;
  /// it divides only if the switch works for all trees. All steps copy except
  /// the root's, also in trees for which no switch works.
  BLINK_DEVICE void foldByCopies(const LaneStep &step, uint64_t count) {
    if (Base::isSwitched(step) && step.inSwitch->all)
      foldInSwitch(step, count);
    else
      foldRange<T, Operator>(
          block_, reinterpret_cast<const T *const *>(state_.pointers),
          step.sources,
          reinterpret_cast<T *const *>(state_.pointers + step.sources),
          step.destinations, count, 0);
  }

  /// Runs the root's fold in a tree for which the switch works.
  BLINK_DEVICE void foldInSwitch(const LaneStep &step, uint64_t count) {
    const LaneOperand *own = operands() + step.operandsBegin;
    char *const *pointers = reinterpret_cast<char *const *>(state_.pointers);
    const uint32_t input = contribution(step);
    const uint32_t channel = input == 0 ? 1 : 0; // any source but the input
    uint32_t output = step.sources;
    while (own[output].kind != OperandKind::output)
      ++output;
    copyRange(block_, pointers[input], SharedPointers<char>(pointers + channel),
              1, count * sizeof(T));
    releaseFence();
    aliasFence();
    block_.syncFold();
    const uint64_t offset = Base::switchOffset(step, cursor_.chunk(),
                                               own[channel].channel.slotBytes);
    SwitchFold<T>::run({step.inSwitch->all + offset,
                        step.inSwitch->results + offset, pointers[output],
                        count, launch_.shape.divisor},
                       block_);
  }

  BLINK_DEVICE WideFold<T, Operator> wideFold(const LaneStep &step,
                                              uint32_t divisor) const {
    const bool scales = kSums<Operator> && launch_.scales;
    return {SharedPointers<const char>(
                reinterpret_cast<const char *const *>(state_.pointers)),
            step.sources,
            SharedPointers<char>(reinterpret_cast<char *const *>(
                state_.pointers + step.sources)),
            step.destinations,
            operands() + step.operandsBegin,
            divisor,
            scales ? contribution(step) : step.sources,
            scales ? loadElement(elementOf<T>(state_.scalar)) : 0};
  }

  /// Returns the number of the source that is the rank's input, or step.sources
  /// if there is none. No step has two.
  BLINK_DEVICE uint32_t contribution(const LaneStep &step) const {
    uint32_t s = 0;
    while (s < step.sources &&
           operands()[step.operandsBegin + s].kind != OperandKind::input)
      ++s;
    return s;
  }
};

/// Runs the lane of block `index` of a launch.
template <typename T, typename Operator, typename Block, bool kSwitches = false,
          bool kWide = false>
BLINK_DEVICE inline void runBlock(Block &block, const Launch &launch,
                                  uint32_t index) {
  uint32_t r = 0;
  if (launch.numRanks > 1) {
    // Mostly all ranks have as many lanes as the first one.
    const uint32_t lanes = launch.ranks[1].firstBlock;
    r = lanes != 0 ? index / lanes : 0;
    r = r < launch.numRanks ? r : launch.numRanks - 1;
    BLINK_ROLLED
    while (launch.ranks[r].firstBlock > index)
      --r;
    BLINK_ROLLED
    while (r + 1 < launch.numRanks && launch.ranks[r + 1].firstBlock <= index)
      ++r;
  }
  const Launch::Rank &rank = launch.ranks[r];
  Lane<T, Operator, Block, kSwitches, kWide>(block, launch, rank,
                                             index - rank.firstBlock, 0)
      .run();
}

/// Runs block `index` of a launch of messages: `turns` trees of each message of
/// a queue, in the order of the messages. They are copied as bytes, whatever
/// their types.
template <typename Block>
BLINK_DEVICE inline void
runMessageBlock(Block &block, const MessageLaunch &launch, uint32_t index) {
  uint32_t m = launch.firstOf(index);
  const uint32_t begin =
      (index - launch.messages[m].rank.firstBlock) * launch.turns;
  BLINK_ROLLED
  while (m != MessageLaunch::kMax) {
    const LaunchedMessage &message = launch.messages[m];
    BLINK_ROLLED
    for (uint32_t tree = begin;
         tree < begin + launch.turns && tree < message.numLanes; ++tree) {
      Lane<uint8_t, Sum, Block, false, false>(block, message.call, message.rank,
                                              message.firstLane + tree,
                                              message.firstLane)
          .run();
      block.sync(); // the next lane uses the same shared memory
    }
    m = message.next;
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANE_H
