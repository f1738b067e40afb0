//===- IdFile.h - a job's id, from rank 0 to the others by files *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks that only share a file system. A file that an earlier run has left must
// not be believed, and clocks of servers differ. So each rank asks for the id
// in a file of its own, FILE.rank3, with a number that it has drawn, and rank 0
// answers in FILE with the id and the numbers of all who have asked. A rank
// takes an answer that has its number, and removes its question; when none is
// left rank 0 removes the answer. Old questions get an answer that nobody
// takes, and then a new one.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_IDFILE_H
#define BLINK_TOOLS_BLINKPERF_IDFILE_H

#include "runtime/blink.h"

#include <string>

namespace blink::perf {

/// Throws UsageError if there is something at `path` that no job's id is in:
/// shareId replaces and removes what is there.
void checkIdFile(const std::string &path);

/// Gives rank 0's `id` to the other ranks, of whom each gets it. The id is a
/// secret: files are for their owner alone. Throws std::runtime_error: a file
/// cannot be written, or somebody has not come after `timeoutMs`.
void shareId(const std::string &path, int rank, int ranks, int timeoutMs,
             blinkUniqueId &id);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_IDFILE_H
