//===- ReadBytes.h - reading files of a limited size ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_READBYTES_H
#define BLINK_COMPILER_SUPPORT_READBYTES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace blink {

/// Returns the content of a file, or of standard input if `path` is `-`. What
/// is no regular file may never end (/dev/zero, a pipe), so no more than 1 GiB
/// is read: then the error is file_too_large, as for larger files.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readBytes(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_READBYTES_H
