//===- DegradeLinks.h - a machine with broken or slow links -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine as it is today: its type, less some links.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H
#define BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H

#include "compiler/topology/Topology.h"

namespace blink {

/// A change to the links between two nodes: of every kind, in both directions.
struct LinkEdit {
  std::string ends; ///< two node ids: "gpu0:gpu3"
  /// GB/s that all these links together have left, each way; none: no link is
  /// left.
  std::optional<double> limit;
  std::string place; ///< where the user wrote it, for messages

  /// "gpu0:gpu3", or "gpu0:gpu3=12.5" with all digits of the limit.
  std::string toString() const;
};

/// Reads "gpu1:gpu2=12.5", with `place` as the place. Errors, at `place`: no
/// `=`, a limit that is no bandwidth of a link (MachineLimits.h).
llvm::Expected<LinkEdit> parseLinkLimit(llvm::StringRef text,
                                        llvm::StringRef place);

/// The two nodes that "gpu0:gpu3" names, ascending; as many pairs as there are
/// ways to read it, several only where ids hold colons.
std::vector<std::pair<int, int>> nodesNamed(const Topology &topology,
                                            llvm::StringRef ends);

/// Takes away all links between two nodes, given by their indices.
void removeLinks(Topology &topology, int nodeA, int nodeB);

struct DegradedTopology {
  Topology topology;
  /// What was done, in one order whatever order it was asked for in: links
  /// taken away, then limits, each by its nodes; the ends of each in the order
  /// of nodes.
  std::vector<LinkEdit> edits;
};

/// Makes the changes. The name stays, the fingerprint does not. A limit divides
/// among links of several kinds in proportion to their bandwidths; a direction
/// that has no more than the limit stays as it is. An id may hold a `:`.
///
/// Errors, at the edit's place and with a remedy: ends that are not two
/// different nodes, no link between them, the same two nodes again, a limit
/// that is not below what both directions have or leaves one of several links
/// next to nothing.
llvm::Expected<DegradedTopology>
degradeLinks(Topology topology, const std::vector<LinkEdit> &edits);

/// "without gpu0:gpu3, gpu4:gpu7; gpu1:gpu2 limited to 12.5 GB/s"; empty if
/// there are none.
std::string describeEdits(const std::vector<LinkEdit> &edits);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H
