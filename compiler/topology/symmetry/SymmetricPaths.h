//===- SymmetricPaths.h - paths of all ranks by images ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H

#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Cheapest paths from all ranks: those of representatives, and their images.
/// Where several paths cost the same, that of another rank is the image of its
/// representative's. `symmetry` must outlive it.
class SymmetricPaths {
public:
  SymmetricPaths(const Symmetry &symmetry, PathTable ofRepresentatives)
      : symmetry_(symmetry), table_(std::move(ofRepresentatives)) {}

  /// Those of representatives alone.
  const PathTable &table() const { return table_; }
  Path path(int from, int to) const {
    const int element = symmetry_.elementTo(from);
    const Path &path =
        table_.path(symmetry_.representative(from),
                    symmetry_.mapRank(symmetry_.inverse(element), to));
    return element == 0 ? path : symmetry_.mapPath(element, path);
  }
  /// [from * n + to] of all pairs, from `rows`, which has as many values as
  /// table().costs, and for the same pairs.
  std::vector<double> ofAllPairs(const std::vector<double> &rows) const {
    const size_t n = size_t(table_.numRanks);
    std::vector<double> all(n * n);
    for (size_t from = 0; from < n; ++from) {
      const int element = symmetry_.elementTo(int(from));
      const double *row =
          &rows[table_.place(symmetry_.representative(int(from)), 0)];
      for (size_t to = 0; to < n; ++to)
        all[from * n + symmetry_.mapRank(element, int(to))] = row[to];
    }
    return all;
  }

private:
  const Symmetry &symmetry_;
  PathTable table_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H
