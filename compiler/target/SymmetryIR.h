//===- SymmetryIR.h - symmetries in and out of IR ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The `symmetry` attribute of a forest or schedule op lists the generators of a
// Symmetry (Symmetry::generators()).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SYMMETRYIR_H
#define BLINK_COMPILER_TARGET_SYMMETRYIR_H

#include "compiler/topology/symmetry/Symmetry.h"
#include "dialect/Collective.h"

#include <memory>

namespace blink {

/// Returns null if `symmetry` is null.
mlir::ArrayAttr symmetryToIR(mlir::MLIRContext *context,
                             const Symmetry *symmetry);

/// Returns null if there is no attribute. Errors, on `op`: renamings that are
/// no symmetry of the ranks.
mlir::FailureOr<std::shared_ptr<const Symmetry>>
symmetryFromIR(mlir::Operation *op, std::optional<mlir::ArrayAttr> attr,
               const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SYMMETRYIR_H
