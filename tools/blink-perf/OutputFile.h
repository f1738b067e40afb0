//===- OutputFile.h - writes files whole or not at all ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
#define BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H

#include <string>

namespace blink::perf {

/// Writes under a temporary name and renames, so that `path` holds the old
/// content or the new; what is no regular file (/dev/stdout) is written in
/// place. Throws std::runtime_error; the temporary file is gone then.
void writeFile(const std::string &path, const std::string &text,
               unsigned mode = 0644);

/// Minutes of measuring must not end in a path that cannot be written: throws
/// UsageError where that can be known before.
void checkWritable(const std::string &path);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
