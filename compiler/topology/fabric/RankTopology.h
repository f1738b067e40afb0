//===- RankTopology.h - a machine as an allocation sees it ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A topology seen from an allocation: its ranks, the links it may use, and the
// paths between ranks that the runtime can drive. All of packing works on a
// RankTopology.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H

#include "compiler/topology/Topology.h"

namespace blink {

using sched::ChannelKind;

/// A route from one GPU to another: its links in order, as indices into
/// Topology::links. It crosses transit nodes, never a GPU.
using Path = std::vector<int>;

/// Returns true for nvlink, xgmi and c2c: over these links GPUs reach each
/// other's memory.
bool isPeerLink(LinkKind kind);

/// The cheapest drivable path of each ordered pair of ranks. The path from a
/// rank to itself is empty and costs 0.
struct PathTable {
  int numRanks = 0;
  std::vector<int> rowOf; ///< The row of each rank, or -1 if it is no source.
  /// At [row * numRanks + to]; infinity if there is no path.
  std::vector<double> costs;
  std::vector<Path> paths; ///< At the same index; empty if there is no path.

  /// Returns a table with a row for each of `sources` and without paths.
  static PathTable from(const std::vector<int> &sources, int numRanks);

  /// `from` must be a source in the following functions.
  double cost(int from, int to) const { return costs[place(from, to)]; }
  const Path &path(int from, int to) const { return paths[place(from, to)]; }
  size_t place(int from, int to) const {
    return size_t(rowOf[from]) * numRanks + to;
  }
};

/// Returns the sum of `prices`, which has one price per link, over a path's
/// links.
inline double priceOf(const Path &path, const std::vector<double> &prices) {
  double price = 0;
  for (int link : path)
    price += prices[link];
  return price;
}

/// An allocation of a topology with a choice of link kinds. Owns a copy of the
/// topology. Immutable.
///
/// The runtime can move data along *drivable* paths only. Two GPUs are
/// *peer-joined* when nvlink, xgmi or c2c links join them on the whole machine,
/// excluded kinds included: one link from one to the other, or a chain of such
/// links through switches only, directions ignored. Their drivers then reach
/// each other's memory over those peer links alone. A path never crosses a GPU,
/// and is
///   - `network` when it crosses a nic node;
///   - `staged` (through pinned host memory) when it crosses a cpu node and no
///     nic. It may turn round there: gpu0 -> plx0 -> cpu0 -> plx0 -> gpu1 uses
///     four links, although a switch between the two is nearer;
///   - `peer` otherwise. Between peer-joined GPUs only nvlink, xgmi and c2c
///     links may appear on it.
class RankTopology {
public:
  /// The most ranks of an allocation.
  static constexpr int kMaxRanks = 16384;
  /// The most ranks where memory grows with the square of their number: with
  /// relays, and for all problems but a plain allreduce, allgather or
  /// reducescatter (PackingProblem::check).
  static constexpr int kMostPaired = 4096;

  /// `gpus` lists the GPU number of each rank; empty means all GPUs in order.
  /// Errors: a topology that fails its check, no GPU at all, a GPU that does
  /// not exist or is repeated, more than kMaxRanks ranks, or with relays more
  /// than kMostPaired ranks and relays.
  ///
  /// `relays` lists other GPUs that may forward: paths may run over them if
  /// each part from GPU to GPU is drivable by itself. Errors: a relay that does
  /// not exist, is repeated or is a rank.
  static llvm::Expected<RankTopology> create(Topology topology,
                                             std::vector<int> gpus,
                                             LinkKindSet kinds,
                                             std::vector<int> relays = {});

  const Topology &topology() const { return topology_; }
  const std::vector<int> &gpus() const { return gpus_; }
  LinkKindSet linkKinds() const { return kinds_; }
  int numRanks() const { return static_cast<int>(gpus_.size()); }
  /// Returns the GPUs that may forward. The functions below count relay i as
  /// rank numRanks() + i.
  const std::vector<int> &relays() const { return relays_; }
  /// Returns the index into Topology::nodes of the GPU of a rank or relay.
  int nodeOf(int rank) const {
    return gpuNodes_[rank < numRanks() ? gpus_[rank]
                                       : relays_[rank - numRanks()]];
  }
  /// Returns true if the options let schedules use this link.
  bool usable(int link) const {
    return kinds_.contains(topology_.links[link].kind);
  }
  /// Returns true if two ranks or relays are peer-joined, see the class
  /// comment.
  bool peerJoined(int rankA, int rankB) const;

  /// Returns the cheapest drivable path of each ordered pair. A path costs the
  /// sum of `prices` (>= 0, one per link) over its links. On a tie the path
  /// with fewer links wins, then the one of lower latency, then the one with
  /// smaller link indices, so the result is deterministic. Runs Dijkstra over
  /// (node, layer of PathLayers.h), once per rank.
  PathTable cheapestPaths(const std::vector<double> &prices) const;
  /// Returns the same from some ranks only.
  PathTable cheapestPaths(const std::vector<double> &prices,
                          const std::vector<int> &sources) const;
  /// Returns the same from one rank, and only to the ranks that `wanted` marks;
  /// as far as the table says, other ranks have no path. Not for topologies
  /// with relays.
  PathTable cheapestPaths(const std::vector<double> &prices, int source,
                          const std::vector<bool> &wanted) const;

  /// Returns, for each rank, the other ranks that a path leads to, in no order.
  std::vector<std::vector<int>> reachedRanks() const;

  /// Returns a copy in which paths lead from each rank only to the ranks that
  /// `reached` lists, ascending; each of them must have a path. Only for
  /// topologies without relays.
  RankTopology withPairs(std::vector<std::vector<int>> reached) const;
  /// Returns true if withPairs made this topology.
  bool isLimited() const { return !pairs_.empty(); }

  /// Returns a copy for schedules in three phases (packing/trees/Gates.h), in
  /// which paths between ranks of one server cross no nic. Only for topologies
  /// without relays.
  RankTopology withPhases() const;
  /// Returns true if withPhases made this topology.
  bool isPhased() const { return !serverOf_.empty(); }
  /// Returns the server of each rank, numbered from 0 in the order of their
  /// first ranks; empty unless isPhased(). Ranks that are joined by paths
  /// without a nic are on one server.
  const std::vector<int> &serverOf() const { return serverOf_; }
  int numServers() const;

  /// Returns a copy in which ranks may forward as relays do: segments() accepts
  /// paths over ranks. cheapestPaths() finds no such paths.
  RankTopology withForwarding() const;

  /// A part of a path from one GPU to another, with no GPU between them.
  struct Segment {
    int from; ///< Rank or relay.
    int to;
    Path path;
    ChannelKind kind;
  };
  /// Splits a path between two ranks at its relays, and also at its ranks if
  /// these forward. The error says why some segment cannot be driven.
  llvm::Expected<std::vector<Segment>> segments(int from, int to,
                                                const Path &path) const;

  /// Returns the kind of channel that drives `path` between two ranks or
  /// relays; no rank or relay may lie between them. The error says why none
  /// drives it.
  llvm::Expected<ChannelKind> classify(int from, int to,
                                       const Path &path) const;

  /// Returns the ranks that `start` reaches, directly or over other ranks, or
  /// those that reach `start` if `backwards`. `reached` is what reachedRanks()
  /// returns.
  static std::vector<bool> closure(const std::vector<std::vector<int>> &reached,
                                   int start, bool backwards);
  /// Returns the classes of ranks that can reach each other in both directions.
  /// There is one class if every collective is possible. Classes and their
  /// members ascend.
  std::vector<std::vector<int>> stronglyConnectedRanks() const;

  /// Returns "GPUs 0,1,2" for a set of ranks, for messages.
  std::string describeRanks(const std::vector<int> &ranks) const;

private:
  RankTopology() = default;
  template <typename Visit>
  void visitDirect(const std::vector<double> &prices,
                   const std::vector<int> &sources, Visit visit,
                   const std::vector<bool> *wanted = nullptr) const;
  PathTable directPaths(const std::vector<double> &prices,
                        const std::vector<int> &sources,
                        const std::vector<bool> *wanted = nullptr) const;
  PathTable relayedPaths(const std::vector<double> &prices) const;
  bool surelyConnected() const;
  Topology topology_;
  std::vector<int> gpus_;
  std::vector<int> relays_;
  std::vector<int> gpuNodes_;
  LinkKindSet kinds_;
  // Per node: the usable links that leave it.
  std::vector<std::vector<int>> outLinks_;
  // Per node; -1 if it is no rank's or relay's GPU.
  std::vector<int> rankOfNode_;
  // Per rank and relay, ascending: its peer groups. A group is the two ends of
  // a direct link, or the GPUs around one connected set of switches.
  std::vector<std::vector<int>> peerGroups_;
  std::vector<std::vector<int>> peerMembers_; // of each peer group
  std::vector<std::vector<int>> pairs_;       // withPairs(); empty: all pairs
  std::vector<int> serverOf_;                 // serverOf(); empty: not phased
  bool forwards_ = false;                     // set by withForwarding()
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_RANKTOPOLOGY_H
