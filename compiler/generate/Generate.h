//===- Generate.h - topologies of well-known shapes -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Families of machines and networks for design studies, comparisons with the
// literature and tests. GPUs are numbered as the comments say; every result
// passes Topology::check(). Errors: a size out of range, or more than
// RankTopology::kMaxRanks GPUs.
//
// Links of kind `network` meet in nodes of kind `nic`, other links in nodes of
// kind `switch`, because a path that crosses a nic is a network channel.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_GENERATE_GENERATE_H
#define BLINK_COMPILER_GENERATE_GENERATE_H

#include "compiler/topology/Topology.h"

namespace blink {

/// The properties of every link of a generated topology, in each direction.
struct Wire {
  double bandwidth = 25; ///< GB/s, > 0.
  double latency = 0.7;  ///< us, >= 0.
  LinkKind kind = LinkKind::nvlink;
};

// Direct networks consist of GPUs only. `sizes` are the lengths of the
// dimensions; the last one varies fastest: {Y, X} has GPU y * X + x.
llvm::Expected<Topology> generateTorus(const std::vector<int> &sizes,
                                       const Wire &wire);
llvm::Expected<Topology> generateMesh(const std::vector<int> &sizes,
                                      const Wire &wire);
/// 2^dimensions GPUs; two are joined if their numbers differ in exactly one
/// bit.
llvm::Expected<Topology> generateHypercube(int dimensions, const Wire &wire);
llvm::Expected<Topology> generateRing(int gpus, const Wire &wire);
llvm::Expected<Topology> generateFullyConnected(int gpus, const Wire &wire);

/// The k-ary fat tree of Al-Fares et al. (SIGCOMM 2008): k pods of k/2 edge and
/// k/2 aggregation switches, (k/2)^2 core switches, and k^3/4 GPUs, numbered
/// pod by pod. k must be even. Links above the edge have bandwidth /
/// `oversubscription` (>= 1).
llvm::Expected<Topology> generateFatTree(int k, double oversubscription,
                                         const Wire &wire);

/// BCube(n, k) of Guo et al. (SIGCOMM 2009), the fabric of BML (Wang et al.,
/// NeurIPS 2018): n^(k+1) GPUs with k+1 ports each. Each switch of level l
/// joins n GPUs whose numbers, written in base n, differ in digit l only.
llvm::Expected<Topology> generateBCube(int n, int k, const Wire &wire);

/// A dragonfly (Kim et al., ISCA 2008): `groups` of fully connected `routers`
/// with `gpus` each. Each pair of groups has one link of `globalBandwidth`; the
/// links of a group are distributed over its routers in turn.
llvm::Expected<Topology> generateDragonfly(int groups, int routers, int gpus,
                                           double globalBandwidth,
                                           const Wire &wire);

/// `boxes` copies of a machine, joined by `rails` network nodes: GPU i of every
/// box has a link of `nic` to rail i mod rails. GPU b * g + i is GPU i of box
/// b, where g is the number of GPUs of a box; nodes are called box0.ID and so
/// on. This is the usual model of a pod in the literature.
llvm::Expected<Topology> generatePod(const Topology &machine, int boxes,
                                     int rails, const Wire &nic);

/// A connected graph of GPUs and switches for tests: a random spanning tree (a
/// cycle if directed), then random links, `links` in all. Bandwidths are 1 to 4
/// times the wire's. A seed gives the same graph everywhere.
llvm::Expected<Topology> generateRandom(int gpus, int switches, int links,
                                        uint64_t seed, bool directed,
                                        const Wire &wire);

} // namespace blink

#endif // BLINK_COMPILER_GENERATE_GENERATE_H
