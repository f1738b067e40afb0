//===- Job.h - runs a job of the storm --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_JOB_H
#define BLINK_TEST_STORM_JOB_H

#include "test/storm/Rank.h"

#include <functional>

namespace blink::storm {

/// Makes the communicators, runs a thread for each driver, and returns when all
/// calls have been made and checked.
void runJob(const JobPlan &job, Findings &findings);

/// Runs the part of one process in a job of several. `meetOthers` returns when
/// all processes are done: destroying a communicator earlier would fail the
/// others' calls.
void runMember(const JobPlan &job, int rank, const blinkUniqueId &id,
               Findings &findings, const std::function<void()> &meetOthers);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_JOB_H
