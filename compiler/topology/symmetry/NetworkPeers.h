//===- NetworkPeers.h - limit on peers across a network ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On a network every rank can send to every other, and with hundreds of servers
// each rank would have hundreds of connections. This file chooses, before trees
// are packed, the pairs of ranks that may have one.
//
// A *server* is a set of ranks that are joined by paths without a nic. If there
// are more than 64 ranks, and each is a server of its own or all are one
// server, the ranks at one first switch of a fabric (FabricLinks.h) count as a
// server instead, if there is a fabric: a fat tree is a network, whatever the
// kind of its links.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// For jobs of more ranks than this, peers are limited by default where that
/// costs no rate. Each connection takes memory and a place in a queue, and a
/// rank that writes to many servers in one fold occupies a lane for as many
/// messages.
inline constexpr int kMostUnlimited = 64;

/// The peers that ranks can reach across the network.
struct NetworkPeers {
  int all;     ///< The most of any rank.
  int nearest; ///< The most of these that are in the rank's own server.
  int servers;
  /// Whether some peers are reached over nics; else over a fabric of other
  /// links.
  bool overNics;
};
NetworkPeers networkPeers(const RankTopology &rankTopology);

/// Returns a copy with network paths between few pairs of ranks only: no rank
/// has more than `most` peers in other servers and those of its own that it
/// reaches over the network only. Servers stand in a circle in
/// the order of their first ranks. A rank's peers are in the servers at a few
/// distances on that circle, the same distances for all ranks. The distances
/// are chosen one by one, each time the one that minimises the mean number of
/// hops between ranks. The automorphisms that Symmetry::find finds keep the
/// choice, so problems stay as small as they were. The limit costs no rate if a
/// circle of servers costs none. Errors: `most` peers are too few to join all
/// ranks; there are relays.
llvm::Expected<RankTopology> limitNetworkPeers(const RankTopology &rankTopology,
                                               int most);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H
