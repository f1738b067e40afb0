//===- Recognize.h - recognition of machine types ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_RECOGNIZE_H
#define BLINK_COMPILER_MACHINES_RECOGNIZE_H

#include "compiler/topology/DegradeLinks.h"

#include <optional>

namespace blink {

/// The shipped type that a machine is of, regardless of the names of its nodes.
struct Recognition {
  std::string type; ///< The type's name: findMachineType(type).
  /// False if the NVLinks, xGMI or C2C links are the type's, but the rest
  /// (PCIe, CPUs) is not.
  bool whole = true;
  /// The edits that make the type this machine: degradeLinks(type, edits). In
  /// ids and rates of the type, for --without-link and --limit-link.
  std::vector<LinkEdit> edits;
  /// GPU k of this machine is GPU gpus[k] of the type, which may have more
  /// GPUs: a container shows a job only its own GPUs.
  std::vector<int> gpus;
  /// The kinds of links whose rates differ from the type's, all by this factor:
  /// for example measured rates, or NCCL's constants instead of nominal rates.
  std::map<LinkKind, double> scale;

  /// Returns one line: "dgx-h100, but gpu3:nvswitch0 has 16 of 18 links:
  /// --limit-link gpu3:nvswitch0=400", "GPUs 0,1,2,3 of dgx1".
  std::string describe() const;
};

/// Returns the shipped machine type that `topology` is: as a whole if there is
/// such a type, otherwise by its peer links. It prefers the type with the
/// fewest links missing or thinner (as matchPart counts), and then the one with
/// the nearest rates. A type that lacks a link of the machine does not match.
/// If no type matches, returns the smallest type of which the machine is some
/// GPUs with all links between them. NICs and latencies do not count. Returns
/// std::nullopt if there is no such type either. Takes milliseconds; the time
/// for a hostile graph is bounded.
std::optional<Recognition> recognize(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_RECOGNIZE_H
