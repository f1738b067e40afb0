//===- FoldProgram.cpp - what every rank of a schedule does ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/FoldProgram.h"

#include "compiler/packing/Packing.h"

#include <map>
#include <set>
#include <tuple>

using namespace blink;

size_t FoldProgram::numFolds() const {
  size_t folds = 0;
  for (const Rank &rank : ranks)
    folds += rank.folds.size();
  return folds;
}

int FoldProgram::addChannel(int tree, int source, int destination,
                            sched::ChannelKind kind, llvm::ArrayRef<int> path) {
  channels.push_back({tree, source, destination, kind, /*slots=*/1,
                      uint32_t(paths.size()), uint32_t(path.size())});
  paths.insert(paths.end(), path.begin(), path.end());
  return int(channels.size()) - 1;
}

void FoldProgram::addFold(int rank, int tree, bool completes,
                          llvm::ArrayRef<Operand> sources,
                          llvm::ArrayRef<Operand> destinations) {
  Rank &at = ranks[rank];
  at.folds.push_back({tree, completes, uint32_t(at.operands.size()),
                      uint32_t(sources.size()), uint32_t(destinations.size())});
  at.operands.insert(at.operands.end(), sources.begin(), sources.end());
  at.operands.insert(at.operands.end(), destinations.begin(),
                     destinations.end());
}

std::pair<int, int> FoldProgram::placeOf(const Rank &rank,
                                         const Fold &fold) const {
  for (const Operand &source : rank.sourcesOf(fold))
    if (source.isChannel())
      return {fold.tree, channels[source.index].destination};
  for (const Operand &destination : rank.destinationsOf(fold))
    if (destination.isChannel())
      return {fold.tree, channels[destination.index].source};
  return {fold.tree, trees[fold.tree].root};
}

double blink::shareOfBlock(sched::Collective collective, int numRanks,
                           uint32_t numerator, uint32_t denominator) {
  return double(numerator) / denominator / blocksOfBuffer(collective, numRanks);
}

/// Calls `fill` with each channel's index and each link that the channel fills.
template <typename Fill>
static void eachFilled(const FoldProgram &program, Fill fill) {
  std::set<std::tuple<int, bool, uint32_t>> taken; // by tree, direction, link
  for (size_t i = 0; i < program.channels.size(); ++i) {
    const FoldProgram::Channel &channel = program.channels[i];
    if (!program.isSwitched(channel)) {
      for (uint32_t link : program.pathOf(channel))
        fill(i, link);
      continue;
    }
    const FoldProgram::Tree &tree = program.trees[channel.tree];
    auto fillOnce = [&](uint32_t link) {
      const bool up = channel.destination == tree.root;
      if (taken.insert({channel.tree, up, link}).second)
        fill(i, link);
    };
    for (uint32_t link : program.pathOf(channel))
      fillOnce(link);
    fillOnce(uint32_t(tree.switchUse.toSwitch));
    fillOnce(uint32_t(tree.switchUse.fromSwitch));
  }
}

std::vector<std::vector<uint32_t>>
blink::filledLinks(const FoldProgram &program) {
  std::vector<std::vector<uint32_t>> filled(program.channels.size());
  eachFilled(program, [&](size_t channel, uint32_t link) {
    filled[channel].push_back(link);
  });
  return filled;
}

std::vector<double> blink::loadsPerByte(const FoldProgram &program) {
  std::vector<double> loads(program.links.size(), 0);
  if (!isPairwise(program.collective)) {
    eachFilled(program, [&](size_t channel, uint32_t link) {
      loads[link] += program.trees[program.channels[channel].tree].share;
    });
    return program.symmetry ? program.symmetry->sumOfImages(loads) : loads;
  }
  // One block moves at a time, so each link counts the most that any block
  // brings.
  std::map<int, std::map<uint32_t, double>> byBlock;
  for (const FoldProgram::Channel &channel : program.channels) {
    const FoldProgram::Tree &tree = program.trees[channel.tree];
    for (uint32_t link : program.pathOf(channel))
      byBlock[tree.block][link] += tree.share;
  }
  for (const auto &[block, ofBlock] : byBlock)
    for (auto [link, load] : ofBlock)
      loads[link] = std::max(loads[link], load);
  return program.symmetry ? program.symmetry->mostOfImages(loads) : loads;
}

double blink::rateOfLinks(const FoldProgram &program) {
  std::vector<double> loads = loadsPerByte(program);
  double nanosecondsPerByte = 0;
  for (size_t link = 0; link < loads.size(); ++link)
    nanosecondsPerByte = std::max(nanosecondsPerByte,
                                  loads[link] / program.links[link].bandwidth);
  return 1 / nanosecondsPerByte;
}

double blink::largestShare(const FoldProgram &program) {
  double largest = 0;
  for (const FoldProgram::Tree &tree : program.trees)
    largest = std::max(largest, tree.share);
  return largest;
}

FoldProgram blink::splitTrees(const FoldProgram &program,
                              llvm::ArrayRef<unsigned> parts) {
  FoldProgram split;
  split.collective = program.collective;
  split.numRanks = program.numRanks;
  split.symmetry = program.symmetry;
  split.links = program.links;
  split.paths = program.paths;
  auto partsOf = [&](int tree) { return parts[program.trees[tree].origin]; };

  std::vector<int> firstPart; // of each tree
  for (const FoldProgram::Tree &tree : program.trees) {
    firstPart.push_back(int(split.trees.size()));
    FoldProgram::Tree part = tree;
    part.numerator = 0;
    part.denominator = 1;
    part.share /= parts[tree.origin];
    split.trees.insert(split.trees.end(), parts[tree.origin], part);
  }

  // Each run of folds (or operands) of one tree is repeated for each of its
  // parts.
  auto endOfRun = [](const auto &list, size_t begin, auto key) {
    size_t end = begin;
    while (end < list.size() && key(list[end]) == key(list[begin]))
      ++end;
    return end;
  };
  auto reserve = [&](auto &list, const auto &old) {
    list.reserve(old.size() * split.trees.size() / program.trees.size());
  };
  reserve(split.channels, program.channels);
  std::vector<int> newNumber(program.channels.size()); // in the first part
  std::vector<int> distance(program.trees.size(), 0);  // from part to part
  for (size_t begin = 0, end; begin < program.channels.size(); begin = end) {
    end = endOfRun(
        program.channels, begin,
        [](const FoldProgram::Channel &channel) { return channel.tree; });
    int tree = program.channels[begin].tree;
    distance[tree] = int(end - begin);
    for (size_t i = begin; i < end; ++i)
      newNumber[i] = int(split.channels.size() + (i - begin));
    for (unsigned part = 0; part < partsOf(tree); ++part)
      for (size_t i = begin; i < end; ++i) {
        split.channels.push_back(program.channels[i]);
        split.channels.back().tree = firstPart[tree] + int(part);
      }
  }
  for (const FoldProgram::Rank &rank : program.ranks) {
    FoldProgram::Rank &to = split.ranks.emplace_back();
    reserve(to.folds, rank.folds);
    reserve(to.operands, rank.operands);
    for (size_t begin = 0, end; begin < rank.folds.size(); begin = end) {
      end = endOfRun(rank.folds, begin, [&](const FoldProgram::Fold &fold) {
        return program.placeOf(rank, fold);
      });
      int tree = rank.folds[begin].tree;
      for (unsigned part = 0; part < partsOf(tree); ++part)
        for (size_t i = begin; i < end; ++i) {
          const FoldProgram::Fold &fold = rank.folds[i];
          to.folds.push_back(fold);
          to.folds.back().tree = firstPart[tree] + int(part);
          to.folds.back().operands = uint32_t(to.operands.size());
          for (uint32_t k = 0; k < fold.sources + fold.destinations; ++k) {
            FoldProgram::Operand operand = rank.operands[fold.operands + k];
            if (operand.isChannel())
              operand.index =
                  newNumber[operand.index] + int(part) * distance[tree];
            to.operands.push_back(operand);
          }
        }
    }
  }
  return split;
}
