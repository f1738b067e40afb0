//===- ExpandPart.cpp - what some ranks need of a schedule ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Requested ranks and representatives get their whole programs. Other ranks get
// only the steps at the other ends of these ranks' channels, which are found by
// tree and rank, so that nothing is expanded only to be discarded.
//
//===----------------------------------------------------------------------===//

#include "schedules/Expander.h"
#include "schedules/PartialSums.h"

#include <algorithm>

namespace blink::sched {
namespace {

/// A rank in a tree.
using RankTree = std::pair<uint32_t, uint32_t>;

template <typename T> void sortUnique(std::vector<T> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Renumbers channels by their places in `left`. Channels that are not in
/// `left` get the number `left.size()`.
void renumber(RankParts &rank, const std::vector<uint32_t> &left) {
  for (Operand &operand : rank.operands) {
    if (operand.kind() != OperandKind::channel)
      continue;
    const auto place =
        std::lower_bound(left.begin(), left.end(), operand.index());
    const bool isLeft = place != left.end() && *place == operand.index();
    operand = Operand(uint32_t((isLeft ? place : left.end()) - left.begin()),
                      operand.kind());
  }
}

/// Appends a step without its lane.
void addStep(RankParts &rank, const Step &step, uint32_t tree,
             std::vector<Operand>::const_iterator operands) {
  rank.steps.emplace_back(tree, uint32_t(rank.operands.size()), step.sources(),
                          step.destinations(), step.completes(), step.delay());
  rank.operands.insert(rank.operands.end(), operands,
                       operands + step.sources() + step.destinations());
}

class PartExpander : public Expander {
public:
  PartExpander(const VariantParts &from, const SymmetryGroup &group,
               Collective collective, SizeBudget &budget)
      : Expander(from, group, collective), budget_(budget) {}
  /// Expands for the ranks in `whole`. `partial` is the result of partialSums()
  /// for the channels of the symmetric variant. Stops when the budget is spent.
  VariantParts run(const std::vector<bool> &whole,
                   const std::vector<bool> &partial, VariantPart &part);

private:
  bool payForTrees();
  bool payForRank(const RankParts &rank);
  void noteChannels(uint32_t rank, const std::vector<bool> &whole);
  bool payForEnds();
  void expandEnds();
  template <typename Visit> void eachStepAt(const RankTree &end, Visit visit);
  const std::vector<std::pair<uint64_t, uint32_t>> &stepsOf(uint32_t orbit);
  uint64_t keyOf(uint32_t tree, uint32_t element) const {
    return uint64_t(tree) * group_.order() + element;
  }

  SizeBudget &budget_;
  std::vector<RankTree> ends_;
  std::vector<uint32_t> left_; ///< channels to keep
  /// Per representative: its steps, sorted by tree of from_ and by the element
  /// for which they are steps of the tree's image.
  std::vector<std::vector<std::pair<uint64_t, uint32_t>>> steps_;
};

/// All trees are kept, and all channels get a number.
bool PartExpander::payForTrees() {
  const bool haveNumbers =
      from_.channels.size() * uint64_t(group_.order()) < UINT32_MAX;
  return budget_.pay(haveNumbers ? from_.trees.size() * sizeof(Tree) *
                                       uint64_t(group_.order())
                                 : UINT64_MAX);
}

/// Pays for the program of a rank and for its channels, also for those whose
/// other end pays, too.
bool PartExpander::payForRank(const RankParts &rank) {
  uint64_t bytes = rank.lanes.size() * sizeof(Lane) +
                   rank.steps.size() * sizeof(Step) +
                   rank.operands.size() * sizeof(Operand);
  for (const Operand &operand : rank.operands)
    if (operand.kind() == OperandKind::channel)
      bytes += sizeof(Channel) +
               from_.channels[operand.index()].path_count() * sizeof(uint32_t);
  return budget_.pay(bytes);
}

/// Records the channels of a rank that has its whole program, and their other
/// ends.
void PartExpander::noteChannels(uint32_t rank, const std::vector<bool> &whole) {
  const RankParts &own = full_.ranks[rank];
  for (const Step &step : own.steps) {
    const Image &image = images_[step.tree()];
    for (uint32_t i = 0; i < uint32_t(step.sources()) + step.destinations();
         ++i) {
      const Operand &operand = own.operands[step.operands_begin() + i];
      if (operand.kind() != OperandKind::channel)
        continue;
      left_.push_back(operand.index());
      const Channel &channel =
          from_.channels[firstOf_[image.tree] + operand.index() -
                         firstChannel_[step.tree()]];
      const uint32_t other = group_.mapRank(
          image.element,
          i < step.sources() ? channel.source() : channel.destination());
      if (!whole[other])
        ends_.emplace_back(other, step.tree());
    }
  }
}

const std::vector<std::pair<uint64_t, uint32_t>> &
PartExpander::stepsOf(uint32_t orbit) {
  std::vector<std::pair<uint64_t, uint32_t>> &steps = steps_[orbit];
  const RankParts &own = from_.ranks[orbit];
  if (steps.empty()) {
    for (uint32_t s = 0; s < own.steps.size(); ++s)
      steps.emplace_back(
          keyOf(own.steps[s].tree(), elementOf(own, own.steps[s])), s);
    std::sort(steps.begin(), steps.end());
  }
  return steps;
}

/// Visits the numbers of the representative's steps that are those of a rank in
/// a tree.
template <typename Visit>
void PartExpander::eachStepAt(const RankTree &end, Visit visit) {
  const auto &steps = stepsOf(group_.orbitOf(end.first));
  const Image &image = images_[end.second];
  const uint64_t key =
      keyOf(image.tree,
            group_.product(elementFrom(group_, end.first), image.element));
  for (auto step =
           std::lower_bound(steps.begin(), steps.end(), std::pair(key, 0u));
       step != steps.end() && step->first == key; ++step)
    visit(step->second);
}

/// Pays for all that expandEnds() makes, before it makes anything.
bool PartExpander::payForEnds() {
  steps_.resize(from_.ranks.size());
  for (const RankTree &end : ends_) {
    const RankParts &own = from_.ranks[group_.orbitOf(end.first)];
    eachStepAt(end, [&](uint32_t s) {
      budget_.pay(sizeof(Step) + (uint64_t(own.steps[s].sources()) +
                                  own.steps[s].destinations()) *
                                     sizeof(Operand));
    });
    if (budget_.isSpent())
      return false;
  }
  return true;
}

void PartExpander::expandEnds() {
  std::vector<std::pair<uint32_t, uint32_t>> found; // step, full tree
  for (auto end = ends_.begin(); end != ends_.end();) {
    const uint32_t rank = end->first;
    found.clear();
    for (; end != ends_.end() && end->first == rank; ++end)
      eachStepAt(*end, [&](uint32_t s) { found.emplace_back(s, end->second); });
    std::sort(found.begin(), found.end());
    const RankParts &own = from_.ranks[group_.orbitOf(rank)];
    RankParts &full = full_.ranks[rank];
    for (const auto &[s, tree] : found) {
      const Step &step = own.steps[s];
      const size_t begin = full.operands.size();
      addStep(full, step, tree, own.operands.begin() + step.operands_begin());
      for (size_t i = begin; i < full.operands.size(); ++i)
        full.operands[i] = imageOf(full.operands[i], step, rank, tree);
    }
  }
}

VariantParts PartExpander::run(const std::vector<bool> &whole,
                               const std::vector<bool> &partial,
                               VariantPart &part) {
  if (!payForTrees())
    return {};
  expandTrees();
  full_.ranks.resize(numRanks_);
  for (uint32_t rank = 0; rank < numRanks_; ++rank)
    if (whole[rank]) {
      if (!payForRank(from_.ranks[group_.orbitOf(rank)]))
        return {};
      expandRank(rank, full_.ranks[rank]);
      noteChannels(rank, whole);
    }
  sortUnique(ends_);
  sortUnique(left_);
  if (!payForEnds())
    return {};
  expandEnds();
  uint32_t tree = 0;
  for (uint32_t number : left_) {
    while (number >= firstChannel_[tree + 1])
      ++tree;
    const uint32_t channel =
        firstOf_[images_[tree].tree] + number - firstChannel_[tree];
    expandChannel(tree, channel);
    part.partial.push_back(partial[channel]);
  }
  full_.paths = std::move(paths_.paths);
  for (RankParts &rank : full_.ranks)
    renumber(rank, left_);
  expandSwitches();
  part.channels = std::move(left_);
  return std::move(full_);
}

/// The same for a variant in full.
VariantParts leavePart(VariantParts own, const std::vector<bool> &whole,
                       const std::vector<bool> &partial, VariantPart &part) {
  std::vector<RankTree> ends;
  std::vector<Channel> channels;
  PathTable paths;
  for (uint32_t number = 0; number < own.channels.size(); ++number) {
    const Channel &channel = own.channels[number];
    const bool writes = whole[channel.source()];
    const bool reads = whole[channel.destination()];
    if (!writes && !reads)
      continue;
    if (!writes)
      ends.emplace_back(channel.source(), channel.tree());
    if (!reads)
      ends.emplace_back(channel.destination(), channel.tree());
    const auto path = own.paths.begin() + channel.path_begin();
    channels.emplace_back(
        channel.tree(),
        paths.add(std::vector<uint32_t>(path, path + channel.path_count())),
        channel.path_count(), channel.source(), channel.destination(),
        channel.slots(), channel.window(), channel.kind());
    part.channels.push_back(number);
    part.partial.push_back(partial[number]);
  }
  sortUnique(ends);
  for (uint32_t rank = 0; rank < own.ranks.size(); ++rank) {
    RankParts &full = own.ranks[rank];
    if (!whole[rank]) {
      RankParts left;
      for (const Step &step : full.steps)
        if (std::binary_search(ends.begin(), ends.end(),
                               RankTree(rank, step.tree())))
          addStep(left, step, step.tree(),
                  full.operands.begin() + step.operands_begin());
      full = std::move(left);
    }
    renumber(full, part.channels);
  }
  own.channels = std::move(channels);
  own.paths = std::move(paths.paths);
  return own;
}

} // namespace

SchedulePart expandFor(const Schedule &file, const std::vector<bool> &ranks,
                       std::string &error) {
  SchedulePart part;
  part.bytes = expandWith(
      file,
      [&](const Program &program, uint32_t number, const SymmetryGroup &group,
          SizeBudget &budget) {
        if (number == 0)
          part.variants.emplace_back();
        VariantPart &left = part.variants.back().emplace_back();
        const Variant &variant = *program.variants()->Get(number);
        if (!variant.symmetric() && !budget.pay(bytesOf(variant)))
          return VariantParts();
        VariantParts own = VariantParts::of(variant);
        if (group.order() == 1)
          return own;
        std::vector<bool> whole(group.numRanks(), false);
        if (ranks.size() == whole.size())
          whole = ranks;
        for (uint32_t rank : group.representatives())
          whole[rank] = true;
        // A channel and all its images agree in this.
        const std::vector<bool> partial = partialSums(variant);
        if (!own.symmetric)
          return leavePart(std::move(own), whole, partial, left);
        return PartExpander(own, group, program.collective(), budget)
            .run(whole, partial, left);
      },
      error);
  return part;
}

} // namespace blink::sched
