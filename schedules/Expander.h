//===- Expander.h - the expansion of symmetric variants ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The code that ExpandSchedule.cpp and ExpandPart.cpp share.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_EXPANDER_H
#define BLINK_SCHEDULES_EXPANDER_H

#include "schedules/ExpandSchedule.h"
#include "schedules/SymmetricImages.h"

#include <functional>
#include <tuple>

namespace blink::sched {

/// The bytes that a result may still take.
class SizeBudget {
public:
  explicit SizeBudget(uint64_t bytes) : left_(bytes) {}

  /// Subtracts `bytes`; returns false if they are more than is left, now or
  /// before.
  bool pay(uint64_t bytes) {
    isSpent_ |= bytes > left_;
    left_ -= isSpent_ ? 0 : bytes;
    return !isSpent_;
  }
  bool isSpent() const { return isSpent_; }

private:
  uint64_t left_;
  bool isSpent_ = false;
};

/// Makes the content to write for the variant number `variant` of a program. It
/// pays for what it is about to make, and makes nothing if it cannot.
using ExpandOne =
    std::function<VariantParts(const Program &program, uint32_t variant,
                               const SymmetryGroup &group, SizeBudget &budget)>;

/// Returns the file with each variant replaced by the result of `expand`.
/// Returns an empty vector, with a sentence in `error`, if that is more than a
/// file can hold.
std::vector<uint8_t> expandWith(const Schedule &file, const ExpandOne &expand,
                                std::string &error);

/// Returns the bytes of those parts of a variant that exist once per element in
/// full. Channels share paths, but each path is counted here.
uint64_t bytesOf(const Variant &variant);

/// Expands one symmetric variant.
class Expander {
public:
  Expander(const VariantParts &from, const SymmetryGroup &group,
           Collective collective)
      : from_(from), group_(group), numRanks_(group.numRanks()),
        blocks_(group, collective, numRanks_) {}

  VariantParts run();

protected:
  /// A tree of the full variant: the image of a tree of `from_` under an
  /// element.
  struct Image {
    uint32_t block, root, tree, element;
    auto words() const { return std::tie(block, root, tree); }
  };

  void expandTrees();
  void expandChannel(uint32_t tree, uint32_t channel);
  void expandChannels();
  void expandRank(uint32_t rank, RankParts &full) const;
  void expandSwitches();
  /// Returns the image of an operand of a representative's step in the
  /// corresponding step of `rank` in full tree `tree`.
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
  std::vector<Image> images_;     ///< per full tree
  std::vector<uint32_t> numbers_; ///< full trees, by tree and element
  std::vector<uint32_t> firstOf_; ///< first channel of each tree of from_
  /// First channel of each full tree, and the number of channels.
  std::vector<uint32_t> firstChannel_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_EXPANDER_H
