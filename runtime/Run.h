//===- Run.h - calls go to their back ends ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_RUN_H
#define BLINK_RUNTIME_RUN_H

#include "runtime/Machine.h"

namespace blink::runtime {

/// A call with what it runs on.
struct PendingCall {
  std::shared_ptr<Machine> machine;
  Call call;
  Status result;
};

/// Runs calls of one group, of any machines, and sets their results. Those of
/// GPUs are in their streams when it returns, those of the host are done.
void runCalls(PendingCall *calls, size_t numCalls);

/// All ranks of a job, in this process. Errors: the back end's.
Status makeMachine(const ScheduleSet &files, int numRanks, const int *devices,
                   const MachineOptions &options,
                   std::shared_ptr<Machine> &machine);

/// One rank of a job of several processes. Errors: the back end's.
Status joinMachine(const ScheduleSet &files, int numRanks,
                   const blinkUniqueId &id, int rank, int device,
                   const MachineOptions &options,
                   std::shared_ptr<Machine> &machine);

/// Memory of blinkMemAlloc, for freeBlock(). Errors: as there.
Status allocateMemory(size_t bytes, void *&memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_RUN_H
