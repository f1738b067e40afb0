//===- UseTrees.h - forests of imported trees -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_USETREES_H
#define BLINK_COMPILER_DRIVER_USETREES_H

#include "compiler/import/ForeignForest.h"

#include "mlir/IR/BuiltinOps.h"

namespace blink {

/// Replaces the one request in `module` by a forest of the trees in `forest`,
/// with the bound that Blink finds. An allgather takes the trees as they are, a
/// reducescatter takes them reversed, an allreduce reversed and then as they
/// are, a broadcast or reduce takes those of its root.
///
/// Names are ids of the topology's nodes. If a name of a GPU is no id, the
/// ranks are the names in the order of the numbers in them: (0, 'GPU', 3) comes
/// before (1, 'GPU', 0). If another name on a path is no id, the path with the
/// fewest links is taken. Errors, with the place in the file where one is
/// known: other collectives; other GPUs than the request's; trees that do not
/// span them; links that do not exist; shares that are too small to be written.
llvm::Error useTrees(mlir::ModuleOp module, const ForeignForest &forest);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_USETREES_H
