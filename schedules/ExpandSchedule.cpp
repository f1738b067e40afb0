//===- ExpandSchedule.cpp - symmetric schedules in full -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/ExpandSchedule.h"

#include "schedules/PartialSums.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/SymmetricImages.h"
#include "schedules/Text.h"

#include <algorithm>
#include <exception>
#include <tuple>

namespace blink::sched {
namespace {

class Expander {
public:
  Expander(const VariantParts &from, const SymmetryGroup &group,
           Collective collective)
      : from_(from), group_(group), numRanks_(group.numRanks()),
        blocks_(group, collective, numRanks_) {}

  VariantParts run();
  /// Only what `ranks` need; `part`: which channels these are. `partial`: of
  /// each channel of the symmetric variant, as partialSums() has it.
  VariantParts runFor(const std::vector<bool> &ranks,
                      const std::vector<bool> &partial, VariantPart &part);

private:
  /// A tree of the full variant: that of `from_` under an element.
  struct Image {
    uint32_t block, root, tree, element;
    auto words() const { return std::tie(block, root, tree); }
  };

  void expandTrees();
  void expandChannel(uint32_t tree, uint32_t channel);
  void expandChannels();
  void expandRank(uint32_t rank, RankParts &full) const;
  void expandSwitches();
  using RankTree = std::pair<uint32_t, uint32_t>;
  void addOtherEnds(uint32_t rank, std::vector<RankTree> &ends) const;
  static void leaveTrees(const std::vector<RankTree> &ends, uint32_t rank,
                         RankParts &full);
  uint32_t elementOf(const RankParts &rank, const Step &step) const;
  uint32_t numberOf(uint32_t tree, uint32_t element) const {
    return numbers_[size_t(tree) * group_.order() + element];
  }

  const VariantParts &from_;
  const SymmetryGroup &group_;
  const uint32_t numRanks_;
  BlockImages<SymmetryGroup> blocks_;
  VariantParts full_;
  PathTable paths_;
  std::vector<Image> images_;     ///< of each full tree
  std::vector<uint32_t> numbers_; ///< of trees, by tree and element
  std::vector<uint32_t> firstOf_; ///< channel of each tree of from_
  /// Of each full tree, and how many there are.
  std::vector<uint32_t> firstChannel_;
};

void Expander::expandTrees() {
  full_.minBytes = from_.minBytes;
  full_.maxBytes = from_.maxBytes;
  full_.protocol = from_.protocol;
  full_.chunks = from_.chunks;
  full_.times = from_.times;
  for (uint32_t tree = 0; tree < from_.trees.size(); ++tree)
    for (uint32_t element = 0; element < group_.order(); ++element)
      images_.push_back({blocks_.ofTree(element, from_.trees[tree].block()),
                         group_.mapRank(element, from_.trees[tree].root()),
                         tree, element});
  std::sort(images_.begin(), images_.end(), [](const Image &a, const Image &b) {
    return a.words() < b.words();
  });
  firstOf_.assign(from_.trees.size() + 1, 0);
  for (const Channel &channel : from_.channels)
    ++firstOf_[channel.tree() + 1];
  for (size_t tree = 0; tree < from_.trees.size(); ++tree)
    firstOf_[tree + 1] += firstOf_[tree];
  numbers_.resize(images_.size());
  firstChannel_.push_back(0);
  for (const Image &image : images_) {
    numbers_[size_t(image.tree) * group_.order() + image.element] =
        uint32_t(full_.trees.size());
    const Tree &tree = from_.trees[image.tree];
    full_.trees.emplace_back(tree.numerator(), tree.denominator(), image.block,
                             uint16_t(image.root), tree.depth());
    firstChannel_.push_back(firstChannel_.back() + firstOf_[image.tree + 1] -
                            firstOf_[image.tree]);
  }
}

/// Adds the image in full tree `tree` of a channel of `from_`.
void Expander::expandChannel(uint32_t tree, uint32_t number) {
  const Channel &channel = from_.channels[number];
  const uint32_t element = images_[tree].element;
  std::vector<uint32_t> path;
  for (uint32_t i = 0; i < channel.path_count(); ++i)
    path.push_back(
        group_.mapLink(element, from_.paths[channel.path_begin() + i]));
  full_.channels.emplace_back(
      tree, paths_.add(path), channel.path_count(),
      uint16_t(group_.mapRank(element, channel.source())),
      uint16_t(group_.mapRank(element, channel.destination())), channel.slots(),
      channel.window(), channel.kind());
}

void Expander::expandChannels() {
  for (uint32_t tree = 0; tree < images_.size(); ++tree)
    for (uint32_t c = firstOf_[images_[tree].tree];
         c < firstOf_[images_[tree].tree + 1]; ++c)
      expandChannel(tree, c);
}

/// That for which the step of a representative is a step of the tree's image.
uint32_t Expander::elementOf(const RankParts &rank, const Step &step) const {
  for (uint32_t i = 0; i < uint32_t(step.sources()) + step.destinations();
       ++i) {
    const Operand &operand = rank.operands[step.operands_begin() + i];
    if (operand.kind() != OperandKind::channel)
      continue;
    const Channel &channel = from_.channels[operand.index()];
    return elementFrom(group_, i < step.sources() ? channel.destination()
                                                  : channel.source());
  }
  return elementFrom(group_, from_.trees[step.tree()].root());
}

void Expander::expandRank(uint32_t rank, RankParts &full) const {
  const RankParts &own = from_.ranks[group_.orbitOf(rank)];
  const uint32_t toRank = group_.elementTo(rank);
  full.lanes = own.lanes;
  full.operands.resize(own.operands.size());
  full.steps.reserve(own.steps.size());
  for (const Step &step : own.steps) {
    const uint32_t tree =
        numberOf(step.tree(), group_.product(toRank, elementOf(own, step)));
    full.steps.emplace_back(tree, step.operands_begin(), step.sources(),
                            step.destinations(), step.completes(),
                            step.delay());
    const uint32_t end =
        step.operands_begin() + step.sources() + step.destinations();
    for (uint32_t i = step.operands_begin(); i < end; ++i) {
      const Operand &operand = own.operands[i];
      full.operands[i] = Operand(
          operand.kind() == OperandKind::channel
              ? firstChannel_[tree] + operand.index() - firstOf_[step.tree()]
              : blocks_.ofOperand(toRank, operand.kind(), operand.index()),
          operand.kind());
    }
  }
}

void Expander::expandSwitches() {
  for (const SwitchUse &use : from_.switches)
    for (uint32_t element = 0; element < group_.order(); ++element)
      full_.switches.emplace_back(numberOf(use.tree(), element),
                                  group_.mapLink(element, use.to_switch()),
                                  group_.mapLink(element, use.from_switch()),
                                  use.reduces(), use.multicasts());
  std::sort(full_.switches.begin(), full_.switches.end(),
            [](const SwitchUse &a, const SwitchUse &b) {
              return a.tree() < b.tree();
            });
}

VariantParts Expander::run() {
  expandTrees();
  expandChannels();
  full_.paths = std::move(paths_.paths);
  full_.ranks.resize(numRanks_);
  for (uint32_t rank = 0; rank < numRanks_; ++rank)
    expandRank(rank, full_.ranks[rank]);
  expandSwitches();
  return std::move(full_);
}

/// Where the channels of a rank that is programmed whole end: rank and tree.
void Expander::addOtherEnds(uint32_t rank, std::vector<RankTree> &ends) const {
  const RankParts &own = from_.ranks[group_.orbitOf(rank)];
  for (const Step &step : own.steps) {
    const uint32_t element =
        group_.product(group_.elementTo(rank), elementOf(own, step));
    for (uint32_t i = 0; i < uint32_t(step.sources()) + step.destinations();
         ++i) {
      const Operand &operand = own.operands[step.operands_begin() + i];
      if (operand.kind() != OperandKind::channel)
        continue;
      const Channel &channel = from_.channels[operand.index()];
      ends.emplace_back(group_.mapRank(element, i < step.sources()
                                                    ? channel.source()
                                                    : channel.destination()),
                        numberOf(step.tree(), element));
    }
  }
}

/// Leaves the steps of the trees, as many of `ends` as are the rank's.
void Expander::leaveTrees(const std::vector<RankTree> &ends, uint32_t rank,
                          RankParts &full) {
  RankParts left;
  for (const Step &step : full.steps) {
    if (!std::binary_search(ends.begin(), ends.end(),
                            RankTree(rank, step.tree())))
      continue;
    const auto begin = full.operands.begin() + step.operands_begin();
    const auto number = uint32_t(step.sources()) + step.destinations();
    left.steps.emplace_back(step.tree(), uint32_t(left.operands.size()),
                            step.sources(), step.destinations(),
                            step.completes(), step.delay());
    left.operands.insert(left.operands.end(), begin, begin + number);
  }
  full = std::move(left);
}

VariantParts Expander::runFor(const std::vector<bool> &ranks,
                              const std::vector<bool> &partial,
                              VariantPart &part) {
  expandTrees();
  full_.ranks.resize(numRanks_);
  std::vector<bool> whole(numRanks_);
  std::vector<RankTree> ends;
  for (uint32_t rank = 0; ranks.size() == numRanks_ && rank < numRanks_; ++rank)
    if (ranks[rank]) {
      whole[rank] = true;
      addOtherEnds(rank, ends);
    }
  for (uint32_t rank : group_.representatives())
    whole[rank] = true;
  std::sort(ends.begin(), ends.end());
  std::vector<bool> isEnd(numRanks_);
  for (const auto &[rank, tree] : ends)
    isEnd[rank] = true;
  for (uint32_t rank = 0; rank < numRanks_; ++rank) {
    if (!whole[rank] && !isEnd[rank])
      continue;
    expandRank(rank, full_.ranks[rank]);
    if (!whole[rank])
      leaveTrees(ends, rank, full_.ranks[rank]);
    for (const Operand &operand : full_.ranks[rank].operands)
      if (operand.kind() == OperandKind::channel)
        part.channels.push_back(operand.index());
  }
  std::vector<uint32_t> &left = part.channels;
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());
  uint32_t tree = 0;
  for (uint32_t number : left) {
    while (number >= firstChannel_[tree + 1])
      ++tree;
    const uint32_t channel =
        firstOf_[images_[tree].tree] + number - firstChannel_[tree];
    expandChannel(tree, channel);
    part.partial.push_back(partial[channel]);
  }
  full_.paths = std::move(paths_.paths);
  for (RankParts &rank : full_.ranks)
    for (Operand &operand : rank.operands)
      if (operand.kind() == OperandKind::channel)
        operand = Operand(uint32_t(std::lower_bound(left.begin(), left.end(),
                                                    operand.index()) -
                                   left.begin()),
                          operand.kind());
  expandSwitches();
  return std::move(full_);
}

/// Of what is said once an element in a full variant. Channels share paths, but
/// each is looked at.
uint64_t bytesOf(const Variant &variant) {
  uint64_t bytes = variant.trees()->size() * sizeof(Tree) +
                   variant.channels()->size() * sizeof(Channel);
  for (const Channel *channel : *variant.channels())
    bytes += channel->path_count() * sizeof(uint32_t);
  for (const RankProgram *rank : *variant.ranks())
    bytes += rank->lanes()->size() * sizeof(Lane) +
             rank->steps()->size() * sizeof(Step) +
             rank->operands()->size() * sizeof(Operand);
  return bytes;
}

} // namespace

VariantParts expandVariant(const VariantParts &variant,
                           const SymmetryGroup &group, Collective collective) {
  return Expander(variant, group, collective).run();
}

namespace {

/// `expand` makes of each symmetric variant what is written for it, of about
/// `bytesFor` bytes.
template <typename Expand, typename BytesFor>
std::vector<uint8_t> expandWith(const Schedule &file, const Expand &expand,
                                const BytesFor &bytesFor, std::string &error) {
  constexpr uint64_t kMostBytes = uint64_t(1) << 30;
  try {
    std::vector<ProgramParts> programs;
    uint64_t bytes = 0;
    for (uint32_t number = 0; number < file.programs()->size(); ++number) {
      const Program *program = file.programs()->Get(number);
      SymmetryGroup group;
      error = SymmetryGroup::create(*file.topology(), *program->allocation(),
                                    renamingsOf(*program), group);
      if (!error.empty())
        return {};
      ProgramParts &parts = programs.emplace_back();
      for (const Variant *variant : *program->variants()) {
        bytes += variant->symmetric() ? bytesFor(*variant, group)
                                      : bytesOf(*variant);
        if (bytes > kMostBytes) {
          error = "in full the schedule takes more than 1 GiB";
          return {};
        }
        parts.variants.push_back(
            expand(VariantParts::of(*variant), group, number));
      }
    }
    return copySchedule(file, programs);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error = "out of memory";
    return {};
  }
}

} // namespace

std::vector<uint8_t> expandSchedule(const Schedule &file, std::string &error) {
  return expandWith(
      file,
      [&](VariantParts own, const SymmetryGroup &group, uint32_t program) {
        return own.symmetric
                   ? expandVariant(own, group,
                                   file.programs()->Get(program)->collective())
                   : std::move(own);
      },
      [](const Variant &variant, const SymmetryGroup &group) {
        return bytesOf(variant) * group.order();
      },
      error);
}

SchedulePart expandFor(const Schedule &file, const std::vector<bool> &ranks,
                       std::string &error) {
  SchedulePart part;
  part.variants.resize(file.programs()->size());
  part.bytes = expandWith(
      file,
      [&](VariantParts own, const SymmetryGroup &group, uint32_t program) {
        const Program &of = *file.programs()->Get(program);
        VariantPart &left = part.variants[program].emplace_back();
        if (!own.symmetric)
          return own;
        // Of a channel and all its images the same is true.
        const std::vector<bool> partial =
            partialSums(*of.variants()->Get(part.variants[program].size() - 1));
        return Expander(own, group, of.collective())
            .runFor(ranks, partial, left);
      },
      [](const Variant &variant, const SymmetryGroup &group) {
        return uint64_t(variant.trees()->size()) * sizeof(Tree) * group.order();
      },
      error);
  return part;
}

} // namespace blink::sched
