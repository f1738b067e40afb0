//===- ReplayServers.h - a replay by processes on servers -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_REPLAYSERVERS_H
#define BLINK_TOOLS_REPLAY_REPLAYSERVERS_H

#include "tools/replay/Replay.h"

namespace blink {

/// On how many servers the ranks and relays of the program are.
int numServers(const sched::Schedule &schedule, const sched::Program &program);

/// As replay(), but each rank is a process of its own, and the channels between
/// servers go over the loopback: they are what they would be between machines,
/// but for the wire. `file` has the bytes of the schedule. There must be no
/// other thread in this process; when it ends, those of the ranks do.
ReplayResult replayOnServers(const std::vector<uint8_t> &file,
                             const sched::Schedule &schedule,
                             const sched::Program &program,
                             const ReplayOptions &options);

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_REPLAYSERVERS_H
