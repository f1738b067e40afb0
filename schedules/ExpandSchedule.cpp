//===- ExpandSchedule.cpp - symmetric schedules in full -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Expander.h"

#include "schedules/ScheduleCopy.h"

#include <algorithm>
#include <exception>

namespace blink::sched {

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

/// Adds the image of a channel of `from_` in full tree `tree`.
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

/// Returns the element for which the representative's step is a step of the
/// tree's image.
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
    for (uint32_t i = step.operands_begin(); i < end; ++i)
      full.operands[i] = imageOf(own.operands[i], step, rank, tree);
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

VariantParts expandVariant(const VariantParts &variant,
                           const SymmetryGroup &group, Collective collective) {
  return Expander(variant, group, collective).run();
}

std::vector<uint8_t> expandWith(const Schedule &file, const ExpandOne &expand,
                                std::string &error) {
  SizeBudget budget(uint64_t(1) << 30);
  try {
    std::vector<ProgramParts> programs;
    for (uint32_t number = 0; number < file.programs()->size(); ++number) {
      const Program *program = file.programs()->Get(number);
      SymmetryGroup group;
      error = SymmetryGroup::create(*file.topology(), *program->allocation(),
                                    renamingsOf(*program), group);
      if (!error.empty())
        return {};
      ProgramParts &parts = programs.emplace_back();
      for (uint32_t v = 0; v < program->variants()->size(); ++v) {
        parts.variants.push_back(expand(*program, v, group, budget));
        if (budget.isSpent()) {
          error = "in full the schedule takes more than 1 GiB";
          return {};
        }
      }
    }
    return copySchedule(file, programs);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error = "out of memory";
    return {};
  }
}

std::vector<uint8_t> expandSchedule(const Schedule &file, std::string &error) {
  return expandWith(
      file,
      [](const Program &program, uint32_t number, const SymmetryGroup &group,
         SizeBudget &budget) {
        const Variant &variant = *program.variants()->Get(number);
        const uint64_t images = variant.symmetric() ? group.order() : 1;
        if (!budget.pay(bytesOf(variant) * images))
          return VariantParts();
        VariantParts own = VariantParts::of(variant);
        return own.symmetric ? expandVariant(own, group, program.collective())
                             : own;
      },
      error);
}

} // namespace blink::sched
