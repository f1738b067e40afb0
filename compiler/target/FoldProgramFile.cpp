//===- FoldProgramFile.cpp - fold programs of .sched files ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/FoldProgramFile.h"

#include "compiler/plan/FoldMoves.h"

#include <numeric>

using namespace blink;

static FoldProgram::Rank readRank(const sched::RankProgram &from) {
  FoldProgram::Rank rank;
  for (const sched::Step *step : *from.steps())
    rank.folds.push_back({int(step->tree()), step->completes(),
                          step->operands_begin(), step->sources(),
                          step->destinations()});
  for (const sched::Operand *operand : *from.operands())
    rank.operands.push_back({operand->kind(), int(operand->index())});
  for (const sched::Lane *lane : *from.lanes()) {
    std::vector<size_t> &folds = rank.lanes.emplace_back(lane->steps_count());
    std::iota(folds.begin(), folds.end(), lane->steps_begin());
  }
  return rank;
}

FoldProgram blink::readProgram(const sched::Schedule &file,
                               const sched::Program &from,
                               const sched::Variant &variant) {
  FoldProgram program;
  program.collective = from.collective();
  program.numRanks = int(from.allocation()->size());
  for (const sched::Link *link : *file.topology()->links())
    program.links.push_back({link->bandwidth(), link->latency()});
  for (const sched::Tree *tree : *variant.trees()) {
    double share = shareOfBlock(program.collective, program.numRanks,
                                tree->numerator(), tree->denominator());
    program.trees.push_back({int(tree->root()), int(tree->block()),
                             tree->numerator(), tree->denominator(),
                             int(tree->depth()), share});
  }
  for (const sched::Channel *channel : *variant.channels())
    program.channels.push_back({int(channel->tree()), int(channel->source()),
                                int(channel->destination()), channel->kind(),
                                int(channel->slots()), channel->path_begin(),
                                channel->path_count()});
  program.paths.assign(variant.paths()->begin(), variant.paths()->end());
  for (const sched::RankProgram *rank : *variant.ranks())
    program.ranks.push_back(readRank(*rank));
  countMoves(program);
  return program;
}
