//===- PredictedTime.cpp - how long a message may take --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/PredictedTime.h"

#include "compiler/packing/FoldLoads.h"
#include "compiler/report/Latency.h"
#include "compiler/report/Summary.h"

#include <algorithm>

using namespace blink;

/// GB/s that the links let a variant have; infinite where none carries
/// anything.
static double rateOf(const sched::Schedule &file, const sched::Program &program,
                     const sched::Variant &variant) {
  std::vector<double> loads = loadsPerByte(file, program, variant);
  double nanosecondsPerByte = 0;
  for (size_t link = 0; link < loads.size(); ++link)
    nanosecondsPerByte = std::max(
        nanosecondsPerByte,
        loads[link] / file.topology()->links()->Get(link)->bandwidth());
  return 1 / nanosecondsPerByte;
}

static double shareOf(const sched::Program &program, const sched::Tree &tree) {
  double blocks = blocksOfBuffer(
      program.collective(), static_cast<int>(program.allocation()->size()));
  return double(tree.numerator()) / tree.denominator() / blocks;
}

/// How often the busiest lane moves the buffer. `flow` gets what else lanes
/// have to do.
static double movesOf(const sched::Program &program,
                      const sched::Variant &variant, ChunkFlow &flow) {
  double most = 0;
  for (const sched::RankProgram *rank : *variant.ranks())
    for (const sched::Lane *lane : *rank->lanes()) {
      double moves = 0, carried = 0;
      for (uint32_t i = 0; i < lane->steps_count(); ++i) {
        const sched::Step &step = *rank->steps()->Get(lane->steps_begin() + i);
        double share = shareOf(program, *variant.trees()->Get(step.tree()));
        int channels = 0, operands = step.sources() + step.destinations();
        for (int k = 0; k < operands; ++k)
          channels +=
              rank->operands()->Get(step.operands_begin() + k)->kind() ==
              sched::OperandKind::channel;
        carried += share;
        moves += share * movesOfFold(channels);
      }
      most = std::max(most, moves);
      flow.folds = std::max<double>(flow.folds, lane->steps_count());
      flow.laneShare = std::max(flow.laneShare, carried);
    }
  return most;
}

MessageTime blink::predictTime(const sched::Schedule &file,
                               const sched::Program &program,
                               const sched::Variant &variant) {
  ProtocolCosts costs = costsOf(variant.protocol());
  ChunkFlow flow;
  flow.turn = costs.turn;
  double moves = movesOf(program, variant, flow);
  if (variant.protocol() == sched::Protocol::simple) {
    flow.chunkBytes = variant.chunk_bytes();
    int directions =
        hasUpTrees(program.collective()) + hasDownTrees(program.collective());
    for (const sched::Tree *tree : *variant.trees())
      flow.add(shareOf(program, *tree), directions * double(tree->depth()));
  }
  MessageTime time = messageTime(costs, startOf(file, variant),
                                 rateOf(file, program, variant), moves);
  time.flow = std::move(flow);
  return time;
}

std::vector<double> blink::predictTimes(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const std::vector<uint64_t> &sizes) {
  std::vector<double> times(sizes.size());
  for (const sched::Variant *variant : *program.variants()) {
    MessageTime time = predictTime(file, program, *variant);
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] >= variant->min_bytes() && sizes[i] < variant->max_bytes())
        times[i] = time.at(sizes[i]);
  }
  return times;
}
