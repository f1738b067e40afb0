//===- Expander.h - what symmetric variants stand for -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What ExpandSchedule.cpp and ExpandPart.cpp have in common.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_EXPANDER_H
#define BLINK_SCHEDULES_EXPANDER_H

#include "schedules/ExpandSchedule.h"
#include "schedules/SymmetricImages.h"

#include <functional>
#include <tuple>

namespace blink::sched {

/// What is written for a variant of a program, by its number.
using ExpandOne = std::function<VariantParts(
    const Program &program, uint32_t variant, const SymmetryGroup &group)>;

/// The file with what `expand` makes of each variant, about `bytesFor` bytes
/// for a symmetric one. Empty, with a sentence in `error`, if that is more than
/// a file can hold.
std::vector<uint8_t>
expandWith(const Schedule &file, const ExpandOne &expand,
           const std::function<uint64_t(const Variant &, const SymmetryGroup &)>
               &bytesFor,
           std::string &error);

/// Of one symmetric variant.
class Expander {
public:
  Expander(const VariantParts &from, const SymmetryGroup &group,
           Collective collective)
      : from_(from), group_(group), numRanks_(group.numRanks()),
        blocks_(group, collective, numRanks_) {}

  VariantParts run();

protected:
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
  /// What an operand of a representative's step stands for in that of `rank` in
  /// full tree `tree`.
  Operand imageOf(const Operand &operand, const Step &step, uint32_t rank,
                  uint32_t tree) const {
    return {operand.kind() == OperandKind::channel
                ? firstChannel_[tree] + operand.index() - firstOf_[step.tree()]
                : blocks_.ofOperand(group_.elementTo(rank), operand.kind(),
                                    operand.index()),
            operand.kind()};
  }
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

} // namespace blink::sched

#endif // BLINK_SCHEDULES_EXPANDER_H
