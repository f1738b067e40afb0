//===- SymmetricForm.cpp - full schedules in symmetric form ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Assumes that everything is the image of what the representatives do, then
// expands the result and compares every byte.
//
//===----------------------------------------------------------------------===//

#include "schedules/SymmetricForm.h"

#include "schedules/CheckRules.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/SymmetricImages.h"
#include "schedules/Text.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>

namespace blink::sched {
namespace {

class Former {
public:
  Former(const VariantParts &full, const SymmetryGroup &group,
         Collective collective, std::string &why)
      : full_(full), group_(group),
        blocks_(group, collective, uint32_t(full.ranks.size())), why_(why) {}

  std::optional<VariantParts> run();

private:
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool formTrees();
  bool formChannels();
  bool formRank(const RankParts &rank);
  void formSwitches();

  const VariantParts &full_;
  const SymmetryGroup &group_;
  BlockImages<SymmetryGroup> blocks_;
  std::string &why_;
  VariantParts form_;
  std::vector<uint32_t> numbers_; ///< in form_, per full tree
  /// First channel of each tree in full_ and in form_, and the number of
  /// channels.
  std::vector<uint32_t> firstFull_, first_;
};

bool Former::formTrees() {
  // The k-th tree with some block and root must be an image of the k-th tree
  // with the representative's block and root.
  using Place = std::tuple<uint32_t, uint32_t, uint32_t>; // block, root, k
  std::map<Place, uint32_t> places;
  std::vector<Place> placesOf;
  for (size_t t = 0; t < full_.trees.size(); ++t) {
    const Tree &tree = full_.trees[t];
    uint32_t k = 0;
    if (t > 0) {
      const auto &[block, root, before] = placesOf.back();
      if (std::tie(block, root) >
          std::make_tuple(tree.block(), uint32_t(tree.root())))
        return fail(at("trees", t) + ": not sorted by block and root");
      if (block == tree.block() && root == tree.root())
        k = before + 1;
    }
    placesOf.emplace_back(tree.block(), tree.root(), k);
    if (group_.elementTo(tree.root()) == 0) {
      places[placesOf.back()] = uint32_t(form_.trees.size());
      form_.trees.push_back(tree);
    }
  }
  for (const auto &[block, root, k] : placesOf) {
    const uint32_t back = elementFrom(group_, root);
    const auto found = places.find(
        {blocks_.ofTree(back, block), group_.mapRank(back, root), k});
    if (found == places.end())
      return fail(textOf(at("trees", numbers_.size()), ": rank ",
                         group_.mapRank(back, root), " has no such tree"));
    numbers_.push_back(found->second);
  }
  return true;
}

bool Former::formChannels() {
  firstFull_.assign(full_.trees.size() + 1, 0);
  first_.assign(form_.trees.size() + 1, 0);
  PathTable paths;
  for (size_t c = 0; c < full_.channels.size(); ++c) {
    const Channel &channel = full_.channels[c];
    if (c > 0 && channel.tree() < full_.channels[c - 1].tree())
      return fail(at("channels", c) + ": not sorted by tree");
    ++firstFull_[channel.tree() + 1];
    if (group_.elementTo(full_.trees[channel.tree()].root()) != 0)
      continue;
    const uint32_t tree = numbers_[channel.tree()];
    ++first_[tree + 1];
    const auto path = full_.paths.begin() + channel.path_begin();
    form_.channels.emplace_back(
        tree,
        paths.add(std::vector<uint32_t>(path, path + channel.path_count())),
        channel.path_count(), channel.source(), channel.destination(),
        channel.slots(), channel.window(), channel.kind());
  }
  form_.paths = std::move(paths.paths);
  for (std::vector<uint32_t> *first : {&firstFull_, &first_})
    for (size_t tree = 1; tree < first->size(); ++tree)
      (*first)[tree] += (*first)[tree - 1];
  return true;
}

bool Former::formRank(const RankParts &full) {
  RankParts &rank = form_.ranks.emplace_back();
  rank.lanes = full.lanes;
  rank.operands = full.operands;
  for (const Step &step : full.steps) {
    const uint32_t tree = numbers_[step.tree()];
    rank.steps.emplace_back(tree, step.operands_begin(), step.sources(),
                            step.destinations(), step.completes(),
                            step.delay());
    const uint32_t end =
        step.operands_begin() + step.sources() + step.destinations();
    for (uint32_t i = step.operands_begin(); i < end; ++i) {
      Operand &operand = rank.operands[i];
      if (operand.kind() != OperandKind::channel)
        continue;
      const uint32_t place = operand.index() - firstFull_[step.tree()];
      if (place >= first_[tree + 1] - first_[tree])
        return fail(at("channels", operand.index()) +
                    ": its tree's image has fewer channels");
      operand = Operand(first_[tree] + place, OperandKind::channel);
    }
  }
  return true;
}

void Former::formSwitches() {
  for (const SwitchUse &use : full_.switches)
    if (group_.elementTo(full_.trees[use.tree()].root()) == 0)
      form_.switches.emplace_back(numbers_[use.tree()], use.to_switch(),
                                  use.from_switch(), use.reduces(),
                                  use.multicasts());
}

std::string sizesDiffer(const char *name, size_t full, size_t images) {
  return textOf(name, ": ", full, ", but ", images, " images");
}

/// Returns where two vectors of structs, whose padding is zero, differ first;
/// "" if they are equal.
template <typename T>
std::string differenceOf(const char *name, const std::vector<T> &full,
                         const std::vector<T> &expanded) {
  for (size_t i = 0; i < full.size() && i < expanded.size(); ++i)
    if (std::memcmp(&full[i], &expanded[i], sizeof(T)) != 0)
      return at(name, i) + ": is not an image of its representative's";
  return full.size() == expanded.size()
             ? ""
             : sizesDiffer(name, full.size(), expanded.size());
}

std::string differenceOf(const VariantParts &full,
                         const VariantParts &expanded) {
  std::string difference = differenceOf("trees", full.trees, expanded.trees);
  if (difference.empty())
    difference = differenceOf("channels", full.channels, expanded.channels);
  if (difference.empty())
    difference = differenceOf("paths", full.paths, expanded.paths);
  if (difference.empty())
    difference = differenceOf("switches", full.switches, expanded.switches);
  for (size_t r = 0; r < full.ranks.size() && difference.empty(); ++r) {
    const RankParts &own = full.ranks[r], &image = expanded.ranks[r];
    difference = differenceOf("lanes", own.lanes, image.lanes);
    if (difference.empty())
      difference = differenceOf("steps", own.steps, image.steps);
    if (difference.empty())
      difference = differenceOf("operands", own.operands, image.operands);
    if (!difference.empty())
      difference = at("ranks", r) + "." + difference;
  }
  return difference;
}

std::optional<VariantParts> Former::run() {
  form_.minBytes = full_.minBytes;
  form_.maxBytes = full_.maxBytes;
  form_.protocol = full_.protocol;
  form_.chunks = full_.chunks;
  form_.times = full_.times;
  form_.symmetric = true;
  if (!formTrees() || !formChannels())
    return std::nullopt;
  for (uint32_t rank : group_.representatives())
    if (!formRank(full_.ranks[rank]))
      return std::nullopt;
  formSwitches();
  return std::move(form_);
}

} // namespace

std::optional<VariantParts> symmetricForm(const VariantParts &full,
                                          const SymmetryGroup &group,
                                          Collective collective,
                                          std::string &why) {
  std::optional<VariantParts> form = Former(full, group, collective, why).run();
  if (!form)
    return form;
  // Check this first, so that too large a result is not expanded.
  const size_t images = form->trees.size() * group.order();
  if (images != full.trees.size()) {
    why = sizesDiffer("trees", full.trees.size(), images);
    return std::nullopt;
  }
  why = differenceOf(full, expandVariant(*form, group, collective));
  if (!why.empty())
    form.reset();
  return form;
}

std::optional<SymmetricFile>
symmetricFile(const Schedule &file,
              const std::vector<std::vector<Renaming>> &symmetries,
              std::string &error) {
  SymmetricFile result;
  std::vector<ProgramParts> programs;
  for (uint32_t p = 0; p < file.programs()->size(); ++p) {
    const Program &program = *file.programs()->Get(p);
    SymmetryGroup group;
    error = SymmetryGroup::create(*file.topology(), *program.allocation(),
                                  symmetries[p], group);
    if (!error.empty()) {
      error = at("programs", p) + "." + error;
      return std::nullopt;
    }
    ProgramParts &parts = programs.emplace_back();
    std::vector<std::string> &inFull = result.inFull.emplace_back();
    for (const Variant *variant : *program.variants()) {
      const std::string place = at("variants", parts.variants.size());
      parts.variants.push_back(VariantParts::of(*variant));
      if (variant->symmetric()) {
        if (renamingsOf(program) != symmetries[p]) {
          error = at("programs", p) + "." + place + ": in another symmetry";
          return std::nullopt;
        }
        parts.symmetry = symmetries[p];
        continue;
      }
      std::string why;
      std::optional<VariantParts> form;
      if (group.order() == 1 || (program.relays() && program.relays()->size()))
        why = "no symmetry";
      else
        form = symmetricForm(parts.variants.back(), group, program.collective(),
                             why);
      if (!form) {
        inFull.push_back(place + ": " + why);
        continue;
      }
      parts.variants.back() = std::move(*form);
      parts.symmetry = symmetries[p];
    }
  }
  result.bytes = copySchedule(file, programs);
  return result;
}

} // namespace blink::sched
