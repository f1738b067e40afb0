//===- NetworkCosts.h - what messages between servers cost ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Between servers a chunk is a message of an engine: a processor of each end's
// server sends or receives it. A topology does not say what that costs, but it
// gives a network's latency as measured from program to program, and most of
// that is this cost, both on TCP (10 to 20 microseconds a chunk at latencies
// around 25) and on RDMA (one or two at three). So the cost is taken to be half
// of a path's latency, and no more than kMostEngine on a long way.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_NETWORKCOSTS_H
#define BLINK_COMPILER_PLAN_NETWORKCOSTS_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "schedules/ChunkSize.h"

namespace blink {

/// Most microseconds that a message costs at either end; the cost of TCP.
constexpr double kMostEngine = 15;
/// Least cost of a message over TCP. With network cards it is one or two.
constexpr double kLeastOfTcp = 5;

/// Bytes of the smallest chunks, and of the largest ones, which TCP takes as
/// one segment.
constexpr uint32_t kSmallestMessage = 4 << 10, kLargestMessage = 256 << 10;
/// Bytes of a chunk that fits into one packet of 9,000 bytes. It costs
/// processors as much as a chunk of half its size.
constexpr uint32_t kPacketMessage = 8 << 10;

/// Bytes that may wait in front of a NIC, unless its link takes more than these
/// in kQueueTime: three quarters of a megabyte, which a switch's port can hold
/// at least.
constexpr double kQueueBytes = 768 << 10;
constexpr double kQueueTime = 1500; ///< microseconds
/// Least number of chunks that a channel may have on its way: one that arrives,
/// one that leaves, and one for the time until its reader's processor looks.
constexpr int kLeastWindow = 3;

/// Returns, for each channel of `program`, the microseconds that a chunk costs
/// a lane at either end: 0 for channels that stay on a machine.
std::vector<double> engineCosts(const FoldProgram &program);
/// Returns the same for a path between two ranks.
double engineCost(const RankTopology &rankTopology, const Path &path);

/// Returns the part of these costs that falls on the one processor that sends
/// and receives the messages of all lanes of a rank: for one chunk of each
/// channel, in the rank where it is the most. With TCP the processor does all
/// the work. A network card takes over more of it the cheaper a message is: a
/// cost of kMostEngine falls on the processor in full, of a cost of two
/// microseconds a quarter of a microsecond.
double busiestEngine(const FoldProgram &program);
/// Returns the part of busiestEngine that a message of one chunk does not
/// already wait for as gaps: of the rank where it is the most, the work for all
/// folds, except the reads of the fold that reads the most and the writes of
/// the fold that writes the most.
double unseenEngine(const FoldProgram &program);

/// Returns the largest chunk, a power of two from kSmallestMessage to
/// kLargestMessage, that keeps two limits. A network channel takes it within a
/// millisecond; the channel with the widest bottleneck counts. And the queue of
/// each link has room for kLeastWindow chunks of each network channel over it.
uint32_t mostMessage(const FoldProgram &program);

/// Returns how long ranks wait, at the end of a long message, because chunks of
/// several senders meet at their NICs: in microseconds for each byte of the
/// message that a round moves. The last chunks arrive in any order, so a NIC is
/// idle for about half of the time that all chunks but one take it. This was
/// measured over TCP, and is 0 for messages that cost less than there.
double incastOf(const FoldProgram &program);
/// Returns that time for a message whose rounds move `round` bytes, and whose
/// senders send up to `part` bytes each. The first ones leave in an order in
/// which they do not meet.
inline double incastTime(double incast, double round, double part) {
  constexpr double kInOrder = 20 << 10; // bytes
  return part > kInOrder ? incast * round * (1 - kInOrder / part) : 0;
}
/// Returns the same time for a message of `bytes` by `program`, in `chunks`.
double incastTime(const FoldProgram &program, sched::ChunkSizes chunks,
                  uint64_t bytes);
/// Returns true if a message over `path` costs as much as over TCP.
bool isOverTcp(const RankTopology &rankTopology, const Path &path);

/// Returns true if any channel leaves its machine.
bool leavesMachine(const FoldProgram &program);
/// Returns true if the shortest path between any two ranks leaves its machine.
bool leavesMachine(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_NETWORKCOSTS_H
