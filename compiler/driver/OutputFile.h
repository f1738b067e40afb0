//===- OutputFile.h - writing files atomically ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_OUTPUTFILE_H
#define BLINK_COMPILER_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace blink {

/// Writes `bytes` to the file `path` as schedules/WholeFile.h says, so that it
/// always holds either the old or the new content. `-` is standard output.
/// Errors: "PATH: cannot write: reason"; `path` is then untouched.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// Returns true if `path` is `-` or another name of standard output, where a
/// report would follow the file's bytes.
bool isStandardOutput(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_OUTPUTFILE_H
