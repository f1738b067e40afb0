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

/// Writes `bytes` to a temporary file next to `path` and renames it to `path`,
/// so that `path` always holds either the old or the new content. `-` is
/// standard output. An existing file that is no regular file (a pipe,
/// /dev/null) is written in place. Errors: "PATH: cannot write: reason"; the
/// temporary file is then removed and `path` is untouched.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_OUTPUTFILE_H
