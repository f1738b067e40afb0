//===- FoldProgram.h - what every rank of a schedule does -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The trees, channels, lanes and folds of one variant of a schedule as plain
// data. ExpandForest.h and OneHop.h make one; compiler/target reads one from IR
// or from a file and writes it to IR. What is asked of a schedule before it is
// a file, how long it takes above all (TimeModel.h), is asked of this.
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

/// Of one GB/s.
inline constexpr double kBytesPerMicrosecond = 1e3;

struct FoldProgram {
  struct Link {
    double bandwidth; ///< GB/s
    double latency;   ///< microseconds
  };

  /// Data that takes one route through the ranks: a tree, or a chain of a
  /// routed collective (Packing.h).
  struct Tree {
    int root = 0;
    int block = 0;
    /// Of its block, exactly; 0 of 1 where only `share` is known.
    uint32_t numerator = 0, denominator = 1;
    int depth = 0;            ///< most hops between the root and a rank
    double share = 0;         ///< of the whole buffer
    int origin = 0;           ///< its place in the packing it was made of
    SwitchUse switchUse = {}; ///< what a switch does for it
  };

  /// From a rank or relay to another one, over links without GPUs between.
  struct Channel {
    int tree;
    int source;
    int destination;
    sched::ChannelKind kind;
    int slots;
    uint32_t pathBegin, pathCount; ///< in `paths`
    /// Most chunks on their way at a time, of a network channel; 0: `slots`.
    int window = 0;

    bool leavesMachine() const { return kind == sched::ChannelKind::network; }
    /// Chunks that may be on their way at a time.
    int inFlight() const { return window > 0 ? window : slots; }
  };

  /// A channel, by its number, or a block of the input or output.
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
    uint32_t operands;        ///< where its own begin in those of the rank
    uint32_t sources;         ///< that many come first
    uint32_t destinations;    ///< and then these
    int delay = 0;            ///< rounds that it lags
    uint32_t directMoves = 0; ///< FoldMoves.h
    uint32_t slotMoves = 0;   ///< likewise
  };

  struct Rank {
    std::vector<Fold> folds;
    std::vector<Operand> operands;
    /// Of each lane the places of its folds in `folds`, in the order in which
    /// it takes them. Without lanes all folds are loose: AssignLanes.h.
    std::vector<std::vector<size_t>> lanes;

    llvm::ArrayRef<Operand> sourcesOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands, fold.sources);
    }
    llvm::ArrayRef<Operand> destinationsOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands + fold.sources,
                                            fold.destinations);
    }
    /// Both.
    llvm::ArrayRef<Operand> operandsOf(const Fold &fold) const {
      return llvm::ArrayRef(operands).slice(fold.operands,
                                            fold.sources + fold.destinations);
    }
  };

  sched::Collective collective = sched::Collective::allreduce;
  int numRanks = 0;        ///< of the job; relays are further ones in `ranks`
  std::vector<Link> links; ///< of the topology, in its order
  std::vector<Tree> trees;
  std::vector<Channel> channels;
  std::vector<uint32_t> paths; ///< links; channels may share some
  std::vector<Rank> ranks;
  /// Null: in full. Else in symmetric form, as a file's variant
  /// (Variant.symmetric in schedules/schedule.fbs): trees and their channels
  /// are those of its representatives, which alone have folds. A fold of a
  /// representative's image in a tree is the representative's.
  std::shared_ptr<const Symmetry> symmetry = nullptr;

  /// As what each tree, channel and fold stands for.
  int images() const { return symmetry ? symmetry->order() : 1; }
  /// The tree of a fold of `rank`, and the rank there that does it: which of
  /// the tree's images it is of.
  std::pair<int, int> placeOf(const Rank &rank, const Fold &fold) const;

  llvm::ArrayRef<uint32_t> pathOf(const Channel &channel) const {
    return llvm::ArrayRef(paths).slice(channel.pathBegin, channel.pathCount);
  }
  /// Microseconds of its links together.
  double latencyOf(const Channel &channel) const {
    double latency = 0;
    for (uint32_t link : pathOf(channel))
      latency += links[link].latency;
    return latency;
  }

  /// Whether a switch adds what `channel` brings, or makes the copy that it
  /// carries.
  bool isSwitched(const Channel &channel) const {
    const Tree &tree = trees[channel.tree];
    return (tree.switchUse.reduces && channel.destination == tree.root) ||
           (tree.switchUse.multicasts && channel.source == tree.root);
  }

  /// The number of a new channel with one slot, whose path is `path`.
  int addChannel(int tree, int source, int destination, sched::ChannelKind kind,
                 llvm::ArrayRef<int> path = {});
  /// A loose fold, after those that the rank has. Its moves are still unknown.
  void addFold(int rank, int tree, bool completes,
               llvm::ArrayRef<Operand> sources,
               llvm::ArrayRef<Operand> destinations);
};

/// The part of the whole buffer that numerator / denominator of a block is.
double shareOfBlock(sched::Collective collective, int numRanks,
                    uint32_t numerator, uint32_t denominator);

/// The links that each channel fills: those of its path, but that of channels
/// which a switch joins the first alone fills what they have in common, and the
/// root's links to and from the switch.
std::vector<std::vector<uint32_t>> filledLinks(const FoldProgram &program);

/// What each link of the topology carries for each byte of a message.
std::vector<double> loadsPerByte(const FoldProgram &program);

/// GB/s that links let a program have; infinite where none carries anything.
double rateOfLinks(const FoldProgram &program);

/// The part of the whole buffer that the largest tree carries.
double largestShare(const FoldProgram &program);

/// `program`, which has no lanes, with `parts[t]` equal trees for each tree
/// that was made of tree t of a packing, one after the other. They have no
/// exact shares.
FoldProgram splitTrees(const FoldProgram &program,
                       llvm::ArrayRef<unsigned> parts);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDPROGRAM_H
