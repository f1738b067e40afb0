//===- SharedContext.h - an MLIR context for many inputs --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_FUZZ_SHAREDCONTEXT_H
#define BLINK_TEST_FUZZ_SHAREDCONTEXT_H

#include "compiler/driver/Pipeline.h"

#include "mlir/IR/MLIRContext.h"

namespace blink::test {

/// Returns a context for the next input. Making one takes longer than most
/// inputs, but a context keeps every attribute that it has seen, so it is
/// replaced now and then.
inline mlir::MLIRContext *sharedContext() {
  constexpr int kInputs = 1000;
  static std::unique_ptr<mlir::MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % kInputs == 0)
    context = createContext();
  return context.get();
}

/// A callback for runPipeline that does nothing.
inline llvm::Error keepGoing(Phase, mlir::ModuleOp) {
  return llvm::Error::success();
}

} // namespace blink::test

#endif // BLINK_TEST_FUZZ_SHAREDCONTEXT_H
