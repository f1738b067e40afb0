//===- Passes.h - the compiler's passes -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_PASSES_H
#define BLINK_COMPILER_PASSES_PASSES_H

#include "dialect/Collective.h"

#include "compiler/packing/PackTrees.h"

#include "mlir/Pass/Pass.h"

namespace blink {

#define GEN_PASS_DECL
#include "compiler/passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/passes/Passes.h.inc"

/// The solver's passes under a watcher, which shows progress and may stop them
/// with the best result so far (PackTrees.h). The watcher must outlive the
/// pass.
std::unique_ptr<mlir::Pass>
createPackTreesPass(const PackTreesPassOptions &options,
                    const SolveWatcher &watcher);
std::unique_ptr<mlir::Pass>
createSelectTreesPass(const SelectTreesPassOptions &options,
                      const std::function<bool()> &keepGoing);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_PASSES_H
