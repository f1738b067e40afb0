//===- RankProcesses.h - one process per rank -------------------*- C++ -*-===//
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
/// in this process and waits for all of them. There must be no other thread.
/// `shared` gets the first failure: one that a rank reported there, an
/// exception from run(), or that a process died or was stopped for a while.
/// After a failure all other processes are ended, as they are when this process
/// ends in any way.
void runRankProcesses(int numRanks, SharedState &shared,
                      const std::function<void(int rank)> &run,
                      const std::function<void()> &meanwhile);

/// Returns the error message of this thread's last call, which returned
/// `result`.
std::string lastError(blinkResult_t result);

/// In the process of a rank: joins the other ranks with an id that rank 0
/// makes. Returns false if the run has failed.
bool joinRanks(int numRanks, int rank, SharedState &shared,
               blinkSchedule_t schedule, const blinkConfig_t &config,
               OwnedComm &comm);

} // namespace blink

#endif // BLINK_TOOLS_RANKS_RANKPROCESSES_H
