//===- Traffic.cpp - what a schedule does on one GPU ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Traffic.h"

#include "schedules/ScheduleFile.h"

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

namespace {

/// A rank's buffers as it sees them: in place the smaller one is the rank's
/// part of the larger.
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

Traffic countTraffic(const runtime::ProgramPlan &program, uint64_t bytes,
                     bool inPlace) {
  const runtime::VariantPlan &variant = program.variantFor(bytes);
  if (variant.variant->protocol() != sched::Protocol::simple)
    throw std::runtime_error("the variant for " + std::to_string(bytes) +
                             " bytes is not of the protocol simple");
  const Buffers buffers(program, inPlace);
  runtime::CallShape shape;
  shape.elementBytes = 4;
  shape.count = bytes / shape.elementBytes / buffers.most();
  Traffic traffic;
  for (uint32_t rank = 0; rank < variant.ranks.size(); ++rank) {
    const runtime::RankCode &code = variant.ranks[rank].code;
    // Where a source lies; a slot, or a lent input, is a place of its own.
    const auto placeOf = [&](const OperandCode &operand) -> Buffers::Place {
      if (operand.kind == OperandKind::input)
        return buffers.input(rank, operand.index);
      if (operand.kind == OperandKind::output)
        return buffers.output(rank, operand.index);
      const uint32_t block = variant.directBlocks[operand.index];
      if (block == runtime::kNoBlock)
        return {OperandKind::channel, operand.index};
      return buffers.output(rank, block);
    };
    const runtime::LaneCode &last = code.lanes[code.numLanes - 1];
    for (uint32_t s = 0; s < last.stepsBegin + last.stepsCount; ++s) {
      const StepCode &step = code.steps[s];
      const OperandCode *operands = code.operands + step.operandsBegin;
      const uint64_t part =
          shape.rangeOf(variant.trees[step.tree]).size() * shape.elementBytes;
      uint32_t written = 0;
      for (uint32_t d = step.sources; d < step.numOperands(); ++d)
        written += operands[d].kind == OperandKind::channel
                       ? !variant.lent[operands[d].index]
                       : step.sources != 1 ||
                             placeOf(operands[d]) != placeOf(operands[0]);
      traffic.writes += part * written;
      traffic.reads += written == 0 ? 0 : part * step.sources;
    }
  }
  return traffic;
}

} // namespace blink::gpubench
