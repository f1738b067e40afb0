//===- FoldBuilder.h - channels and folds, one by one -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_FOLDBUILDER_H
#define BLINK_COMPILER_PASSES_FOLDBUILDER_H

#include "compiler/plan/OneHop.h"
#include "compiler/target/ForestIR.h"

namespace blink {

/// Makes a schedule op beside a forest, with a rank op for each rank and
/// relay, and fills it. Shares and channels stand before the ranks; the folds
/// of a rank stand in the order of their arrival.
class FoldBuilder {
public:
  FoldBuilder(collective::ForestOp forest, const ProblemFromIR &from);

  collective::ForestOp forest() const { return forest_; }
  collective::ScheduleOp schedule() const { return schedule_; }
  int numRanks() const { return from_.fabric.numRanks(); }

  /// One of `parts` equal parts of block 0.
  mlir::FlatSymbolRefAttr addShare(llvm::StringRef name, int root, int parts,
                                   int depth);
  /// A part of a block, like `tree`'s share of its own one.
  mlir::FlatSymbolRefAttr addShare(collective::TreeOp tree,
                                   llvm::StringRef name, int block, int depth);
  /// What the edge's first rank writes and its last rank reads: one channel,
  /// or several with relays that forward between them.
  struct Connection {
    mlir::Attribute entry;
    mlir::Attribute exit;
  };
  /// Makes the channels of an edge's path. Errors are emitted on the forest.
  mlir::FailureOr<Connection> connect(collective::EdgeAttr edge,
                                      mlir::FlatSymbolRefAttr share);
  mlir::FailureOr<Connection> connect(int from, int to, const Path &path,
                                      mlir::FlatSymbolRefAttr share);
  void addFold(int rank, mlir::FlatSymbolRefAttr share,
               llvm::ArrayRef<mlir::Attribute> sources,
               llvm::ArrayRef<mlir::Attribute> destinations, bool completes);
  /// Puts the folds of each rank that follow each other and are of one share
  /// into a lane, in the order they have.
  void joinLanes();
  mlir::Attribute input(int block);
  mlir::Attribute output(int block);

private:
  mlir::Attribute addChannel(const Fabric::Segment &segment,
                             mlir::FlatSymbolRefAttr share);

  collective::ForestOp forest_;
  const ProblemFromIR &from_;
  mlir::OpBuilder builder_;
  collective::ScheduleOp schedule_;
  mlir::Operation *firstRank_ = nullptr;
  llvm::SmallVector<mlir::Block *> ranks_;
  int numChannels_ = 0;
};

/// An allreduce of one hop as a schedule before `forest`, of the same problem,
/// rate and proof. Errors are emitted on the forest.
mlir::FailureOr<collective::ScheduleOp>
expandOneHop(collective::ForestOp forest, const ProblemFromIR &from,
             const OneHop &oneHop);

/// The folds of a tree of a routed collective (Packing.h): a chain of copies
/// for each rank, with a share of the block that goes there, or comes from
/// there. Errors are emitted on the forest.
mlir::LogicalResult expandChains(FoldBuilder &builder,
                                 llvm::ArrayRef<collective::TreeOp> trees);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_FOLDBUILDER_H
