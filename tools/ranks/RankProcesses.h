//===- RankProcesses.h - a process a rank -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_RANKS_RANKPROCESSES_H
#define BLINK_TOOLS_RANKS_RANKPROCESSES_H

#include "tools/ranks/Handles.h"
#include "tools/ranks/SharedState.h"

namespace blink {

/// Forks a process for each rank that calls run(rank), then calls meanwhile()
/// here and waits for all of them; there must be no other thread. The first
/// failure is in `shared`: what a rank has said there, what was thrown by
/// run(), or that a process was ended, or stopped for a while. All others are
/// ended then, and all of them when this process is, in whatever way.
void runRankProcesses(int numRanks, SharedState &shared,
                      const std::function<void(int rank)> &run,
                      const std::function<void()> &meanwhile);

/// What this thread's last call says of its `result`.
std::string lastError(blinkResult_t result);

/// In the process of a rank: joins the others by an id that rank 0 makes.
/// False: the run has failed.
bool joinRanks(int numRanks, int rank, SharedState &shared,
               blinkSchedule_t schedule, const blinkConfig_t &config,
               OwnedComm &comm);

} // namespace blink

#endif // BLINK_TOOLS_RANKS_RANKPROCESSES_H
