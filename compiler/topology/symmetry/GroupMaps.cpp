//===- GroupMaps.cpp - index maps of an abelian group ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/GroupMaps.h"

#include "compiler/support/Numbers.h"

#include <cmath>

using namespace blink;

/// Up to this many powers of a generator have a map each, so that map() needs
/// one lookup instead of two.
constexpr int kMostInOneDigit = 64;

IndexMap blink::compose(const IndexMap &second, const IndexMap &first) {
  IndexMap map(first.size());
  for (size_t at = 0; at < first.size(); ++at)
    map[at] = second[first[at]];
  return map;
}

/// Appends a table of the powers 1 to values - 1 of `power`.
void GroupMaps::addDigit(IndexMap power, int values) {
  Table &table = tables_.emplace_back();
  table.reserve(size_t(values - 1) * size_);
  IndexMap last = firstNumbers(size_);
  for (int value = 1; value < values; ++value) {
    last = compose(power, last);
    table.insert(table.end(), last.begin(), last.end());
  }
}

void GroupMaps::extend(const IndexMap &generator, int steps) {
  const int base = steps <= kMostInOneDigit
                       ? steps
                       : static_cast<int>(std::ceil(std::sqrt(steps)));
  const size_t before = tables_.size();
  addDigit(generator, base);
  if (base < steps) {
    IndexMap high = firstNumbers(size_);
    for (int power = 0; power < base; ++power)
      high = compose(generator, high);
    addDigit(std::move(high), (steps + base - 1) / base);
  }
  std::vector<uint16_t> digits;
  digits.reserve(size_t(order_) * steps * tables_.size());
  for (int power = 0; power < steps; ++power)
    for (int element = 0; element < order_; ++element) {
      const auto own = digits_.begin() + long(element) * long(before);
      digits.insert(digits.end(), own, own + long(before));
      digits.push_back(uint16_t(power % base));
      if (base < steps)
        digits.push_back(uint16_t(power / base));
    }
  digits_ = std::move(digits);
  order_ *= steps;
}

IndexMap GroupMaps::asMap(int element) const {
  IndexMap result(size_);
  for (size_t at = 0; at < size_; ++at)
    result[at] = map(element, static_cast<int>(at));
  return result;
}
