//===- OutputFile.h - writing files whole or not at all ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_OUTPUTFILE_H
#define BLINK_COMPILER_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace blink {

/// Writes `bytes` to a temporary file beside `path` and renames it to `path`,
/// so that `path` holds the old content or the new, never a part. `-` is
/// standard output; what exists and is no regular file (a pipe, /dev/null) is
/// written in place. Errors: "PATH: cannot write: reason", with the temporary
/// file gone and `path` untouched.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_OUTPUTFILE_H
