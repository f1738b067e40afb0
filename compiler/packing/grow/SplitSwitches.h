//===- SplitSwitches.h - switches modelled as two halves --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H
#define BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H

#include "compiler/packing/Packing.h"

#include <optional>

namespace blink {

/// A machine with the same links by number, for a broadcast or reduce, whose
/// graph contains just the paths that can be driven. GPUs below one PCIe switch
/// that reach each other's memory over links of their own do not send to each
/// other through the switch. The switch therefore becomes two, one for data on
/// its way out and one for data on its way in. If such a switch could send on
/// more than it receives, as seen from the root, the links it sends on over are
/// reduced in proportion. Trees of this machine are trees of the problem's
/// machine.
struct SplitMachine {
  /// Links that are reduced to what the links `source` carry together.
  struct Shared {
    std::vector<int> links, source;
  };

  RankTopology machine;
  std::vector<Shared> shared;

  /// Returns `problem` on this machine.
  PackingProblem problem(const PackingProblem &problem) const;
};

/// Returns std::nullopt if no switch can be split.
std::optional<SplitMachine> splitSwitches(const PackingProblem &problem);

/// Returns a certificate of `problem` that takes shared links into account. If
/// the least cut of the split machine crosses shared links, it is the mean of
/// the cuts around the ranks that these links lead to, with the price of the
/// shared links moved to their source. Any prices prove a bound; the bound is
/// computed from these.
PackingCertificate sharedCut(const PackingProblem &problem,
                             const SplitMachine &split);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_SPLITSWITCHES_H
