//===- PredictedTime.cpp - how long a message may take --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/PredictedTime.h"

#include "compiler/plan/FoldLoads.h"
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

/// What each step of a variant moves, those of a rank after the other.
static std::vector<FoldMoves> movesOf(const sched::Program &program,
                                      const sched::Variant &variant) {
  FoldTable table(program.collective());
  for (const sched::Channel *channel : *variant.channels())
    table.addChannel(channel->kind());
  int number = 0;
  std::vector<int> operands;
  for (const sched::RankProgram *rank : *variant.ranks()) {
    for (const sched::Step *step : *rank->steps()) {
      operands.clear();
      for (int k = 0; k < step->sources() + step->destinations(); ++k) {
        const sched::Operand &operand =
            *rank->operands()->Get(step->operands_begin() + k);
        operands.push_back(
            operand.kind() == sched::OperandKind::channel ? int(operand.index())
            : operand.kind() == sched::OperandKind::input ? FoldTable::kInput
                                                          : FoldTable::kOutput);
      }
      llvm::ArrayRef<int> all = operands;
      table.addFold(number, int(step->tree()), step->completes(),
                    all.take_front(step->sources()),
                    all.drop_front(step->sources()));
    }
    ++number;
  }
  return table.moves();
}

/// What the lanes of a variant have to do.
static LaneLoads lanesOf(const sched::Program &program,
                         const sched::Variant &variant) {
  std::vector<FoldMoves> moves = movesOf(program, variant);
  LaneLoads lanes;
  size_t before = 0; // steps of the ranks so far
  for (const sched::RankProgram *rank : *variant.ranks()) {
    for (const sched::Lane *lane : *rank->lanes()) {
      lanes.startLane();
      for (uint32_t i = 0; i < lane->steps_count(); ++i) {
        uint32_t step = lane->steps_begin() + i;
        double share = shareOf(
            program, *variant.trees()->Get(rank->steps()->Get(step)->tree()));
        lanes.add(loadOf(moves[before + step], share, /*up=*/false,
                         variant.protocol()),
                  share);
      }
    }
    before += rank->steps()->size();
  }
  return lanes;
}

MessageTime blink::predictTime(const sched::Schedule &file,
                               const sched::Program &program,
                               const sched::Variant &variant) {
  MessageTime time =
      messageTime(costsOf(variant.protocol()), startOf(file, variant),
                  rateOf(file, program, variant), lanesOf(program, variant));
  ChunkFlow &flow = time.flow;
  if (variant.protocol() == sched::Protocol::simple) {
    flow.chunkBytes = variant.chunk_bytes();
    int directions =
        hasUpTrees(program.collective()) + hasDownTrees(program.collective());
    for (const sched::Tree *tree : *variant.trees())
      flow.add(shareOf(program, *tree), directions * double(tree->depth()));
  }
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
