//===- OutputFile.h - writes files whole or not at all ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
#define BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H

#include <string>

namespace blink::perf {

/// Writes to a temporary file and renames it, so that `path` always has either
/// the old or the new content. A path that is no regular file (/dev/stdout) is
/// written in place. Throws std::runtime_error after removing the temporary
/// file.
void writeFile(const std::string &path, const std::string &text,
               unsigned mode = 0644);

/// Throws UsageError if `path` is known to be unwritable, so that this is not
/// noticed only after minutes of measurements.
void checkWritable(const std::string &path);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
