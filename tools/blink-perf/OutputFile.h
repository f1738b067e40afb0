//===- OutputFile.h - files for results -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
#define BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H

#include "schedules/WholeFile.h"

#include <string>

namespace blink::perf {

/// Writes a file whole or not at all, as schedules/WholeFile.h says. Throws
/// std::runtime_error.
void writeFile(const std::string &path, const std::string &text,
               sched::FileAccess access = sched::FileAccess::shared);

/// Throws UsageError if `path` is known to be unwritable, so that this is not
/// noticed only after minutes of measurements.
void checkWritable(const std::string &path);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_OUTPUTFILE_H
