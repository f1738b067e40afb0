//===- SplitSwitches.h - switches that give on what they get ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H
#define BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H

#include "compiler/packing/Packing.h"

#include <optional>

namespace blink {

/// Of a broadcast or reduce, the machine with the same links by number on which
/// the graph says what can be driven. GPUs below one PCIe switch that reach
/// each other's memory over links of their own do not send through it, so the
/// switch becomes two, one on their way out and one on their way in; and where
/// such a switch could give on more than it gets, as seen from the root, the
/// links that it gives on over are cut down, in proportion. Trees of this
/// machine are trees of the problem's.
struct SplitMachine {
  /// Links that are cut down to what `source` carries together.
  struct Shared {
    std::vector<int> links, source;
  };

  RankTopology machine;
  std::vector<Shared> shared;

  /// `problem`, on this machine.
  PackingProblem problem(const PackingProblem &problem) const;
};

/// Nothing where no switch is like that.
std::optional<SplitMachine> splitSwitches(const PackingProblem &problem);

/// A certificate of `problem` that knows of shared links: where the least cut
/// of the split machine crosses some, the mean of the cuts around each rank
/// that they lead to, with the price of such links on their source. Any prices
/// prove a bound; this one is priced.
PackingCertificate sharedCut(const PackingProblem &problem,
                             const SplitMachine &split);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H
