//===- UnsolvedPrograms.h - programs without solution -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_UNSOLVEDPROGRAMS_H
#define BLINK_COMPILER_PACKING_SELECT_UNSOLVEDPROGRAMS_H

#include "compiler/packing/lp/ColumnPool.h"

#include <map>
#include <vector>

namespace blink {

/// Integer programs (IntegerProgram.h) for which no solution was found, over
/// all selections of one problem. Most of the time is spent on such programs,
/// and a higher rate only reduces the room of links, so that they need not be
/// tried again.
class UnsolvedPrograms {
public:
  /// Identifies `columns` of `pool` by what uniformTrees sees of each.
  using Columns = std::vector<int>;
  static Columns columnsOf(const ColumnPool &pool,
                           const std::vector<int> &columns);

  /// Returns true if `copies` trees of `columns` were not found although links
  /// had the same room (UniformBound.h) or more.
  bool include(const Columns &columns, int copies,
               const std::vector<double> &room) const;
  void add(const Columns &columns, int copies, std::vector<double> room);

private:
  std::map<std::pair<int, Columns>, std::vector<std::vector<double>>> rooms_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_UNSOLVEDPROGRAMS_H
