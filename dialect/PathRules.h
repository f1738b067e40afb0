//===- PathRules.h - rules for forests and schedules ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that forests and schedules share: prices, rates, shares and paths.
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_PATHRULES_H
#define BLINK_DIALECT_PATHRULES_H

#include "dialect/Collective.h"

#include "llvm/ADT/MapVector.h"

#include <cmath>

namespace blink::collective {

/// Checks paths: every link exists and is of a kind that may be used, each link
/// begins where the previous one ends, the ends are the GPUs of the two ranks,
/// and the only GPUs in between are those that a path may go over. Relays are
/// numbered after the ranks.
class PathChecker {
public:
  enum class Over { nobody, relays, ranks }; ///< `ranks` includes relays.

  PathChecker(TopologyOp topology, llvm::ArrayRef<int32_t> gpus,
              mlir::DenseI32ArrayAttr relays, LinkKindsAttr links,
              mlir::SymbolTableCollection &symbols);

  mlir::LogicalResult check(mlir::Operation *user, int32_t from, int32_t to,
                            llvm::ArrayRef<mlir::StringAttr> path, Over over);

  /// Checks that the switch of `use`, if there is one, can do what `use` says
  /// and is linked to the root, a rank.
  mlir::LogicalResult checkSwitch(mlir::Operation *user, int32_t root,
                                  std::optional<SwitchUseAttr> use);

private:
  mlir::SymbolTable &table_;
  LinkKindsAttr links_;
  llvm::SmallVector<NodeOp> rankNodes_;
  size_t numRanks_;
};

/// Returns the number of images that each tree of a forest or schedule stands
/// for, itself included. Its `symmetry` must be valid.
template <typename Op> int64_t numImages(Op op) {
  int64_t images = 1;
  if (op.getSymmetry())
    for (auto renaming : op.getSymmetry()->template getAsRange<RenamingAttr>())
      images *= std::max(renaming.getSteps(), 1);
  return images;
}

/// Errors: a `symmetry` together with a root, relays or ordered sums, or one
/// whose steps do not divide the ranks.
template <typename Op> mlir::LogicalResult verifySymmetry(Op op) {
  if (!op.getSymmetry())
    return mlir::success();
  if (op.getRoot() || op.getRelays() || op.getSums())
    return op.emitOpError(
        "has a symmetry, which one root, relays or sums in an "
        "order have not");
  const auto numRanks = int64_t(op.getGpus().size());
  int64_t images = 1;
  for (auto renaming : op.getSymmetry()->template getAsRange<RenamingAttr>()) {
    const int64_t steps = renaming.getSteps();
    images = steps < 2 || steps > numRanks ? 0 : images * steps;
    if (images == 0 || numRanks % images != 0)
      return op.emitOpError()
             << "has a renaming of " << steps << " steps, "
             << "expected 2 or more, which divide the " << numRanks << " ranks";
  }
  return mlir::success();
}

/// Checks what a forest or schedule states: it has a root if and only if the
/// collective has one, rates and prices are valid numbers, and the sizes are a
/// range that a variant can be for.
template <typename Op> mlir::LogicalResult verifyStatement(Op op) {
  int64_t least = op.getMinBytes().value_or(0);
  if (least < 0)
    return op.emitOpError() << "has min_bytes " << least << ", expected >= 0";
  if (op.getMaxBytes() && int64_t(*op.getMaxBytes()) <= least)
    return op.emitOpError() << "has max_bytes " << int64_t(*op.getMaxBytes())
                            << ", expected more than min_bytes, " << least;
  if (op.getRoot().has_value() != isRooted(op.getCollective()))
    return op.emitOpError()
           << stringifyCollectiveKind(op.getCollective())
           << (op.getRoot() ? " has no root" : " needs a root");
  if (op.getSums() && !reduces(op.getCollective()))
    return op.emitOpError()
           << stringifyCollectiveKind(op.getCollective()) << " has no sums";
  if (op.getAccumulate() && !reduces(op.getCollective()))
    return op.emitOpError() << stringifyCollectiveKind(op.getCollective())
                            << " accumulates nothing";
  if (!(op.getAlgbw().convertToDouble() > 0) ||
      !(op.getBound().convertToDouble() > 0))
    return op.emitOpError("algbw and bound must be > 0 GB/s");
  for (double price : op.getPrices())
    if (!(price >= 0) || std::isinf(price))
      return op.emitOpError("prices must be >= 0 and finite");
  return verifySymmetry(op);
}

/// Checks the machine of a forest or schedule: it exists, it has the GPUs, and
/// there is one price per link. Returns a checker of paths over it.
template <typename Op>
mlir::FailureOr<PathChecker>
verifyMachine(Op op, mlir::SymbolTableCollection &symbols) {
  if (failed(verifyAllocation(op, symbols, op.getTopologyAttr(), op.getGpus(),
                              op.getRelaysAttr(), op.getRoot())))
    return mlir::failure();
  TopologyOp topology = lookupTopology(op, symbols, op.getTopologyAttr());
  if (op.getPrices().size() != topology.getNumLinks())
    return op.emitOpError()
           << "has " << op.getPrices().size() << " prices for "
           << topology.getNumLinks() << " links of the topology";
  return PathChecker(topology, op.getGpus(), op.getRelaysAttr(),
                     op.getLinksAttr(), symbols);
}

/// Adds up the exact shares of each block and checks that each sum is one.
class ShareSum {
public:
  /// Errors: a denominator < 1, a share outside 0 to 1, a block out of range or
  /// below the previous one, two denominators in one block.
  mlir::LogicalResult add(mlir::Operation *op, int32_t block, int32_t numBlocks,
                          int64_t numerator, int64_t denominator);
  /// If there is one block, each share stands for `images` shares; otherwise
  /// each block that is there stands for `images` blocks.
  mlir::LogicalResult verify(mlir::Operation *op, int32_t numBlocks,
                             int64_t images = 1);

private:
  struct Sum {
    int64_t numerator = 0;
    int64_t denominator = 0;
  };
  llvm::MapVector<int32_t, Sum> sums_;
};

} // namespace blink::collective

#endif // BLINK_DIALECT_PATHRULES_H
