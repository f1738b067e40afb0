//===- GroupMaps.h - index maps of an abelian group -------------*- C++ -*-===//
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

/// The image of each node, rank or link.
using IndexMap = std::vector<int>;

/// Returns the map that applies `first` and then `second`.
IndexMap compose(const IndexMap &second, const IndexMap &first);

/// The maps of the elements of an abelian group of permutations of the numbers
/// below `size`. Element 0 is the identity. If the group has `order` elements,
/// extending it by a generator makes element p * order + e the composition of
/// element e and the generator's power p.
///
/// A map per element would take memory that grows with the square of the size
/// if all ranks of a machine are alike. The exponent of a generator is
/// therefore written with two digits, and only each value of a digit has a map.
class GroupMaps {
public:
  explicit GroupMaps(size_t size) : size_(size) {}

  /// Extends the group by the powers 0 to steps - 1 of `generator`.
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
  /// The maps of the digit values 1, 2, ..., concatenated.
  using Table = std::vector<int>;

  void addDigit(IndexMap power, int values);

  size_t size_;
  int order_ = 1;
  std::vector<Table> tables_;
  std::vector<uint16_t> digits_; ///< Per element, one digit for each table.
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_GROUPMAPS_H
