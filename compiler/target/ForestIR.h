//===- ForestIR.h - packing problems and forests in IR ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The packing library speaks of rank topologies and trees, the dialect of
// requests and forests. Here one becomes the other.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_FORESTIR_H
#define BLINK_COMPILER_TARGET_FORESTIR_H

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/Shares.h"
#include "compiler/target/PeerLimits.h"
#include "compiler/target/TopologyIR.h"

#include <memory>
#include <optional>

namespace blink {

/// The packing problem that a request, forest or schedule op poses, with all
/// it points into. Heap-allocated: `problem` points at `rankTopology`.
struct ProblemFromIR {
  TopologyFromIR machine;
  RankTopology rankTopology;
  PackingProblem problem = {};
  int maxPeers = 0;    ///< that the ranks are limited to; 0: they are not
  bool phases = false; ///< one rank of each server talks to others, a tree
  std::optional<Association> association = {}; ///< that `problem` points to
  /// In what partial sums of narrow types travel; packing does not ask.
  sched::Accumulation accumulate = sched::Accumulation::none;
  /// Of a forest: modulo what its trees are all there are; null: nothing.
  std::shared_ptr<const Symmetry> symmetry = nullptr;
};

/// The attribute of requests and forests that limits with how many ranks of
/// other servers a rank has channels (NetworkPeers.h).
inline constexpr llvm::StringLiteral kMaxPeers = "collective.max_peers";

/// The attribute of requests and forests whose trees are in three phases
/// (packing/trees/Gates.h).
inline constexpr llvm::StringLiteral kPhasesAttr = "collective.phases";

/// The attribute of requests for sums in an order, a ReductionOrder's name.
inline constexpr llvm::StringLiteral kOrderAttr = "collective.order";

/// The attribute of requests for narrow sums that are rounded once, an
/// Accumulation's name.
inline constexpr llvm::StringLiteral kAccumulateAttr = "collective.accumulate";

/// The attribute of requests and forests for whose trees switches may work
/// (SwitchStars.h).
inline constexpr llvm::StringLiteral kInSwitchAttr = "collective.in_switch";

/// The attribute of forests that says into how many equal parts their trees go
/// best within limits that nobody has set (ScheduleLimits): in these they were
/// selected.
inline constexpr llvm::StringLiteral kPartsAttr = "collective.parts";

/// Lets switches work for trees, where there are such and the collective adds
/// or copies.
void askForSwitches(ProblemFromIR &from);

/// Asks for trees in three phases. Errors: a collective or a job for which
/// there are none.
llvm::Error askForPhases(ProblemFromIR &from);

/// Asks for trees that add in one order (PackingProblem::association). Errors:
/// a collective that adds nothing.
llvm::Error askForOrder(ProblemFromIR &from, Parentheses parentheses);

/// Limits the problem's ranks to `most` peers. Errors: those of
/// limitNetworkPeers.
llvm::Error limitPeers(ProblemFromIR &from, int most, PeerLimits &limits);

/// Errors are emitted on `op`.
mlir::FailureOr<std::unique_ptr<ProblemFromIR>>
problemFromIR(mlir::Operation *op, collective::CollectiveKind collective,
              mlir::FlatSymbolRefAttr topology, llvm::ArrayRef<int32_t> gpus,
              mlir::DenseI32ArrayAttr relays, collective::LinkKindsAttr links,
              int32_t root);
mlir::FailureOr<std::unique_ptr<ProblemFromIR>>
problemFromIR(collective::ForestOp forest, PeerLimits &limits);

/// Builds a forest of `packing`, with `candidates` as trees of share zero.
/// Shares are the exact ones of `packing`'s weights, and `algbw` what they
/// sustain. Errors are emitted at `loc`.
mlir::FailureOr<collective::ForestOp>
buildForest(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::FlatSymbolRefAttr topology, const ProblemFromIR &from,
            const Packing &packing, const PackingCertificate &certificate,
            llvm::ArrayRef<Tree> candidates);

/// A forest read back: trees of share zero are only in `candidates`.
PackedTrees readForest(collective::ForestOp forest, const ProblemFromIR &from);

/// The exact shares of its packing's trees.
Shares readShares(collective::ForestOp forest);

/// The symbols of its packing's trees.
std::vector<std::string> readNames(collective::ForestOp forest);

/// Makes `parts[t]` equal trees of tree t of the forest's packing, and names
/// all trees anew.
void splitTrees(collective::ForestOp forest, llvm::ArrayRef<unsigned> parts);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_FORESTIR_H
