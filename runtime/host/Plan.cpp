//===- Plan.cpp - programs, prepared once ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Plan.h"

#include "schedules/ScheduleFile.h"

#include <algorithm>

namespace blink::runtime {
namespace {

using sched::OperandKind;

/// Notes who is at the ends of channels and who touches which buffer.
void visitOperands(Plan &plan, uint32_t rank, ProgramPlan &program,
                   VariantPlan &variant) {
  const sched::RankProgram &code = *variant.variant->ranks()->Get(rank);
  for (uint32_t l = 0; l < code.lanes()->size(); ++l) {
    const sched::Lane &lane = *code.lanes()->Get(l);
    for (uint32_t s = 0; s < lane.steps_count(); ++s) {
      const sched::Step &step = *code.steps()->Get(lane.steps_begin() + s);
      uint32_t count = uint32_t(step.sources()) + step.destinations();
      plan.numOperands = std::max<size_t>(plan.numOperands, count);
      for (uint32_t i = 0; i < count; ++i) {
        const sched::Operand &operand =
            *code.operands()->Get(step.operands_begin() + i);
        if (operand.kind() == OperandKind::input)
          program.readsInput[rank] = true;
        else if (operand.kind() == OperandKind::output)
          program.usesOutput[rank] = true;
        else if (i < step.sources())
          variant.ends[operand.index()].reader = plan.firstLane[rank] + l;
        else
          variant.ends[operand.index()].writer = plan.firstLane[rank] + l;
      }
    }
  }
}

VariantPlan planVariant(Plan &plan, ProgramPlan &program,
                        const sched::Variant &variant) {
  VariantPlan result;
  result.variant = &variant;
  const auto &channels = *variant.channels();
  result.ends.resize(channels.size());
  for (uint32_t c = 0; c < channels.size(); ++c) {
    result.slotOffsets.push_back(result.poolBytes);
    // Below 2^31 channels of 2^10 slots of 2^26 bytes: no overflow.
    result.poolBytes += uint64_t(channels[c]->slots()) * variant.chunk_bytes();
  }
  for (int rank = 0; rank < plan.numRanks; ++rank)
    visitOperands(plan, uint32_t(rank), program, result);
  return result;
}

} // namespace

Status Plan::create(const ScheduleSet &files, int numRanks, Plan &plan) {
  plan.numRanks = numRanks;
  plan.files = files;
  uint32_t otherRanks = 0; // of a program that does not fit, for the message
  for (const auto &file : files)
    for (const sched::Program *program : *file->root().programs()) {
      if (sched::numPrograms(*program) == uint32_t(numRanks))
        plan.programs.push_back({program, {}, {}, {}});
      else
        otherRanks = sched::numPrograms(*program);
    }
  if (plan.programs.empty())
    return {blinkInvalidUsage,
            "the schedule is for " + std::to_string(otherRanks) +
                " ranks, the call has " + std::to_string(numRanks) +
                ": compile one for as many GPUs"};

  // Threads and memory serve every variant, so there are as many as the one
  // that needs most has.
  std::vector<uint32_t> lanes(numRanks);
  for (const ProgramPlan &program : plan.programs)
    for (const sched::Variant *variant : *program.program->variants())
      for (int rank = 0; rank < numRanks; ++rank)
        lanes[rank] =
            std::max(lanes[rank], variant->ranks()->Get(rank)->lanes()->size());
  plan.firstLane.assign(1, 0);
  for (uint32_t count : lanes)
    plan.firstLane.push_back(plan.firstLane.back() + count);

  for (ProgramPlan &program : plan.programs) {
    program.readsInput.resize(numRanks);
    program.usesOutput.resize(numRanks);
    for (const sched::Variant *variant : *program.program->variants()) {
      program.variants.push_back(planVariant(plan, program, *variant));
      const VariantPlan &made = program.variants.back();
      plan.poolBytes = std::max(plan.poolBytes, made.poolBytes);
      plan.numChannels = std::max(plan.numChannels, made.ends.size());
      plan.numTrees = std::max<size_t>(plan.numTrees, variant->trees()->size());
    }
  }
  return {};
}

Status Plan::find(sched::Collective collective, int root,
                  const ProgramPlan *&result) const {
  std::string roots;
  for (const ProgramPlan &program : programs) {
    if (program.program->collective() != collective)
      continue;
    if (program.program->root() == root) {
      result = &program;
      return {};
    }
    roots +=
        (roots.empty() ? "" : ", ") + std::to_string(program.program->root());
  }
  std::string name = sched::EnumNameCollective(collective);
  std::string ranks = std::to_string(numRanks) + " ranks";
  if (roots.empty())
    return {blinkInvalidUsage, "the schedule has no " + name + " for " + ranks +
                                   ": compile one and open or add it"};
  return {blinkInvalidUsage, "the schedule has no " + name + " for " + ranks +
                                 " with root " + std::to_string(root) +
                                 ", only with root " + roots +
                                 ": compile one and add it"};
}

} // namespace blink::runtime
