//===- PeerLimits.cpp - cache of limited rank topologies ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/PeerLimits.h"

#include "compiler/topology/symmetry/NetworkPeers.h"

using namespace blink;

llvm::Expected<RankTopology> PeerLimits::limit(const RankTopology &rankTopology,
                                               int most) {
  const uint64_t fingerprint = rankTopology.topology().fingerprint();
  for (const Known &known : known_)
    if (known.fingerprint == fingerprint && known.most == most &&
        known.gpus == rankTopology.gpus() &&
        known.kinds == rankTopology.linkKinds())
      return known.limited;
  llvm::Expected<RankTopology> limited = limitNetworkPeers(rankTopology, most);
  if (limited)
    known_.push_back({fingerprint, rankTopology.gpus(),
                      rankTopology.linkKinds(), most, *limited});
  return limited;
}
