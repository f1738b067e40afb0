//===- SymmetricParts.cpp - parts of a variant to judge -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/SymmetricParts.h"

#include "schedules/SymmetricImages.h"
#include "schedules/VariantParts.h"

#include <algorithm>
#include <numeric>

namespace blink::verify {
namespace {

using sched::VariantParts;

/// Distributes the folds of trees to ranks, tree by tree and vertex by vertex.
class TreeSpreader {
public:
  TreeSpreader(const VariantParts &from, const sched::SymmetryGroup &group,
               sched::Collective collective, uint32_t numRanks)
      : from_(from), group_(group), blocks_(group, collective, numRanks),
        steps_(numRanks) {}

  VariantParts run(const std::vector<uint32_t> &elements);

private:
  struct StepAt {
    uint32_t lane;
    sched::Step step; ///< with its operands in `operands`
    std::vector<sched::Operand> operands;
  };

  void addTrees(uint32_t element);
  void addSteps(uint32_t element, uint32_t orbit);
  /// Returns the rank that a representative's step has in the tree that it
  /// names.
  uint32_t vertexOf(const sched::RankParts &rank,
                    const sched::Step &step) const;

  const VariantParts &from_;
  const sched::SymmetryGroup &group_;
  sched::BlockImages<sched::SymmetryGroup> blocks_;
  VariantParts to_;
  uint32_t firstTree_ = 0, firstChannel_ = 0; ///< of the element
  std::vector<std::vector<StepAt>> steps_;    ///< of each rank
};

uint32_t TreeSpreader::vertexOf(const sched::RankParts &rank,
                                const sched::Step &step) const {
  for (uint32_t i = 0; i < uint32_t(step.sources()) + step.destinations();
       ++i) {
    const sched::Operand &operand = rank.operands[step.operands_begin() + i];
    if (operand.kind() != sched::OperandKind::channel)
      continue;
    const sched::Channel &channel = from_.channels[operand.index()];
    return i < step.sources() ? channel.destination() : channel.source();
  }
  return from_.trees[step.tree()].root();
}

void TreeSpreader::addTrees(uint32_t element) {
  firstTree_ = uint32_t(to_.trees.size());
  firstChannel_ = uint32_t(to_.channels.size());
  for (const sched::Tree &tree : from_.trees)
    to_.trees.emplace_back(tree.numerator(), tree.denominator(),
                           blocks_.ofTree(element, tree.block()),
                           uint16_t(group_.mapRank(element, tree.root())),
                           tree.depth());
  const auto firstPath = uint32_t(to_.paths.size());
  for (uint32_t link : from_.paths)
    to_.paths.push_back(group_.mapLink(element, link));
  for (const sched::Channel &channel : from_.channels)
    to_.channels.emplace_back(
        firstTree_ + channel.tree(), firstPath + channel.path_begin(),
        channel.path_count(),
        uint16_t(group_.mapRank(element, channel.source())),
        uint16_t(group_.mapRank(element, channel.destination())),
        channel.slots(), channel.window(), channel.kind());
  for (const sched::SwitchUse &use : from_.switches)
    to_.switches.emplace_back(firstTree_ + use.tree(),
                              group_.mapLink(element, use.to_switch()),
                              group_.mapLink(element, use.from_switch()),
                              use.reduces(), use.multicasts());
}

void TreeSpreader::addSteps(uint32_t element, uint32_t orbit) {
  const sched::RankParts &rank = from_.ranks[orbit];
  for (uint32_t lane = 0; lane < rank.lanes.size(); ++lane)
    for (uint32_t i = 0; i < rank.lanes[lane].steps_count(); ++i) {
      const sched::Step &step = rank.steps[rank.lanes[lane].steps_begin() + i];
      const uint32_t vertex = vertexOf(rank, step);
      // The element that maps the representative to the vertex, and that to its
      // image.
      const uint32_t way = group_.product(element, group_.elementTo(vertex));
      StepAt &at = steps_[group_.mapRank(element, vertex)].emplace_back();
      at.lane = lane;
      at.step = {firstTree_ + step.tree(), 0,
                 step.sources(),           step.destinations(),
                 step.completes(),         step.delay()};
      for (uint32_t o = 0; o < uint32_t(step.sources()) + step.destinations();
           ++o) {
        const sched::Operand &operand =
            rank.operands[step.operands_begin() + o];
        at.operands.emplace_back(
            operand.kind() == sched::OperandKind::channel
                ? firstChannel_ + operand.index()
                : blocks_.ofOperand(way, operand.kind(), operand.index()),
            operand.kind());
      }
    }
}

VariantParts TreeSpreader::run(const std::vector<uint32_t> &elements) {
  to_.minBytes = from_.minBytes;
  to_.maxBytes = from_.maxBytes;
  to_.protocol = from_.protocol;
  to_.chunks = from_.chunks;
  for (uint32_t element : elements) {
    addTrees(element);
    for (uint32_t orbit = 0; orbit < from_.ranks.size(); ++orbit)
      addSteps(element, orbit);
  }
  for (std::vector<StepAt> &steps : steps_) {
    std::stable_sort(
        steps.begin(), steps.end(),
        [](const StepAt &a, const StepAt &b) { return a.lane < b.lane; });
    sched::RankParts &rank = to_.ranks.emplace_back();
    for (const StepAt &at : steps) {
      while (rank.lanes.size() <= at.lane)
        rank.lanes.emplace_back(uint32_t(rank.steps.size()), 0);
      sched::Lane &lane = rank.lanes.back();
      lane = {lane.steps_begin(), lane.steps_count() + 1};
      const sched::Step &step = at.step;
      rank.steps.emplace_back(step.tree(), uint32_t(rank.operands.size()),
                              step.sources(), step.destinations(),
                              step.completes(), step.delay());
      rank.operands.insert(rank.operands.end(), at.operands.begin(),
                           at.operands.end());
    }
  }
  return std::move(to_);
}

} // namespace

TreesInFull::TreesInFull(const sched::Variant &variant,
                         const sched::SymmetryGroup &group,
                         sched::Collective collective,
                         const std::vector<uint32_t> &elements) {
  const VariantParts from = VariantParts::of(variant);
  const auto numRanks =
      uint32_t(group.order() * group.representatives().size());
  builder_.Finish(TreeSpreader(from, group, collective, numRanks)
                      .run(elements)
                      .write(builder_));
  variant_ = flatbuffers::GetRoot<sched::Variant>(builder_.GetBufferPointer());
}

std::vector<uint32_t> linkOrbits(const sched::SymmetryGroup &group,
                                 uint32_t numLinks) {
  std::vector<uint32_t> orbits(numLinks, UINT32_MAX), open;
  for (uint32_t first = 0; first < numLinks; ++first) {
    if (orbits[first] != UINT32_MAX)
      continue;
    open = {first};
    orbits[first] = first;
    while (!open.empty()) {
      const uint32_t link = open.back();
      open.pop_back();
      for (uint32_t generator : group.generators()) {
        const uint32_t image = group.mapLink(generator, link);
        if (orbits[image] == UINT32_MAX) {
          orbits[image] = first;
          open.push_back(image);
        }
      }
    }
  }
  return orbits;
}

std::vector<double> loadsOfImages(const std::vector<double> &loads,
                                  const std::vector<uint32_t> &orbits,
                                  uint32_t order, Images images) {
  std::vector<double> sums(loads.size(), 0), mosts(loads.size(), 0);
  std::vector<uint32_t> sizes(loads.size(), 0);
  for (size_t link = 0; link < loads.size(); ++link) {
    sums[orbits[link]] += loads[link];
    mosts[orbits[link]] = std::max(mosts[orbits[link]], loads[link]);
    ++sizes[orbits[link]];
  }
  std::vector<double> all;
  for (uint32_t orbit : orbits)
    all.push_back(images == Images::sum ? sums[orbit] * order / sizes[orbit]
                                        : mosts[orbit]);
  return all;
}

} // namespace blink::verify
