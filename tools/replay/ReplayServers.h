//===- ReplayServers.h - a replay by processes on servers -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_REPLAYSERVERS_H
#define BLINK_TOOLS_REPLAY_REPLAYSERVERS_H

#include "tools/replay/Replay.h"

namespace blink {

/// Returns the number of servers that the program's ranks and relays are on.
int numServers(const sched::Schedule &schedule, const sched::Program &program);

/// Like replay(), but each rank is a process of its own, and the channels
/// between servers use the loopback device. Except for the wire these channels
/// are as between machines. `file` has the bytes of the schedule. There must be
/// no other thread in this process; when it ends, the ranks' processes end too.
ReplayResult replayOnServers(const std::vector<uint8_t> &file,
                             const sched::Schedule &schedule,
                             const sched::Program &program,
                             const ReplayOptions &options);

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_REPLAYSERVERS_H
