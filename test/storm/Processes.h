//===- Processes.h - jobs whose ranks are processes -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The program starts itself once for each rank. A member derives its job from
// the seed, and reports by its exit code and on standard output.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_PROCESSES_H
#define BLINK_TEST_STORM_PROCESSES_H

#include "test/storm/Rank.h"

namespace blink::storm {

/// The exit code of a member whose calls had wrong results; other codes than 0
/// are errors.
inline constexpr int kWrongResults = 3;

/// Starts the members with these arguments after the program's name, and waits
/// for them.
void runProcesses(const JobPlan &job, const std::vector<std::string> &arguments,
                  Findings &findings);

/// In a member: returns the id that runProcesses has passed to it.
blinkUniqueId idOfMember();
/// In a member: returns when all members have called it or have ended.
void meetOtherMembers();

} // namespace blink::storm

#endif // BLINK_TEST_STORM_PROCESSES_H
