//===- ByJob.h - calls that all ranks of a job make -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_BYJOB_H
#define BLINK_RUNTIME_API_BYJOB_H

#include "runtime/api/Comm.h"
#include "runtime/api/Threads.h"

#include <algorithm>

namespace blink::runtime {

/// Sorts the calls of a group by job, and calls `run` for the calls of each
/// job, in ascending order of ranks. Each job has a thread of its own: ranks
/// that joined by an id count as separate jobs here, and wait for each other.
/// `run` either returns one error for all its calls, or reports the error of
/// each and returns the first. Returns the first error. `name`: a verb for
/// messages, as "splits".
template <typename Pending, typename Run>
Status runByJob(std::vector<Pending> &calls, const char *name, const Run &run) {
  std::vector<std::vector<Pending *>> jobs;
  for (Pending &call : calls) {
    auto job = std::find_if(jobs.begin(), jobs.end(), [&](const auto &known) {
      return known[0]->state->backend == call.state->backend;
    });
    if (job == jobs.end())
      job = jobs.insert(job, std::vector<Pending *>());
    job->push_back(&call);
  }
  const std::vector<Status> results = onThreads(jobs.size(), [&](size_t j) {
    std::vector<Pending *> &job = jobs[j];
    std::sort(job.begin(), job.end(),
              [](const auto *a, const auto *b) { return a->rank < b->rank; });
    Status status;
    for (size_t i = 1; i < job.size() && status.ok(); ++i)
      if (job[i]->rank == job[i - 1]->rank)
        status = Status(blinkInvalidUsage, "rank ", job[i]->rank, " ", name,
                        " twice in one group");
    if (status.ok())
      return run(job);
    for (Pending *call : job)
      call->state->lastError.set(status.text);
    return status;
  });
  for (const Status &status : results)
    if (!status.ok())
      return status;
  return {};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_BYJOB_H
