//===- NetworkPeers.h - few neighbours across a network ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On a network every rank can send to every other, and with hundreds of servers
// each would have hundreds of connections. Here the pairs of ranks are chosen
// that may have one, before trees are packed.
//
// A *server* is what paths without a nic join. Where each of more than 64 ranks
// is a server of its own, or all are one, the ranks at one of the first
// switches of a fabric (FabricLinks.h) stand for a server, if there is one: a
// fat tree is a network whatever the kind of its links.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Of jobs of more ranks peers are limited though nobody asked, where that
/// costs nothing: each connection takes memory and a place in a queue, and a
/// rank that writes to many servers in one fold keeps a lane busy for as many
/// messages.
inline constexpr int kMostUnlimited = 64;

/// Whom ranks could reach across the network.
struct NetworkPeers {
  int all;     ///< of any rank, at most
  int nearest; ///< of these, those of its own server
  int servers;
  bool overNics; ///< some of them; else it is a fabric of other links
};
NetworkPeers networkPeers(const RankTopology &rankTopology);

/// The same with network paths between few pairs of ranks: none has more than
/// `most` others across the network. Servers stand in a circle in the order of
/// their first ranks, and a rank's neighbours are at a few distances on it, the
/// same for all, chosen one by one such that ranks are then the fewest hops
/// apart. What Symmetry::find finds keeps the choice, so that problems stay as
/// small as they were; it costs no rate where a circle of servers does not.
/// Errors: `most` are too few to join all ranks; there are relays.
llvm::Expected<RankTopology> limitNetworkPeers(const RankTopology &rankTopology,
                                               int most);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_NETWORKPEERS_H
