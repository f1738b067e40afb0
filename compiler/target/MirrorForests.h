//===- MirrorForests.h - forests of mirrored collectives --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduce is a broadcast with every edge reversed. A reducescatter relates to
// an allgather in the same way, and a gather to a scatter. Trees packed for one
// of the two therefore serve the other.
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

/// Returns, for each link, the link back, of the same kind, bandwidth and
/// latency. Returns std::nullopt if some link has no such link back: then
/// nothing can be mirrored.
std::optional<std::vector<int>> reverseLinks(const Topology &topology);

/// Returns a copy of `module` with each forest reversed, for `collective`. The
/// forests must be for the collective that traitsOf() calls its mirror, and
/// `reverse` must be the reverseLinks() of their topology. Rates, bounds and
/// sizes stay the same because the machine is the same with its links reversed.
mlir::OwningOpRef<mlir::ModuleOp> mirrorForests(mlir::ModuleOp module,
                                                Collective collective,
                                                llvm::ArrayRef<int> reverse);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_MIRRORFORESTS_H
