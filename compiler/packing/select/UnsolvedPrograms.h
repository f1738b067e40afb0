//===- UnsolvedPrograms.h - what need not be asked again --------*- C++ -*-===//
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

/// Integer programs (IntegerProgram.h) for which no solution was found, of all
/// selections of one problem. Most of the time goes into such, and a higher
/// rate only takes rooms from them.
class UnsolvedPrograms {
public:
  /// `columns` of `pool`, each with what uniformTrees sees of it.
  using Columns = std::vector<int>;
  static Columns columnsOf(const ColumnPool &pool,
                           const std::vector<int> &columns);

  /// Whether so many `copies` of `columns` were not found in as much room for
  /// trees (UniformBound.h) or more.
  bool include(const Columns &columns, int copies,
               const std::vector<double> &room) const;
  void add(const Columns &columns, int copies, std::vector<double> room);

private:
  std::map<std::pair<int, Columns>, std::vector<std::vector<double>>> rooms_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_UNSOLVEDPROGRAMS_H
