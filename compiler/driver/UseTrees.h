//===- UseTrees.h - forests of trees that others made -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_USETREES_H
#define BLINK_COMPILER_DRIVER_USETREES_H

#include "compiler/import/ForeignForest.h"

#include "mlir/IR/BuiltinOps.h"

namespace blink {

/// Replaces the request in `module`, which is of one, by a forest of these
/// trees with the bound of Blink's own. An allgather takes trees as they are, a
/// reducescatter backwards, an allreduce backwards and then forwards, a
/// broadcast or reduce those of its root.
///
/// Names are ids of the topology's nodes. Where names of GPUs are not, ranks
/// are those names in the order of the numbers in them, (0, 'GPU', 3) before
/// (1, 'GPU', 0); where others on a path are not, the path with fewest links is
/// taken. Errors, with the place in the file where there is one: other
/// collectives; GPUs that are not the request's; trees that do not span them;
/// links that are not there; shares too small to say.
llvm::Error useTrees(mlir::ModuleOp module, const ForeignForest &forest);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_USETREES_H
