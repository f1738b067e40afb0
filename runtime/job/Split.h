//===- Split.h - dividing a job by colours ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SPLIT_H
#define BLINK_RUNTIME_JOB_SPLIT_H

#include "runtime/job/Successor.h"

namespace blink::runtime {

/// The arguments and results of blinkCommSplit for one rank.
struct SplitRank {
  int rank = 0; ///< in the old job
  int color = 0, key = 0;
  SuccessorSettings settings;
  // Set by split():
  Status status;
  std::shared_ptr<Backend> backend; ///< of the new job; null without a colour
  int newRank = -1;
};

/// Makes a job of all ranks of each colour, ordered by key and then rank, with
/// the programs that the files of `old` have for their GPUs. Called for `self`,
/// ranks of this process, each once; returns when their jobs are made. `old`
/// stays usable, unless a rank does not call in time, dies or aborts. Errors,
/// of all ranks of a colour: no program fits; the ranks name different failed
/// links; the back end's.
void split(Backend &old, const std::vector<SplitRank *> &self);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SPLIT_H
