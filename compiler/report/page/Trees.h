//===- Trees.h - the trees of a schedule, to be drawn -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_TREES_H
#define BLINK_COMPILER_REPORT_PAGE_TREES_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// One channel of a tree.
struct PageHop {
  int from = 0; ///< rank; relays have the numbers after the ranks
  int to = 0;
  bool up = false;            ///< carries contributions, not a result
  std::vector<uint32_t> path; ///< links
  bool operator==(const PageHop &other) const {
    return from == other.from && to == other.to && up == other.up &&
           path == other.path;
  }
};

struct PageTree {
  int root = 0; ///< rank
  int block = 0;
  int depth = 0;
  double share = 0; ///< of the whole buffer, over all `copies`
  /// Numbers of the program's trees that differ in their lanes only.
  std::vector<int> copies;
  std::vector<PageHop> hops;
};

struct PageForest {
  std::vector<PageTree> trees; ///< heaviest first
  size_t omitted = 0;          ///< lighter ones, beyond what a page can hold
};

/// Returns a hop for each channel of `program`.
std::vector<PageHop> pageHops(const FoldProgram &program);

/// Returns the trees of `program`, with equal ones merged.
PageForest forestOf(const FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_TREES_H
