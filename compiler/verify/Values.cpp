//===- Values.cpp - what a fold computes, as an expression ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Values.h"

#include <algorithm>

namespace blink::verify {

void Values::clear() {
  numbers_.clear();
  nodes_.clear();
}

uint32_t Values::fold(const std::vector<uint32_t> &operands, bool completes) {
  if (operands.size() == 1 && !completes)
    return operands.front();
  Key key;
  key.reserve(operands.size() + 1);
  key.push_back(completes);
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [entry, isNew] = numbers_.try_emplace(
      std::move(key), numRanks_ + static_cast<uint32_t>(nodes_.size()));
  if (isNew) {
    bool completed = completes;
    for (uint32_t operand : operands)
      completed |= isCompleted(operand);
    nodes_.push_back({&entry->first, completed});
  }
  return entry->second;
}

std::vector<uint8_t> Values::contributions(uint32_t value) const {
  // Operands have smaller numbers than the value. So going down, all uses of a
  // value are counted before its count is passed on to its operands. Counts
  // stop at 2, since they might otherwise double with each level.
  std::vector<uint8_t> uses(numRanks_ + nodes_.size(), 0);
  uses[value] = 1;
  for (uint32_t at = value; at >= numRanks_; --at) {
    if (uses[at] == 0)
      continue;
    const Key &key = *nodes_[at - numRanks_].key;
    for (size_t i = 1; i < key.size(); ++i)
      uses[key[i]] =
          static_cast<uint8_t>(std::min<unsigned>(2, uses[key[i]] + uses[at]));
  }
  uses.resize(numRanks_);
  return uses;
}

std::vector<uint32_t> Values::order(uint32_t value, bool folds) const {
  std::vector<uint32_t> reversed, work{value};
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    if (at == kPlus || at == kFold || at < numRanks_) {
      reversed.push_back(at);
      continue;
    }
    const Key &key = *nodes_[at - numRanks_].key;
    // For a, b and c the result is: a b + c + kFold. The stack yields it from
    // its end, so it is pushed in its final order.
    for (size_t i = 1; i < key.size(); ++i) {
      work.push_back(key[i]);
      if (i > 1)
        work.push_back(kPlus);
    }
    if (folds && key.size() > 2)
      work.push_back(kFold);
  }
  return {reversed.rbegin(), reversed.rend()};
}

void Values::describe(uint32_t value, std::string &text) const {
  constexpr size_t longest = 60;
  if (text.size() > longest)
    return;
  if (value < numRanks_) {
    text += std::to_string(value);
    return;
  }
  const Key &key = *nodes_[value - numRanks_].key;
  text += "(";
  for (size_t i = 1; i < key.size() && text.size() <= longest; ++i) {
    if (i > 1)
      text += " + ";
    describe(key[i], text);
  }
  text += text.size() > longest ? "..." : ")";
}

std::string Values::describe(uint32_t value) const {
  std::string text;
  describe(value, text);
  const size_t dots = text.find("...");
  return dots == std::string::npos ? text : text.substr(0, dots + 3);
}

} // namespace blink::verify
