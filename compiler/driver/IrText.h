//===- IrText.h - checks of IR text before parsing --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's parser and printer handle nested text by recursion, so a small text
// can exhaust the stack. They also print an alias where it is used, so a small
// text can expand without limit. Both are acceptable in developers' tools.
// checkIrText() refuses such texts before the parser sees them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_IRTEXT_H
#define BLINK_COMPILER_DRIVER_IRTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace blink {

/// Returns an error, with its place in `fileName`, if `text` is MLIR bytecode,
/// any other binary data, or XML, has brackets nested deeper than 64 levels,
/// defines names of attributes or types (`#a = `), or has affine maps or sets.
/// No IR of collectives needs any of these. All else is left to the parser.
llvm::Error checkIrText(llvm::StringRef text, llvm::StringRef fileName);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_IRTEXT_H
