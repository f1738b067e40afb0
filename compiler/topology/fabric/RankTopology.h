//===- RankTopology.h - what a job may use of a machine ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A topology seen from an allocation: its ranks, the links it may use, and the
// paths between ranks that the runtime can drive. Everything about packing is
// said in terms of a RankTopology.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H

#include "compiler/topology/Topology.h"

namespace blink {

using sched::ChannelKind;

/// A route from one GPU to another: links in order, indices into
/// Topology::links. Crosses transit nodes, never a GPU.
using Path = std::vector<int>;

/// nvlink, xgmi, c2c: links over which GPUs reach each other's memory.
bool isPeerLink(LinkKind kind);

/// The cheapest drivable path of every ordered pair of ranks. From a rank to
/// itself it is empty and costs 0.
struct PathTable {
  int numRanks = 0;
  std::vector<int> rowOf;    ///< of each rank, or -1: it is no source
  std::vector<double> costs; ///< [row * numRanks + to]; infinity if none
  std::vector<Path> paths;   ///< likewise; empty if none

  /// With a row for each of `sources` and no path yet.
  static PathTable from(const std::vector<int> &sources, int numRanks);

  /// Of sources.
  double cost(int from, int to) const { return costs[place(from, to)]; }
  const Path &path(int from, int to) const { return paths[place(from, to)]; }
  size_t place(int from, int to) const {
    return size_t(rowOf[from]) * numRanks + to;
  }
};

/// The sum of `prices`, one a link, over a path's links.
inline double priceOf(const Path &path, const std::vector<double> &prices) {
  double price = 0;
  for (int link : path)
    price += prices[link];
  return price;
}

/// An allocation of a topology with a choice of link kinds. Owns a copy of the
/// topology; immutable.
///
/// Which paths are *drivable*, so that the runtime can move data along them:
/// Two GPUs are *peer-joined* when nvlink, xgmi or c2c links join them on the
/// whole machine, excluded kinds included: one link from one to the other, or a
/// chain of such links through switches only, directions ignored.
/// Their drivers then reach each other's memory over those peer links alone. A
/// path never crosses a GPU, and is
///   - `network` when it crosses a nic node;
///   - `staged` (through pinned host memory) when it crosses a cpu node and no
///     nic. It may reverse there: gpu0 -> plx0 -> cpu0 -> plx0 -> gpu1 uses
///     four links though a switch between the two is nearer;
///   - `peer` otherwise. Between peer-joined GPUs only nvlink, xgmi and c2c
///     links may appear on it.
class RankTopology {
public:
  /// Most ranks of an allocation.
  static constexpr int kMaxRanks = 16384;
  /// Most ranks where something takes memory with their square: relays, and
  /// what not all collectives and options take of a problem (Packing.h).
  static constexpr int kMostPaired = 4096;

  /// `gpus` lists the GPU number of each rank; empty means all GPUs in order.
  /// Errors: a topology that fails its check, no GPU at all, a GPU that does
  /// not exist, a repeated GPU, more than kMaxRanks, or with relays
  /// kMostPaired.
  ///
  /// `relays` lists other GPUs that may forward: paths may run over them, each
  /// part from GPU to GPU being drivable by itself. Errors: one that does not
  /// exist, is repeated or is a rank.
  static llvm::Expected<RankTopology> create(Topology topology,
                                             std::vector<int> gpus,
                                             LinkKindSet kinds,
                                             std::vector<int> relays = {});

  const Topology &topology() const { return topology_; }
  const std::vector<int> &gpus() const { return gpus_; }
  LinkKindSet linkKinds() const { return kinds_; }
  int numRanks() const { return static_cast<int>(gpus_.size()); }
  /// GPUs that may forward. Relay i is counted as rank numRanks() + i in what
  /// follows.
  const std::vector<int> &relays() const { return relays_; }
  /// Index into Topology::nodes of the GPU of a rank or relay.
  int nodeOf(int rank) const {
    return gpuNodes_[rank < numRanks() ? gpus_[rank]
                                       : relays_[rank - numRanks()]];
  }
  /// Whether the options let schedules use this link.
  bool usable(int link) const {
    return kinds_.contains(topology_.links[link].kind);
  }
  /// See the class comment.
  bool peerJoined(int rankA, int rankB) const;

  /// The cheapest drivable path of each ordered pair, a path costing the sum of
  /// `prices` (>= 0, one a link) over its links. Ties go to the path of fewer
  /// links, then of lower latency, then of smaller link indices: deterministic.
  /// Dijkstra over (node, what the path crossed so far), once per rank.
  PathTable cheapestPaths(const std::vector<double> &prices) const;
  /// The same from some ranks alone.
  PathTable cheapestPaths(const std::vector<double> &prices,
                          const std::vector<int> &sources) const;

  /// Of each rank, the others that a path leads to, in no order.
  std::vector<std::vector<int>> reachedRanks() const;

  /// The same, but that paths lead from each rank only to those that `reached`
  /// lists, ascending, and all of them have one. For topologies without relays.
  RankTopology withPairs(std::vector<std::vector<int>> reached) const;
  /// Whether withPairs made it.
  bool isLimited() const { return !pairs_.empty(); }

  /// The same for schedules in three phases (packing/trees/Gates.h): paths
  /// between ranks of one server cross no nic. For topologies without relays.
  RankTopology withPhases() const;
  /// Whether withPhases made it.
  bool isPhased() const { return !serverOf_.empty(); }
  /// Of each rank, from 0 in the order of their first ranks, where isPhased().
  /// Ranks that paths without a nic join are on one server.
  const std::vector<int> &serverOf() const { return serverOf_; }
  int numServers() const;

  /// The same, but that ranks may forward as relays do: segments() takes paths
  /// over them. cheapestPaths() makes none.
  RankTopology withForwarding() const;

  /// A part of a path between two GPUs with none between.
  struct Segment {
    int from; ///< rank or relay
    int to;
    Path path;
    ChannelKind kind;
  };
  /// The parts of a path between two ranks: one, or several joined by relays,
  /// or by ranks where these forward. The error says why some part cannot be
  /// driven.
  llvm::Expected<std::vector<Segment>> segments(int from, int to,
                                                const Path &path) const;

  /// What kind of channel drives `path` between two ranks or relays, with none
  /// on the way, or why none does.
  llvm::Expected<ChannelKind> classify(int from, int to,
                                       const Path &path) const;

  /// The ranks that `start` reaches over others, or that reach it so where
  /// `backwards`: of `reached`, reachedRanks().
  static std::vector<bool> closure(const std::vector<std::vector<int>> &reached,
                                   int start, bool backwards);
  /// The classes of ranks that can reach each other in both directions; one
  /// class when every collective is possible. Classes and their members ascend.
  std::vector<std::vector<int>> stronglyConnectedRanks() const;

  /// "GPUs 0,1,2" for a set of ranks, for messages.
  std::string describeRanks(const std::vector<int> &ranks) const;

private:
  RankTopology() = default;
  template <typename Visit>
  void visitDirect(const std::vector<double> &prices,
                   const std::vector<int> &sources, Visit visit) const;
  PathTable directPaths(const std::vector<double> &prices,
                        const std::vector<int> &sources) const;
  PathTable relayedPaths(const std::vector<double> &prices) const;
  bool surelyConnected() const;
  Topology topology_;
  std::vector<int> gpus_;
  std::vector<int> relays_;
  std::vector<int> gpuNodes_;
  LinkKindSet kinds_;
  std::vector<std::vector<int>> outLinks_; // per node: usable links leaving it
  std::vector<int> rankOfNode_; // per node; -1 if no rank's or relay's GPU
  // Per rank and relay, ascending: the peer groups it belongs to. A group is
  // the two ends of a direct link, or the GPUs around one connected set of
  // switches.
  std::vector<std::vector<int>> peerGroups_;
  std::vector<std::vector<int>> pairs_; // as in withPairs; empty: all
  std::vector<int> serverOf_;           // as in serverOf(); empty: not phased
  bool forwards_ = false;               // as in withForwarding
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H
