//===- SimulationTrace.cpp - a simulation as a trace ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/SimulationTrace.h"

using namespace blink;

static std::vector<uint32_t>
channelsOf(llvm::ArrayRef<FoldProgram::Operand> operands) {
  std::vector<uint32_t> channels;
  for (const FoldProgram::Operand &operand : operands)
    if (operand.isChannel())
      channels.push_back(uint32_t(operand.index));
  return channels;
}

sched::TraceVariant blink::traceVariantOf(const FoldProgram &program,
                                          std::string name) {
  sched::TraceVariant variant;
  variant.name = std::move(name);
  for (const FoldProgram::Channel &channel : program.channels)
    variant.channels.push_back({uint32_t(channel.source),
                                uint32_t(channel.destination),
                                program.pathOf(channel).vec()});
  for (const FoldProgram::Rank &rank : program.ranks) {
    auto &lanes = variant.steps.emplace_back();
    for (const std::vector<size_t> &lane : rank.lanes) {
      auto &steps = lanes.emplace_back();
      for (size_t place : lane) {
        const FoldProgram::Fold &fold = rank.folds[place];
        steps.push_back({uint32_t(fold.tree), channelsOf(rank.sourcesOf(fold)),
                         channelsOf(rank.destinationsOf(fold))});
      }
    }
  }
  return variant;
}

sched::ReplayTrace blink::traceOf(const FoldProgram &program,
                                  const SimulatedEvents &events,
                                  std::string name,
                                  std::vector<std::string> ranks,
                                  std::vector<std::string> links) {
  sched::ReplayTrace trace;
  trace.ranks = std::move(ranks);
  trace.links = std::move(links);
  trace.variants.push_back(traceVariantOf(program, std::move(name)));
  trace.folds = events.folds;
  trace.transfers = events.transfers;
  return trace;
}
