//===- Processes.h - jobs whose ranks are processes -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The program starts itself once for each rank. A member finds out from the
// seed what its job is, and reports by its exit code and on standard output.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_PROCESSES_H
#define BLINK_TEST_STORM_PROCESSES_H

#include "test/storm/Rank.h"

namespace blink::storm {

/// Starts the members with these arguments behind the program's name, and
/// waits for them.
void runProcesses(const JobPlan &job, const std::vector<std::string> &arguments,
                  Findings &findings);

/// In a member: the id that runProcesses has given it.
blinkUniqueId idOfMember();
/// In a member: returns when all members have called it, or are gone.
void meetOtherMembers();

} // namespace blink::storm

#endif // BLINK_TEST_STORM_PROCESSES_H
