//===- Passes.h - the compiler's passes -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_PASSES_H
#define BLINK_COMPILER_PASSES_PASSES_H

#include "dialect/Collective.h"

#include "mlir/Pass/Pass.h"

namespace blink {

#define GEN_PASS_DECL
#include "compiler/passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/passes/Passes.h.inc"

} // namespace blink

#endif // BLINK_COMPILER_PASSES_PASSES_H
