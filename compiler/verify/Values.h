//===- Values.h - what a fold computes, as an expression --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_VALUES_H
#define BLINK_COMPILER_VERIFY_VALUES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace blink::verify {

/// Hash-consed expressions over the contributions of the ranks to one tree:
/// the same expression always has the same number.
///
/// Values 0 .. numRanks - 1 are the contributions. Every other value is a fold
/// of smaller-numbered ones: a reduction in the listed order, or the completion
/// (the division of `avg`) of one.
class Values {
public:
  explicit Values(uint32_t numRanks) : numRanks_(numRanks) {}

  /// Removes all values except the contributions.
  void clear();

  /// Returns the value of a fold. A single operand that is not completed is
  /// only copied.
  uint32_t fold(const std::vector<uint32_t> &operands, bool completes);

  /// Whether a `completes` fold is among the folds that made it.
  bool isCompleted(uint32_t value) const {
    return value >= numRanks_ && nodes_[value - numRanks_].completed;
  }

  /// Returns how often each rank's contribution is in `value`: 0, 1, or 2 for
  /// "more than once". Linear in the values made so far.
  std::vector<uint8_t> contributions(uint32_t value) const;

  /// Returns how `value`, in which no contribution occurs more than once, is
  /// added up: terms and `kPlus` in reverse Polish notation, where a fold adds
  /// one operand after the other. With `folds`, the operands of each fold that
  /// adds end with `kFold`. The completion leaves no trace. Equal orders give
  /// equal results, also across a clear().
  static constexpr uint32_t kPlus = UINT32_MAX, kFold = UINT32_MAX - 1;
  std::vector<uint32_t> order(uint32_t value, bool folds) const;

  /// Returns, for example, "((1 + 2) + 0)"; long expressions end in "...".
  std::string describe(uint32_t value) const;

private:
  /// Whether the fold completes, followed by its operands.
  using Key = std::vector<uint32_t>;
  struct Node {
    const Key *key; ///< in numbers_, whose nodes do not move
    bool completed;
  };
  void describe(uint32_t value, std::string &text) const;

  uint32_t numRanks_;
  std::map<Key, uint32_t> numbers_;
  std::vector<Node> nodes_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_VALUES_H
