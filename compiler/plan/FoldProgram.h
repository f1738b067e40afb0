//===- FoldProgram.h - what every rank of a schedule does -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The trees, channels, lanes and folds of one variant of a schedule, as plain
// data. ExpandForest.h and OneHop.h make such a program; compiler/target reads
// one from IR or from a file and writes it to IR. All questions about a
// schedule that is not a file yet, above all how long it takes (TimeModel.h),
// are answered from this form.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_FOLDPROGRAM_H
#define BLINK_COMPILER_PLAN_FOLDPROGRAM_H

#include "compiler/topology/fabric/SwitchStars.h"
#include "compiler/topology/symmetry/Symmetry.h"
#include "schedules/schedule_generated.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <utility>
#include <vector>

namespace blink {

/// Bytes per microsecond at 1 GB/s.
inline constexpr double kBytesPerMicrosecond = 1e3;

struct FoldProgram {
  struct Link {
    double bandwidth; ///< GB/s
    double latency;   ///< microseconds
  };

  /// The route of some data through the ranks: a tree, or a chain of a routed
  /// collective (Packing.h).
  struct Tree {
    int root = 0;
    int block = 0;
    /// Exact part of the block; 0 of 1 if only `share` is known.
    uint32_t numerator = 0, denominator = 1;
    int depth = 0;            ///< most hops between the root and a rank
    double share = 0;         ///< of the whole buffer
    int origin = 0;           ///< its tree's index in the packing
    SwitchUse switchUse = {}; ///< what a switch does for it
  };

  /// Leads from one rank or relay to another, over links without GPUs between.
  struct Channel {
    int tree;
    int source;
    int destination;
    sched::ChannelKind kind;
    int slots;
    uint32_t pathBegin, pathCount; ///< range of `paths`
    /// Most chunks of a network channel on their way at a time; 0: `slots`.
    int window = 0;

    bool leavesMachine() const { return kind == sched::ChannelKind::network; }
    /// Most chunks that may be on their way at a time.
    int inFlight() const { return window > 0 ? window : slots; }
  };

  /// A channel, by its index, or a block of the input or output.
  struct Operand {
    sched::OperandKind kind;
    int index;

    bool isChannel() const { return kind == sched::OperandKind::channel; }
    static Operand channel(int number) {
      return {sched::OperandKind::channel, number};
    }
    static Operand input(int block = 0) {
      return {sched::OperandKind::input, block};
    }
    static Operand output(int block = 0) {
      return {sched::OperandKind::output, block};
    }
  };

  struct Fold {
    int tree;
    bool completes;           ///< what it writes is the whole sum
    uint32_t operands;        ///< index of its first in Rank::operands
    uint32_t sources;         ///< number of sources, which come first
    uint32_t destinations;    ///< number of destinations, which follow
    int delay = 0;            ///< rounds that it lags
    uint32_t directMoves = 0; ///< FoldMoves.h
    uint32_t slotMoves = 0;   ///< FoldMoves.h
  };

  struct Rank {
    std::vector<Fold> folds;
    std::vector<Operand> operands;
    /// For each lane the indices in `folds` of its folds, in the order in which
    /// the lane takes them. Without lanes all folds are loose (AssignLanes.h).
    std::vector<std::vector<size_t>> lanes;

    llvm::ArrayRef<Operand> sourcesOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands, fold.sources);
    }
    llvm::ArrayRef<Operand> destinationsOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands + fold.sources,
                                            fold.destinations);
    }
    /// Returns the sources, followed by the destinations.
    llvm::ArrayRef<Operand> operandsOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands,
                                            fold.sources + fold.destinations);
    }
  };

  sched::Collective collective = sched::Collective::allreduce;
  int numRanks = 0;        ///< of the job; relays follow them in `ranks`
  std::vector<Link> links; ///< of the topology, in its order
  std::vector<Tree> trees;
  std::vector<Channel> channels;
  std::vector<uint32_t> paths; ///< link indices; channels may share some
  std::vector<Rank> ranks;
  /// Null if the program is in full. Otherwise it is in symmetric form, like a
  /// symmetric variant of a file (Variant.symmetric in schedules/schedule.fbs):
  /// `trees` and `channels` hold those of the representatives, and only
  /// representatives have folds. A fold that an image of a representative has
  /// in a tree appears as a fold of the representative.
  std::shared_ptr<const Symmetry> symmetry = nullptr;

  /// Returns how many trees, channels or folds each listed one stands for.
  int images() const { return symmetry ? symmetry->order() : 1; }
  /// Returns the number of folds listed.
  size_t numFolds() const;
  /// Returns the tree of a fold of `rank`, and the rank that does the fold in
  /// that tree. In symmetric form that rank tells which image of the tree the
  /// fold belongs to.
  std::pair<int, int> placeOf(const Rank &rank, const Fold &fold) const;

  llvm::ArrayRef<uint32_t> pathOf(const Channel &channel) const {
    return llvm::ArrayRef(paths).slice(channel.pathBegin, channel.pathCount);
  }
  /// Returns the sum of its links' latencies in microseconds.
  double latencyOf(const Channel &channel) const {
    double latency = 0;
    for (uint32_t link : pathOf(channel))
      latency += links[link].latency;
    return latency;
  }

  /// Returns true if a switch adds what `channel` brings, or makes the copy
  /// that it carries.
  bool isSwitched(const Channel &channel) const {
    const Tree &tree = trees[channel.tree];
    return (tree.switchUse.reduces && channel.destination == tree.root) ||
           (tree.switchUse.multicasts && channel.source == tree.root);
  }

  /// Adds a channel with one slot and returns its index.
  int addChannel(int tree, int source, int destination, sched::ChannelKind kind,
                 llvm::ArrayRef<int> path = {});
  /// Adds a loose fold after those that the rank has. Its moves are not counted
  /// yet (countMoves).
  void addFold(int rank, int tree, bool completes,
               llvm::ArrayRef<Operand> sources,
               llvm::ArrayRef<Operand> destinations);
};

/// Returns the part of the whole buffer that numerator / denominator of a block
/// is.
double shareOfBlock(sched::Collective collective, int numRanks,
                    uint32_t numerator, uint32_t denominator);

/// Returns the links that each channel fills: those of its path. Of channels
/// that a switch joins, only the first one fills the links that they have in
/// common, and the root's links to and from the switch.
std::vector<std::vector<uint32_t>> filledLinks(const FoldProgram &program);

/// Returns the bytes that each link of the topology carries for each byte of a
/// message.
std::vector<double> loadsPerByte(const FoldProgram &program);

/// Returns the rate in GB/s that links allow a program; infinite if no link
/// carries anything.
double rateOfLinks(const FoldProgram &program);

/// Returns the part of the whole buffer that the largest tree carries.
double largestShare(const FoldProgram &program);

/// Returns `program`, which has no lanes, with `parts[t]` equal trees in place
/// of each tree that was made of tree t of a packing, one after the other. The
/// new trees have no exact shares.
FoldProgram splitTrees(const FoldProgram &program,
                       llvm::ArrayRef<unsigned> parts);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDPROGRAM_H
