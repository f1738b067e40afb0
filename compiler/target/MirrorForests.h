//===- MirrorForests.h - forests of the opposite collective -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduce is a broadcast with every edge reversed, a reducescatter such an
// allgather, a gather such a scatter. What was packed for one serves the other.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_MIRRORFORESTS_H
#define BLINK_COMPILER_TARGET_MIRRORFORESTS_H

#include "compiler/topology/Topology.h"
#include "dialect/Collective.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace blink {

/// For each link the one back, of the same kind, bandwidth and latency. None if
/// some link has no such one: then nothing can be mirrored.
std::optional<std::vector<int>> reverseLinks(const Topology &topology);

/// A copy of `module` with each forest reversed, for `collective`; its
/// forests must be of the collective that traitsOf() calls its mirror.
/// `reverse` is that of their topology. Rates, bounds and sizes stay: with
/// links reversed, the machine is the same.
mlir::OwningOpRef<mlir::ModuleOp> mirrorForests(mlir::ModuleOp module,
                                                Collective collective,
                                                llvm::ArrayRef<int> reverse);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_MIRRORFORESTS_H
