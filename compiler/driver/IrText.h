//===- IrText.h - what IR may be read ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's parser and printer follow what is nested by calling themselves, so
// that a small text takes all of the stack, and print an alias where it is
// used, so that a small text becomes an endless one. Both are for the tools of
// developers; this keeps such texts from them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_IRTEXT_H
#define BLINK_COMPILER_DRIVER_IRTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace blink {

/// Error, with its place in `fileName`, where `text` is MLIR's bytecode, any
/// other binary data or XML, has brackets nested deeper than 64 levels, names
/// attributes or types (`#a = `), or has affine maps or sets: no IR of
/// collectives does. All else is left to the parser.
llvm::Error checkIrText(llvm::StringRef text, llvm::StringRef fileName);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_IRTEXT_H
