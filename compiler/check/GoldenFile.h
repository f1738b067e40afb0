//===- GoldenFile.h - golden summaries as files -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// NAME.golden.json: JSON with one program per line, so that differences between
// two versions in a repository are readable. The last line but one is a
// checksum of all lines before it, which reveals numbers that were edited and
// not compiled.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_GOLDENFILE_H
#define BLINK_COMPILER_CHECK_GOLDENFILE_H

#include "compiler/check/Golden.h"

namespace blink {

/// Returns the text of a file. It depends on `golden` only, not on the system.
std::string writeGolden(const Golden &golden);

/// Reads a file's text; `path` is for messages. Line ends may have become CR
/// LF. Errors, "PATH: what, and the remedy" or "PATH:LINE:COLUMN: error: ...":
/// another version, a checksum that does not match, no JSON, a key that is
/// missing, unknown or of the wrong type.
llvm::Expected<Golden> readGolden(llvm::StringRef text, llvm::StringRef path);

/// Returns the allocations that a file is for even if readGolden refuses it;
/// empty if the text does not say them.
std::string salvageAllocations(llvm::StringRef text);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDENFILE_H
