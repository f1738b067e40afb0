//===- PartMatch.h - matching a machine to a type ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_PARTMATCH_H
#define BLINK_COMPILER_MACHINES_PARTMATCH_H

#include "compiler/machines/MachinePart.h"

#include <optional>

namespace blink {

/// Two nodes of a type between which a machine has less bandwidth.
struct ThinPair {
  int a, b;    ///< Places in the type's part, a < b.
  double left; ///< GB/s per direction at the type's rates; 0: none.
};

struct PartMatch {
  std::vector<int> images; ///< The type's node of each node of the machine.
  std::vector<ThinPair> thin;
  /// For each kind of link, the machine's rate over the type's. Measured and
  /// nominal rates differ, but by the same factor for all links of a kind.
  std::map<LinkKind, double> scale;

  /// Returns how far the rates are from the type's; 0 if they are equal. Links
  /// between CPUs are counted in hostDistance() only, since sources differ
  /// about their rates.
  double distance() const;
  double hostDistance() const;
};

/// Maps `machine` onto `type`, node by node, such that as few pairs as possible
/// have less bandwidth than in the type, and none has more. Rates count as
/// equal if, after scaling, they differ by at most 4 %, which is less than one
/// link of 18. The search prefers nodes at the same place. Returns std::nullopt
/// if more than 8 pairs, or more than a quarter of them, would be thin, or if
/// more than 2 have nothing left; if the rates of a kind are not 0.74 to 1.05
/// times the type's (xGMI: from 0.5, since RCCL counts so; between CPUs: 0.1 to
/// 2.5); or if the search takes too many steps, which only hostile graphs
/// cause.
std::optional<PartMatch> matchPart(const MachinePart &type,
                                   const MachinePart &machine);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_PARTMATCH_H
