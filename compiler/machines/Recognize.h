//===- Recognize.h - which machine type is this -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_RECOGNIZE_H
#define BLINK_COMPILER_MACHINES_RECOGNIZE_H

#include "compiler/topology/DegradeLinks.h"

#include <optional>

namespace blink {

/// A machine is one of a shipped type, whatever its nodes are called.
struct Recognition {
  std::string type; ///< its name: findMachineType(type)
  /// False: the NVLinks, xGMI or C2C links are the type's, what is beside them
  /// (PCIe, CPUs) is not.
  bool whole = true;
  /// What makes this machine of the type: degradeLinks(type, edits) is this
  /// one. By the type's ids and rates, for --without-link and --limit-link.
  std::vector<LinkEdit> edits;
  /// GPU k of this machine is GPU gpus[k] of the type, which may have more: a
  /// container shows a job its GPUs alone.
  std::vector<int> gpus;
  /// Kinds of links that have other rates than in the type, all of them this
  /// times as much: measured, say, or NCCL's constants for nominal ones.
  std::map<LinkKind, double> scale;

  /// One line: "dgx-h100, but gpu3:nvswitch0 has 16 of 18 links: --limit-link
  /// gpu3:nvswitch0=400", "GPUs 0,1,2,3 of dgx1".
  std::string describe() const;
};

/// The shipped machine type that `topology` is: as a whole if there is one,
/// else by its peer links; with as few links as possible missing or thinner
/// (as matchPart counts), and none that the type does not have; then the one
/// with the nearest rates. If it is of no type, that of which it is some GPUs
/// and all links between them, again the smallest. NICs do not count, nor do
/// latencies. None: neither. Takes milliseconds; what time a hostile graph can
/// cost is bounded.
std::optional<Recognition> recognize(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_RECOGNIZE_H
