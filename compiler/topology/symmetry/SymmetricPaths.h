//===- SymmetricPaths.h - paths of all ranks by symmetry --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H

#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Cheapest paths from all ranks: those from representatives, and their images.
/// If several paths cost the same, the path of another rank is the image of its
/// representative's path. `symmetry` must outlive this object.
class SymmetricPaths {
public:
  SymmetricPaths(const Symmetry &symmetry, PathTable ofRepresentatives)
      : symmetry_(symmetry), table_(std::move(ofRepresentatives)) {}

  const Symmetry &symmetry() const { return symmetry_; }
  /// Returns the paths from representatives only.
  const PathTable &table() const { return table_; }
  Path path(int from, int to) const {
    const int element = symmetry_.elementTo(from);
    const Path &path =
        table_.path(symmetry_.representative(from),
                    symmetry_.mapRank(symmetry_.inverse(element), to));
    return element == 0 ? path : symmetry_.mapPath(element, path);
  }

private:
  const Symmetry &symmetry_;
  PathTable table_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRICPATHS_H
