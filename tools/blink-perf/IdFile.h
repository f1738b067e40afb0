//===- IdFile.h - a job's id, from rank 0 to the others by files *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For ranks that share a file system only. A file that an earlier run left
// behind must not be trusted, and the clocks of servers differ. Therefore each
// rank asks for the id in a file of its own, FILE.rank3, which contains a
// random number. Rank 0 answers in FILE with the id and the numbers of all
// ranks that have asked. A rank accepts an answer that contains its number, and
// removes its question; when no questions are left, rank 0 removes the answer.
// An old question gets an answer that no rank accepts, until a new question
// replaces it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_IDFILE_H
#define BLINK_TOOLS_BLINKPERF_IDFILE_H

#include "runtime/blink.h"

#include <string>

namespace blink::perf {

/// Throws UsageError if there is something at `path` that is not the id of a
/// job, because shareId would replace and remove it.
void checkIdFile(const std::string &path);

/// The same for the questions that this rank reads or writes: if it is rank 0,
/// those of all `ranks`. Call it before the job begins.
void checkQuestions(const std::string &path, int rank, int ranks);

/// Passes rank 0's `id` to the other ranks; returns when each has it. The id is
/// a secret, so the files are readable for their owner only. Throws
/// std::runtime_error: a file cannot be written, or a rank is missing after
/// `timeoutMs`.
void shareId(const std::string &path, int rank, int ranks, int timeoutMs,
             blinkUniqueId &id);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_IDFILE_H
