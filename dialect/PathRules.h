//===- PathRules.h - what forests and schedules say of a topology -*- C++ -*-=//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that forests and schedules share: prices, rates, shares, and paths
// that lead where they say. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_PATHRULES_H
#define BLINK_DIALECT_PATHRULES_H

#include "dialect/Collective.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace blink::collective {

/// Finds paths wrong: every link exists, each begins where the one before
/// ends, the ends are the GPUs of the two ranks, and no GPU lies between but,
/// where that is asked for, relays. Relays are counted after the ranks.
class PathChecker {
public:
  PathChecker(TopologyOp topology, llvm::ArrayRef<int32_t> gpus,
              mlir::DenseI32ArrayAttr relays,
              mlir::SymbolTableCollection &symbols);

  mlir::LogicalResult check(mlir::Operation *user, int32_t from, int32_t to,
                            llvm::ArrayRef<mlir::StringAttr> path,
                            bool overRelays);

private:
  mlir::SymbolTable &table_;
  llvm::SmallVector<NodeOp> rankNodes_;
  llvm::StringSet<> relayNames_;
};

/// Root iff the collective has one; rates and prices are sound numbers.
mlir::LogicalResult verifyRates(mlir::Operation *op, CollectiveKind collective,
                                std::optional<int32_t> root, double algbw,
                                double bound, llvm::ArrayRef<double> prices);

/// Sizes that a variant can be for.
mlir::LogicalResult verifySizes(mlir::Operation *op,
                                std::optional<int64_t> minBytes,
                                std::optional<int64_t> maxBytes);

/// One price a link.
mlir::LogicalResult verifyPriceCount(mlir::Operation *op, TopologyOp topology,
                                     llvm::ArrayRef<double> prices);

/// Adds up the exact shares of each block and compares with one.
class ShareSum {
public:
  /// Errors: a denominator < 1, a share outside 0 to 1, a block out of range or
  /// before the last one, two denominators in one block.
  mlir::LogicalResult add(mlir::Operation *op, int32_t block, int32_t numBlocks,
                          int64_t numerator, int64_t denominator);
  mlir::LogicalResult verify(mlir::Operation *op, int32_t numBlocks);

private:
  struct Sum {
    int64_t numerator = 0;
    int64_t denominator = 0;
  };
  llvm::MapVector<int32_t, Sum> sums_;
};

} // namespace blink::collective

#endif // BLINK_DIALECT_PATHRULES_H
