//===- ExpandSchedule.cpp - symmetric schedules in full -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/ExpandSchedule.h"

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
      : from_(from), group_(group),
        blocks_(group, collective,
                group.order() * uint32_t(group.representatives().size())) {}

  VariantParts run();

private:
  /// A tree of the full variant: that of `from_` under an element.
  struct Image {
    uint32_t block, root, tree, element;
    auto words() const { return std::tie(block, root, tree); }
  };

  void expandTrees();
  void expandChannels();
  void expandRank(uint32_t rank);
  void expandSwitches();
  uint32_t elementOf(const RankParts &rank, const Step &step) const;
  uint32_t numberOf(uint32_t tree, uint32_t element) const {
    return numbers_[size_t(tree) * group_.order() + element];
  }

  const VariantParts &from_;
  const SymmetryGroup &group_;
  BlockImages<SymmetryGroup> blocks_;
  VariantParts full_;
  std::vector<Image> images_;          ///< of each full tree
  std::vector<uint32_t> numbers_;      ///< of trees, by tree and element
  std::vector<uint32_t> firstOf_;      ///< channel of each tree of from_
  std::vector<uint32_t> firstChannel_; ///< of each full tree
};

void Expander::expandTrees() {
  for (uint32_t tree = 0; tree < from_.trees.size(); ++tree)
    for (uint32_t element = 0; element < group_.order(); ++element)
      images_.push_back({blocks_.ofTree(element, from_.trees[tree].block()),
                         group_.mapRank(element, from_.trees[tree].root()),
                         tree, element});
  std::sort(images_.begin(), images_.end(), [](const Image &a, const Image &b) {
    return a.words() < b.words();
  });
  numbers_.resize(images_.size());
  for (const Image &image : images_) {
    numbers_[size_t(image.tree) * group_.order() + image.element] =
        uint32_t(full_.trees.size());
    const Tree &tree = from_.trees[image.tree];
    full_.trees.emplace_back(tree.numerator(), tree.denominator(), image.block,
                             uint16_t(image.root), tree.depth());
  }
}

void Expander::expandChannels() {
  firstOf_.assign(from_.trees.size() + 1, 0);
  for (const Channel &channel : from_.channels)
    ++firstOf_[channel.tree() + 1];
  for (size_t tree = 0; tree < from_.trees.size(); ++tree)
    firstOf_[tree + 1] += firstOf_[tree];
  PathTable paths;
  std::vector<uint32_t> path;
  for (const Image &image : images_) {
    firstChannel_.push_back(uint32_t(full_.channels.size()));
    for (uint32_t c = firstOf_[image.tree]; c < firstOf_[image.tree + 1]; ++c) {
      const Channel &channel = from_.channels[c];
      path.clear();
      for (uint32_t i = 0; i < channel.path_count(); ++i)
        path.push_back(group_.mapLink(image.element,
                                      from_.paths[channel.path_begin() + i]));
      full_.channels.emplace_back(
          uint32_t(firstChannel_.size()) - 1, paths.add(path),
          channel.path_count(),
          uint16_t(group_.mapRank(image.element, channel.source())),
          uint16_t(group_.mapRank(image.element, channel.destination())),
          channel.slots(), channel.window(), channel.kind());
    }
  }
  full_.paths = std::move(paths.paths);
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

void Expander::expandRank(uint32_t rank) {
  const RankParts &own = from_.ranks[group_.orbitOf(rank)];
  const uint32_t toRank = group_.elementTo(rank);
  RankParts &full = full_.ranks.emplace_back();
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
  full_.minBytes = from_.minBytes;
  full_.maxBytes = from_.maxBytes;
  full_.protocol = from_.protocol;
  full_.chunkBytes = from_.chunkBytes;
  full_.times = from_.times;
  expandTrees();
  expandChannels();
  const auto numRanks =
      uint32_t(group_.order() * group_.representatives().size());
  for (uint32_t rank = 0; rank < numRanks; ++rank)
    expandRank(rank);
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

std::vector<uint8_t> expandSchedule(const Schedule &file, std::string &error) {
  constexpr uint64_t kMostBytes = uint64_t(1) << 30;
  try {
    std::vector<ProgramParts> programs;
    uint64_t bytes = 0;
    for (const Program *program : *file.programs()) {
      SymmetryGroup group;
      error = SymmetryGroup::create(*file.topology(), *program->allocation(),
                                    renamingsOf(*program), group);
      if (!error.empty())
        return {};
      ProgramParts &parts = programs.emplace_back();
      for (const Variant *variant : *program->variants()) {
        const bool symmetric = variant->symmetric();
        bytes += bytesOf(*variant) * (symmetric ? group.order() : 1);
        if (bytes > kMostBytes) {
          error = "in full the schedule takes more than 1 GiB";
          return {};
        }
        VariantParts own = VariantParts::of(*variant);
        parts.variants.push_back(
            symmetric ? expandVariant(own, group, program->collective())
                      : std::move(own));
      }
    }
    return copySchedule(file, programs);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error = "out of memory";
    return {};
  }
}

} // namespace blink::sched
