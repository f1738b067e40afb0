//===- LaneStepper.cpp - one lane's way through a collective --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/LaneStepper.h"

#include <algorithm>

namespace blink::runtime {

using sched::OperandKind;

namespace {

/// Most chunks of any tree that `lane` works for.
uint64_t chunksOfLane(const Launch &launch, const sched::RankProgram &code,
                      const sched::Lane &lane) {
  uint64_t most = 0;
  for (uint32_t s = 0; s < lane.steps_count(); ++s) {
    uint32_t tree = code.steps()->Get(lane.steps_begin() + s)->tree();
    most = std::max(most, launch.chunkCounts[tree]);
  }
  return most;
}

} // namespace

bool laneHasWork(const Launch &launch, uint32_t rank, uint32_t lane) {
  const sched::RankProgram &code = *launch.variant->variant->ranks()->Get(rank);
  return chunksOfLane(launch, code, *code.lanes()->Get(lane)) > 0;
}

void LaneStepper::start(const Launch &launch, uint32_t rank, uint32_t lane) {
  launch_ = &launch;
  rank_ = rank;
  code_ = launch.variant->variant->ranks()->Get(rank);
  const sched::Lane &range = *code_->lanes()->Get(lane);
  begin_ = range.steps_begin();
  count_ = range.steps_count();
  step_ = 0;
  chunk_ = 0;
  lastChunk_ = chunksOfLane(launch, *code_, range);
  skipEmpty();
}

void LaneStepper::skipEmpty() {
  // Ends: some tree of the lane has every chunk below lastChunk_.
  while (!done() && launch_->chunkCounts[step().tree()] <= chunk_)
    if (++step_ == count_) {
      step_ = 0;
      ++chunk_;
    }
}

void LaneStepper::next() {
  if (++step_ == count_) {
    step_ = 0;
    ++chunk_;
  }
  skipEmpty();
}

LaneStepper::Need LaneStepper::needOf(uint32_t index) const {
  uint32_t number = operand(index).index();
  const Channel &channel = launch_->channels[number];
  if (index < step().sources())
    return {number, true, channel.read() + 1, channel.written()};
  // A free slot: all but slots - 1 of the chunks written so far are read.
  uint64_t slots = launch_->variant->variant->channels()->Get(number)->slots();
  uint64_t written = channel.written() + 1;
  return {number, false, written > slots ? written - slots : 0, channel.read()};
}

std::optional<LaneStepper::Need> LaneStepper::blocked() const {
  for (uint32_t i = 0; i < numOperands(); ++i) {
    if (operand(i).kind() != OperandKind::channel)
      continue;
    Need need = needOf(i);
    if (need.seen < need.expected)
      return need;
  }
  return std::nullopt;
}

bool LaneStepper::met(const Need &need) const {
  const Channel &channel = launch_->channels[need.channel];
  return (need.reading ? channel.written() : channel.read()) >= need.expected;
}

char *LaneStepper::address(uint32_t index, ElementRange range) const {
  const sched::Operand &operand = this->operand(index);
  if (operand.kind() == OperandKind::channel) {
    const Channel &channel = launch_->channels[operand.index()];
    bool reading = index < step().sources();
    uint64_t chunk = reading ? channel.read() : channel.written();
    const sched::Variant &variant = *launch_->variant->variant;
    uint64_t slot = chunk % variant.channels()->Get(operand.index())->slots();
    return launch_->pool + launch_->variant->slotOffsets[operand.index()] +
           slot * variant.chunk_bytes();
  }
  uint64_t offset = operand.index() * launch_->blockBytes +
                    range.begin * launch_->elementBytes;
  const Launch::Buffers &buffers = launch_->buffers[rank_];
  if (operand.kind() == OperandKind::input)
    return const_cast<char *>(buffers.input) + offset; // a source: only read
  return buffers.output + offset;
}

void LaneStepper::fold() {
  ElementRange range =
      chunkRange(launch_->ranges[step().tree()], launch_->elementBytes,
                 launch_->variant->variant->chunk_bytes(), chunk_);
  for (uint32_t i = 0; i < numOperands(); ++i)
    pointers_[i] = address(i, range);
  launch_->fold(pointers_.data(), step().sources(),
                pointers_.data() + step().sources(), step().destinations(),
                range.size(), step().completes() ? launch_->divisor : 0);
}

} // namespace blink::runtime
