//===- GoldenFile.h - golden summaries as files -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// NAME.golden.json: JSON with one program a line, so that a difference between
// two versions in a repository reads well. The last line but one is a checksum
// of all lines before it: numbers that were not compiled are not golden.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_GOLDENFILE_H
#define BLINK_COMPILER_CHECK_GOLDENFILE_H

#include "compiler/check/Golden.h"

namespace blink {

/// The text of a file: the same for the same `golden`, everywhere.
std::string writeGolden(const Golden &golden);

/// Reads a file's text; `path` is for messages. Line ends may have become CR LF
/// on the way. Errors, "PATH: what, and the remedy" or "PATH:LINE:COLUMN:
/// error:
/// ...": another version, a checksum that does not match, no JSON, a key that
/// is missing, unknown or holds something else.
llvm::Expected<Golden> readGolden(llvm::StringRef text, llvm::StringRef path);

/// What a file that readGolden refuses still says of the allocations it is for;
/// empty if it does not.
std::string salvageAllocations(llvm::StringRef text);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDENFILE_H
