//===- DegradeLinks.h - a machine with broken or slow links -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The machine as it is today: its type without its broken links, and with
// limits on its slow ones.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H
#define BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H

#include "compiler/topology/Topology.h"

namespace blink {

/// A change to all links between two nodes, of every kind and in both
/// directions.
struct LinkEdit {
  std::string ends; ///< Two node ids: "gpu0:gpu3".
  /// GB/s per direction that all these links together have left; std::nullopt
  /// if none of them is left.
  std::optional<double> limit;
  std::string place; ///< Where the user wrote the edit, for messages.

  /// Returns "gpu0:gpu3", or "gpu0:gpu3=12.5" with all digits of the limit.
  std::string toString() const;
};

/// Reads "gpu1:gpu2=12.5" and stores `place` in the edit. Errors, at `place`:
/// no `=`, or a limit that no link may have as its bandwidth (MachineLimits.h).
llvm::Expected<LinkEdit> parseLinkLimit(llvm::StringRef text,
                                        llvm::StringRef place);

/// Returns the two nodes that "gpu0:gpu3" names, ascending. There is one pair
/// for each way to read the text; only ids that contain colons allow several.
std::vector<std::pair<int, int>> nodesNamed(const Topology &topology,
                                            llvm::StringRef ends);

/// Removes all links between two nodes, given by their indices.
void removeLinks(Topology &topology, int nodeA, int nodeB);

struct DegradedTopology {
  Topology topology;
  /// The edits that were made, in an order that does not depend on the order in
  /// which they were given: removals first, then limits, each group sorted by
  /// nodes. The two ends of an edit are in the order of the nodes.
  std::vector<LinkEdit> edits;
};

/// Applies the edits. The name stays the same, the fingerprint changes. A limit
/// is divided among links of several kinds in proportion to their bandwidths; a
/// direction that has no more than the limit keeps its bandwidth. Ids may
/// contain `:`.
///
/// Errors, at the edit's place and with a remedy: ends that are not two
/// different nodes, no link between them, two edits of the same pair of nodes,
/// a limit that is not below the bandwidth of the faster direction, a limit
/// that leaves one of several links less than the least bandwidth.
llvm::Expected<DegradedTopology>
degradeLinks(Topology topology, const std::vector<LinkEdit> &edits);

/// Returns "without gpu0:gpu3, gpu4:gpu7; gpu1:gpu2 limited to 12.5 GB/s", or
/// an empty string if there are no edits.
std::string describeEdits(const std::vector<LinkEdit> &edits);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_DEGRADELINKS_H
