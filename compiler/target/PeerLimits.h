//===- PeerLimits.h - few neighbours, chosen once ---------------*- C++ -*-===//
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

/// An analysis of a module: what limitNetworkPeers has chosen for its forests.
/// Over thousands of ranks that takes seconds, and each pass that reads a
/// forest asks for it. It depends on nothing that passes change, so those that
/// ask preserve it.
class PeerLimits {
public:
  explicit PeerLimits(mlir::Operation *) {}

  /// As limitNetworkPeers.
  llvm::Expected<RankTopology> limit(const RankTopology &rankTopology,
                                     int most);

private:
  struct Known {
    uint64_t fingerprint; ///< of the topology
    std::vector<int> gpus;
    LinkKindSet kinds;
    int most;
    RankTopology limited;
  };
  std::list<Known> known_;
};

} // namespace blink

#endif // BLINK_COMPILER_TARGET_PEERLIMITS_H
