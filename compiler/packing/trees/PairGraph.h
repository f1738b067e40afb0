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

/// The graph of all ranks in which those pairs are joined that have a path,
/// which does not depend on what links cost. Each is the image of a pair from a
/// representative.
class PairGraph {
public:
  explicit PairGraph(const SymmetricPaths &paths);

  /// With costs from `rows`, which has as many values as the table of the paths
  /// has pairs, and for the same ones; all finite where there is a path.
  CostGraph withCosts(const std::vector<double> &rows) const;

private:
  struct Pair {
    int to;
    uint32_t place; ///< in the table, of the pair of which it is the image
  };
  std::vector<size_t> begins_{0}; // of each rank's pairs, and the end of all
  std::vector<Pair> pairs_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_PAIRGRAPH_H
