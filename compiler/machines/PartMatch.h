//===- PartMatch.h - is a machine of a type, less some links ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_PARTMATCH_H
#define BLINK_COMPILER_MACHINES_PARTMATCH_H

#include "compiler/machines/MachinePart.h"

#include <optional>

namespace blink {

/// Two nodes of a type that have less between them in a machine.
struct ThinPair {
  int a, b;    ///< places in the type's part, a < b
  double left; ///< GB/s in each direction, by the type's rates; 0: nothing
};

struct PartMatch {
  std::vector<int> images; ///< per node of the machine's part: the type's node
  std::vector<ThinPair> thin;
  /// By kind of link: the machine's rates, divided by the type's. Measured and
  /// nominal rates differ, but all links of a kind together.
  std::map<LinkKind, double> scale;

  /// How far the rates are from the type's: 0 if they are the same. Of links
  /// between CPUs apart, since sources differ about those.
  double distance() const;
  double hostDistance() const;
};

/// Maps `machine` onto `type`, one node onto one, such that as few pairs as
/// possible have less than in the type, and none has more. Rates are those of
/// the type within 4 %, less than one link of 18, after scaling. Prefers nodes
/// at the same place. None: more pairs than a quarter would be thin, or than 8,
/// or more than 2 have nothing left; rates of a kind are not 0.74 to 1.05 times
/// the type's (xGMI: from 0.5, as RCCL counts; between CPUs: from 0.1 to 2.5);
/// or the search took too many steps, which is a matter of hostile graphs.
std::optional<PartMatch> matchPart(const MachinePart &type,
                                   const MachinePart &machine);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_PARTMATCH_H
