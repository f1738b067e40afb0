//===- FoldProgramFile.cpp - fold programs of .sched files ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/FoldProgramFile.h"

#include "compiler/plan/FoldMoves.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/symmetry/Symmetry.h"
#include "schedules/SymmetryGroup.h"
#include "schedules/VariantParts.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <numeric>

using namespace blink;

static FoldProgram::Rank readRank(const sched::RankProgram &from) {
  FoldProgram::Rank rank;
  for (const sched::Step *step : *from.steps())
    rank.folds.push_back({int(step->tree()), step->completes(),
                          step->operands_begin(), step->sources(),
                          step->destinations(), step->delay()});
  for (const sched::Operand *operand : *from.operands())
    rank.operands.push_back({operand->kind(), int(operand->index())});
  for (const sched::Lane *lane : *from.lanes()) {
    std::vector<size_t> &folds = rank.lanes.emplace_back(lane->steps_count());
    std::iota(folds.begin(), folds.end(), lane->steps_begin());
  }
  return rank;
}

/// Returns a program with those ranks that the variant has, one after the
/// other, and without moves.
static FoldProgram readParts(const sched::Schedule &file,
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
  if (variant.switches())
    for (const sched::SwitchUse *use : *variant.switches())
      program.trees[use->tree()].switchUse = {
          int(use->to_switch()), int(use->from_switch()), use->reduces(),
          use->multicasts()};
  for (const sched::Channel *channel : *variant.channels())
    program.channels.push_back({int(channel->tree()), int(channel->source()),
                                int(channel->destination()), channel->kind(),
                                int(channel->slots()), channel->path_begin(),
                                channel->path_count(), int(channel->window())});
  program.paths.assign(variant.paths()->begin(), variant.paths()->end());
  for (const sched::RankProgram *rank : *variant.ranks())
    program.ranks.push_back(readRank(*rank));
  return program;
}

FoldProgram blink::readProgram(const sched::Schedule &file,
                               const sched::Program &from,
                               const sched::Variant &variant) {
  FoldProgram program = readParts(file, from, variant);
  countMoves(program);
  return program;
}

llvm::Expected<FoldProgram>
blink::readProgramAsItIs(const sched::Schedule &file,
                         const sched::Program &from,
                         const sched::Variant &variant) {
  if (!variant.symmetric())
    return readProgram(file, from, variant);
  FoldProgram program = readParts(file, from, variant);
  llvm::Expected<RankTopology> rankTopology = rankTopologyOf(file, from);
  if (!rankTopology)
    return rankTopology.takeError();
  std::vector<Symmetry::Generator> generators;
  for (const sched::Renaming &renaming : sched::renamingsOf(from))
    generators.push_back(
        {{renaming.nodes.begin(), renaming.nodes.end()}, int(renaming.steps)});
  llvm::Expected<Symmetry> symmetry =
      Symmetry::create(*rankTopology, std::move(generators));
  if (!symmetry)
    return symmetry.takeError();
  std::vector<FoldProgram::Rank> ranks(size_t(program.numRanks));
  for (auto [representative, rank] :
       llvm::zip_equal(symmetry->representatives(), program.ranks))
    ranks[representative] = std::move(rank);
  program.ranks = std::move(ranks);
  program.symmetry = std::make_shared<const Symmetry>(std::move(*symmetry));
  countMoves(program);
  return program;
}

static sched::RankParts partsOf(const FoldProgram::Rank &rank) {
  sched::RankParts parts;
  for (const std::vector<size_t> &lane : rank.lanes) {
    parts.lanes.emplace_back(parts.steps.size(), lane.size());
    for (size_t place : lane) {
      const FoldProgram::Fold &fold = rank.folds[place];
      parts.steps.emplace_back(fold.tree, parts.operands.size(), fold.sources,
                               fold.destinations, fold.completes,
                               uint16_t(fold.delay));
      for (auto list : {rank.sourcesOf(fold), rank.destinationsOf(fold)})
        for (const FoldProgram::Operand &operand : list)
          parts.operands.emplace_back(operand.index, operand.kind);
    }
  }
  return parts;
}

flatbuffers::Offset<sched::Variant> blink::writeVariant(
    flatbuffers::FlatBufferBuilder &builder, const FoldProgram &program,
    uint64_t minBytes, uint64_t maxBytes, sched::Protocol protocol,
    sched::ChunkSizes chunks, llvm::ArrayRef<sched::TimePoint> times) {
  sched::VariantParts parts;
  parts.minBytes = minBytes;
  parts.maxBytes = maxBytes;
  parts.protocol = protocol;
  parts.chunks = chunks;
  for (const FoldProgram::Tree &tree : program.trees) {
    const SwitchUse &use = tree.switchUse;
    if (use.works())
      parts.switches.emplace_back(parts.trees.size(), use.toSwitch,
                                  use.fromSwitch, use.reduces, use.multicasts);
    parts.trees.emplace_back(tree.numerator, tree.denominator, tree.block,
                             tree.root, tree.depth);
  }
  sched::PathTable paths;
  for (const FoldProgram::Channel &channel : program.channels)
    parts.channels.emplace_back(
        channel.tree, paths.add(program.pathOf(channel).vec()),
        channel.pathCount, channel.source, channel.destination, channel.slots,
        channel.window, channel.kind);
  parts.paths = std::move(paths.paths);
  parts.symmetric = program.symmetry != nullptr;
  for (size_t rank = 0; rank < program.ranks.size(); ++rank)
    if (!program.symmetry || program.symmetry->elementTo(int(rank)) == 0)
      parts.ranks.push_back(partsOf(program.ranks[rank]));
  parts.times = times.vec();
  return parts.write(builder);
}
