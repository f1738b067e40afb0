//===- ForestIR.h - packing problems and forests in IR ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The packing library works on rank topologies and trees, the dialect on
// requests and forests. This file converts between the two.
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

/// The packing problem that a request, forest or schedule op poses, with
/// everything that the problem points to. Heap-allocated because `problem`
/// points at `rankTopology`.
struct ProblemFromIR {
  TopologyFromIR machine;
  RankTopology rankTopology;
  PackingProblem problem = {};
  int maxPeers = 0; ///< The most peers of a rank; 0: no limit.
  /// In each tree, one rank per server sends to other servers.
  bool phases = false;
  std::optional<Association> association = {}; ///< `problem` points to it.
  /// The type in which partial sums of narrow types travel; packing ignores it.
  sched::Accumulation accumulate = sched::Accumulation::none;
  /// The symmetry of a forest: the images of its trees are all the trees. Null
  /// if the forest lists all trees.
  std::shared_ptr<const Symmetry> symmetry = nullptr;
};

/// Allows trees to use switches, if there are suitable ones and the collective
/// adds or copies.
void askForSwitches(ProblemFromIR &from);

/// Requests trees in three phases. Errors: a collective or a job that cannot
/// have them.
llvm::Error askForPhases(ProblemFromIR &from);

/// Requests trees that add in one order (PackingProblem::association). Errors:
/// a collective that adds nothing.
llvm::Error askForOrder(ProblemFromIR &from, Parentheses parentheses);

/// Limits the problem's ranks to `most` peers each. Errors: those of
/// limitNetworkPeers.
llvm::Error limitPeers(ProblemFromIR &from, int most, PeerLimits &limits);

/// Removes that limit.
llvm::Error allowAllPeers(ProblemFromIR &from);

/// Errors are emitted on `op`.
mlir::FailureOr<std::unique_ptr<ProblemFromIR>>
problemFromIR(mlir::Operation *op, collective::CollectiveKind collective,
              mlir::FlatSymbolRefAttr topology, llvm::ArrayRef<int32_t> gpus,
              mlir::DenseI32ArrayAttr relays, collective::LinkKindsAttr links,
              int32_t root);
mlir::FailureOr<std::unique_ptr<ProblemFromIR>>
problemFromIR(collective::ForestOp forest, PeerLimits &limits);

/// Builds a forest from `packing`, with `candidates` as trees of share zero.
/// Shares are the exact shares of `packing`'s weights, and `algbw` is the rate
/// that they sustain. Errors are emitted at `loc`.
mlir::FailureOr<collective::ForestOp>
buildForest(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::FlatSymbolRefAttr topology, const ProblemFromIR &from,
            const Packing &packing, const PackingCertificate &certificate,
            llvm::ArrayRef<Tree> candidates);

/// Reads a forest back. Trees of share zero are in `candidates` only.
PackedTrees readForest(collective::ForestOp forest, const ProblemFromIR &from);

/// Returns the exact shares of the trees of the forest's packing.
Shares readShares(collective::ForestOp forest);

/// Returns the symbols of the trees of the forest's packing.
std::vector<std::string> readNames(collective::ForestOp forest);

/// Replaces tree t of the forest's packing by `parts[t]` equal trees, and
/// renames all trees.
void splitTrees(collective::ForestOp forest, llvm::ArrayRef<unsigned> parts);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_FORESTIR_H
