//===- Collective.h - the collective dialect --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// C++ names of the dialect: include this to build, read or register its IR.
// Depends on MLIR, but on no solver and no file format.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_COLLECTIVE_H
#define BLINK_DIALECT_COLLECTIVE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>

#include "dialect/CollectiveEnums.h.inc"

#include "dialect/CollectiveDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/CollectiveAttrs.h.inc"

#include "dialect/CollectiveInterfaces.h.inc"

namespace blink::collective {

class TopologyOp;

/// Return whether the collective has a root, and whether data goes to roots
/// (`up` trees) and away from them (`down` trees).
bool isRooted(CollectiveKind collective);
bool hasUpTrees(CollectiveKind collective);
bool hasDownTrees(CollectiveKind collective);
/// Returns true if the collective adds up what ranks contribute.
bool reduces(CollectiveKind collective);
/// Returns the number of blocks that the trees of a forest split: one, or one
/// per rank.
int32_t numBlocks(CollectiveKind collective, int32_t numRanks);
/// Returns the number of blocks that the shares of a schedule split: as many as
/// in the forest, but in gather, scatter and all_to_all one for each chain of a
/// tree.
int32_t numShareBlocks(CollectiveKind collective, int32_t numRanks);

/// Returns the topology op that a symbol names, or null after an error on
/// `user`.
TopologyOp lookupTopology(mlir::Operation *user,
                          mlir::SymbolTableCollection &symbols,
                          mlir::FlatSymbolRefAttr topology);

/// Checks that `user` names an existing topology, that the allocation's GPUs
/// exist in it, none twice, and that the root, if any, is one of the ranks.
mlir::LogicalResult
verifyAllocation(mlir::Operation *user, mlir::SymbolTableCollection &symbols,
                 mlir::FlatSymbolRefAttr topology, llvm::ArrayRef<int32_t> gpus,
                 mlir::DenseI32ArrayAttr relays, std::optional<int32_t> root);

} // namespace blink::collective

#define GET_OP_CLASSES
#include "dialect/CollectiveOps.h.inc"

#endif // BLINK_DIALECT_COLLECTIVE_H
