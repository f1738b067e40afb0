//===- PeerLimits.h - cache of limited rank topologies ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_PEERLIMITS_H
#define BLINK_COMPILER_TARGET_PEERLIMITS_H

#include "compiler/topology/fabric/RankTopology.h"

#include "mlir/IR/Operation.h"

#include <list>

namespace blink {

/// An analysis of a module that caches the results of limitNetworkPeers for its
/// forests. For thousands of ranks limitNetworkPeers takes seconds, and each
/// pass that reads a forest needs it. The results depend on nothing that passes
/// change, so the passes that use this analysis preserve it.
class PeerLimits {
public:
  explicit PeerLimits(mlir::Operation *) {}

  /// Returns what limitNetworkPeers returns.
  llvm::Expected<RankTopology> limit(const RankTopology &rankTopology,
                                     int most);

private:
  struct Known {
    uint64_t fingerprint; ///< The fingerprint of the topology.
    std::vector<int> gpus;
    LinkKindSet kinds;
    int most;
    RankTopology limited;
  };
  std::list<Known> known_;
};

} // namespace blink

#endif // BLINK_COMPILER_TARGET_PEERLIMITS_H
