//===- Traffic.cpp - traffic of a schedule on one GPU ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Traffic.h"

#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace blink::gpubench {

using runtime::OperandCode;
using runtime::OperandKind;
using runtime::StepCode;

runtime::Plan planOf(const std::string &path) {
  std::shared_ptr<const runtime::OpenFile> file;
  runtime::Status status = runtime::OpenFile::read(path.c_str(), file);
  if (status.ok() && !file->schedule())
    throw std::runtime_error(path + ": a bundle; give a schedule for one job");
  runtime::Plan plan;
  if (status.ok())
    status = runtime::Plan::create(
        {file}, int(sched::numPrograms(*file->schedule()->programs()->Get(0))),
        {}, plan);
  if (!status.ok())
    throw std::runtime_error(status.text);
  return plan;
}

uint32_t numBlocks(const runtime::VariantPlan &variant) {
  uint32_t blocks = 0;
  for (const runtime::RankPlan &rank : variant.ranks)
    blocks += rank.code.numLanes;
  return blocks;
}

Traffic &Traffic::operator+=(const Traffic &other) {
  reads += other.reads;
  writes += other.writes;
  return *this;
}

Traffic sumOf(const LaneTraffic &ranks) {
  Traffic sum;
  for (const std::vector<Traffic> &lanes : ranks)
    for (const Traffic &lane : lanes)
      sum += lane;
  return sum;
}

LaneBalance balanceOf(const LaneTraffic &ranks) {
  LaneBalance balance;
  balance.moving = UINT32_MAX;
  for (const std::vector<Traffic> &lanes : ranks) {
    uint64_t most = 0, sum = 0;
    uint32_t moving = 0;
    for (const Traffic &lane : lanes) {
      const uint64_t bytes = lane.reads + lane.writes;
      most = std::max(most, bytes);
      sum += bytes;
      moving += bytes > 0;
    }
    if (sum == 0)
      continue;
    balance.moving = std::min(balance.moving, moving);
    balance.idle += uint32_t(lanes.size()) - moving;
    balance.fullest = std::max(
        balance.fullest, double(most) * double(lanes.size()) / double(sum));
  }
  return balance;
}

namespace {

/// The buffers of a rank: in place, the smaller buffer is the rank's part of
/// the larger one.
class Buffers {
public:
  Buffers(const runtime::ProgramPlan &plan, bool inPlace) : inPlace_(inPlace) {
    const uint32_t ranks = plan.program->allocation()->size();
    inputs_ = sched::inputBlocks(plan.program->collective(), ranks);
    outputs_ = sched::outputBlocks(plan.program->collective(), ranks);
  }

  uint32_t most() const { return std::max(inputs_, outputs_); }

  /// A buffer and a block in it.
  using Place = std::pair<OperandKind, uint32_t>;
  Place input(uint32_t rank, uint32_t block) const {
    if (!inPlace_)
      return {OperandKind::input, block};
    return {OperandKind::output, inputs_ < outputs_ ? rank : block};
  }
  Place output(uint32_t rank, uint32_t block) const {
    return {OperandKind::output, inPlace_ && outputs_ < inputs_ ? rank : block};
  }

private:
  uint32_t inputs_, outputs_;
  bool inPlace_;
};

} // namespace

LaneTraffic countTraffic(const runtime::ProgramPlan &program, uint64_t bytes,
                         bool inPlace, Reach reach) {
  const runtime::VariantPlan &variant = program.variantFor(bytes);
  if (variant.variant->protocol() != sched::Protocol::simple)
    throw std::runtime_error(textOf("the variant for ", bytes,
                                    " bytes is not of the protocol simple"));
  const Buffers buffers(program, inPlace);
  runtime::CallShape shape;
  shape.elementBytes = 4;
  shape.count = bytes / shape.elementBytes / buffers.most();
  LaneTraffic traffic;
  for (uint32_t rank = 0; rank < variant.ranks.size(); ++rank) {
    const runtime::RankCode &code = variant.ranks[rank].code;
    // Returns where a source is. A slot or a borrowed input is a place of its
    // own.
    const auto placeOf = [&](const OperandCode &operand) -> Buffers::Place {
      if (operand.kind == OperandKind::input)
        return buffers.input(rank, operand.index);
      if (operand.kind == OperandKind::output)
        return buffers.output(rank, operand.index);
      const uint32_t block = reach == Reach::all
                                 ? variant.directBlocks[operand.index]
                                 : runtime::kNoBlock;
      if (block == runtime::kNoBlock)
        return {OperandKind::channel, operand.index};
      return buffers.output(rank, block);
    };
    const auto trafficOf = [&](const StepCode &step) -> Traffic {
      const OperandCode *operands = code.operands + step.operandsBegin;
      const uint64_t part =
          shape.rangeOf(variant.trees[step.tree]).size() * shape.elementBytes;
      uint32_t written = 0;
      for (uint32_t d = step.sources; d < step.numOperands(); ++d)
        written +=
            operands[d].kind == OperandKind::channel
                ? reach == Reach::none || !variant.borrowed[operands[d].index]
                : step.sources != 1 ||
                      placeOf(operands[d]) != placeOf(operands[0]);
      return {written == 0 ? 0 : part * step.sources, part * written};
    };
    std::vector<Traffic> &lanes = traffic.emplace_back();
    for (uint32_t l = 0; l < code.numLanes; ++l) {
      const runtime::LaneCode &lane = code.lanes[l];
      Traffic &sum = lanes.emplace_back();
      for (uint32_t s = 0; s < lane.stepsCount; ++s)
        sum += trafficOf(code.steps[lane.stepsBegin + s]);
    }
  }
  return traffic;
}

} // namespace blink::gpubench
