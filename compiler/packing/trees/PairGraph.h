//===- PairGraph.h - the pairs of ranks that have paths ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_PAIRGRAPH_H
#define BLINK_COMPILER_PACKING_TREES_PAIRGRAPH_H

#include "compiler/packing/trees/CostGraph.h"
#include "compiler/topology/symmetry/SymmetricPaths.h"

namespace blink {

/// The graph over all ranks that joins the pairs that have a path. It does not
/// depend on link prices. Each pair is the image of a pair whose first rank is
/// a representative.
class PairGraph {
public:
  explicit PairGraph(const SymmetricPaths &paths);

  /// Returns the graph with costs from `rows`, which has one value for each
  /// pair in the table of the paths, in the same order. Values are finite for
  /// pairs that have a path.
  CostGraph withCosts(const std::vector<double> &rows) const;

private:
  struct Pair {
    int to;
    uint32_t place; ///< in the table, of the pair whose image this is
  };
  std::vector<size_t> begins_{0}; // first pair of each rank, and the end of all
  std::vector<Pair> pairs_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_PAIRGRAPH_H
