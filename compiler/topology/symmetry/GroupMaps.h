//===- GroupMaps.h - what a group's elements make of numbers ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_GROUPMAPS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_GROUPMAPS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink {

/// Where each node, rank or link goes.
using IndexMap = std::vector<int>;

/// `second` after `first`.
IndexMap compose(const IndexMap &second, const IndexMap &first);

/// The maps of the elements of an abelian group of renamings of 0 to size - 1.
/// Element 0 is the identity; of `order` elements, element p * order + e is
/// power p of the next generator after e.
///
/// A map of each element would take memory with the square of a machine whose
/// ranks are all alike. So the number of a power is written in two digits, and
/// there is a map for each value of a digit.
class GroupMaps {
public:
  explicit GroupMaps(size_t size) : size_(size) {}

  /// Multiplies what there is by the powers 0 to steps - 1 of `generator`.
  void extend(const IndexMap &generator, int steps);

  int order() const { return order_; }
  int map(int element, int what) const {
    const uint16_t *digit = digits_.data() + size_t(element) * tables_.size();
    for (const Table &table : tables_) {
      if (*digit > 0)
        what = table[(*digit - 1) * size_ + size_t(what)];
      ++digit;
    }
    return what;
  }
  IndexMap asMap(int element) const;

private:
  using Table = std::vector<int>; ///< of the digits from 1 on, map by map

  void addDigit(IndexMap power, int values);

  size_t size_;
  int order_ = 1;
  std::vector<Table> tables_;
  std::vector<uint16_t> digits_; ///< of each element, one a table
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_GROUPMAPS_H
