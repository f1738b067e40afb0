//===- SymmetryIR.h - symmetries in and out of IR ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The `symmetry` of a forest or schedule op is what Symmetry::generators()
// lists.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SYMMETRYIR_H
#define BLINK_COMPILER_TARGET_SYMMETRYIR_H

#include "compiler/topology/symmetry/Symmetry.h"
#include "dialect/Collective.h"

#include <memory>

namespace blink {

/// Null where there is none.
mlir::ArrayAttr symmetryToIR(mlir::MLIRContext *context,
                             const Symmetry *symmetry);

/// Null of null. Errors, on `op`: renamings that are no symmetry of the ranks.
mlir::FailureOr<std::shared_ptr<const Symmetry>>
symmetryFromIR(mlir::Operation *op, std::optional<mlir::ArrayAttr> attr,
               const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SYMMETRYIR_H
