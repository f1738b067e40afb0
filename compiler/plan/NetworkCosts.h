//===- NetworkCosts.h - what messages between servers cost ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Between servers a chunk is a message of an engine, which a processor of each
// end's server makes and takes. A topology does not say what that costs, but it
// says a network's latency, as measured from program to program: most of it is
// this cost, on TCP (10 to 20 microseconds a chunk at latencies around 25) and
// on RDMA (one or two at three). So half a path's latency stands for it, and no
// more than kMostEngine where the way is long.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_NETWORKCOSTS_H
#define BLINK_COMPILER_PLAN_NETWORKCOSTS_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Microseconds; what TCP costs.
constexpr double kMostEngine = 15;

/// Bytes of the smallest chunks, and of the largest, which TCP takes as one
/// segment.
constexpr uint32_t kSmallestMessage = 4 << 10, kLargestMessage = 256 << 10;
/// Bytes of a chunk that goes in one packet of 9,000 and costs processors as
/// much as half of it does.
constexpr uint32_t kPacketMessage = 8 << 10;

/// Bytes that may wait in front of a NIC, or what its link takes in
/// kQueueTime, if that is more: three quarters of a megabyte, which a switch's
/// port holds at least.
constexpr double kQueueBytes = 768 << 10;
constexpr double kQueueTime = 1500; ///< microseconds
/// Chunks that a channel may have on its way at least: one that comes, one that
/// goes, and one for the time until its reader's processor looks.
constexpr int kLeastWindow = 3;

/// Microseconds that a lane has to do with a chunk at either end of each
/// channel of `program`: 0 of those that stay on a machine.
std::vector<double> engineCosts(const FoldProgram &program);
/// The same of a path between two ranks.
double engineCost(const RankTopology &rankTopology, const Path &path);

/// Of that what the one processor has to do that makes and takes the messages
/// of all lanes, in the rank that has most of it for one chunk of each channel.
/// TCP is all its work; of what a network card does it sees the less the
/// shorter that takes: kMostEngine all, two microseconds a quarter of one.
double busiestEngine(const FoldProgram &program);
/// Of that what a message of one chunk does not wait for as for gaps: all but
/// what a rank's folds read and write that have most to do.
double unseenEngine(const FoldProgram &program);

/// The largest chunk, a power of two, that no link of a network channel takes
/// longer than a millisecond for, but the slow ones among them, and of which
/// those that channels have on their way into one NIC, two each, wait in its
/// queue; kSmallestMessage to kLargestMessage.
uint32_t mostMessage(const FoldProgram &program);

/// Does any channel leave its machine?
bool leavesMachine(const FoldProgram &program);
/// Does the shortest path between any two ranks?
bool leavesMachine(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_NETWORKCOSTS_H
