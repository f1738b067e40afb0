//===- HostRings.h - the rings of a job on the host -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Where lanes find both ends of their rings: in the segment that all ranks
// share, or, where a transport carries the chunks, each in memory of its own.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_HOSTRINGS_H
#define BLINK_RUNTIME_HOST_HOSTRINGS_H

#include "runtime/host/RemoteRings.h"
#include "runtime/host/Segment.h"
#include "runtime/host/TransferPlan.h"

namespace blink::runtime {

/// One lane's end of a ring. Belongs to the lane that drives it.
/// Its memory, if that is in the segment, is also the other end's; null where
/// another process has this end to itself.
struct alignas(64) RingEnd : RingMemory {
  uint64_t number = 0;            ///< of the next chunk
  uint64_t freedSeen = 0;         ///< writers: `freed`, when last looked at
  uint32_t layout = ~0u;          ///< writers: the variant of the last chunk
  Transport *transport = nullptr; ///< null: the ring is in the segment
};
static_assert(sizeof(RingEnd) == 64, "a line of its own, and no more");

/// The rings of a job, as this process sees them.
struct HostRings {
  Segment segment;
  Windows windows;                       ///< where ranks are processes
  std::vector<RingEnd> writers, readers; ///< of each ring
  RemoteRings remote;                    ///< those that transports carry
  int numNear = 0;                       ///< ranks on this server
  /// How readers look at buffers. The same in all processes of the job.
  ZeroCopy zeroCopy = ZeroCopy::direct;
  /// Ranks share processors. The same in all processes of this server.
  bool crowded = false;

  /// Finds out which rings transports carry, and which are none of this
  /// server's, and changes `plan` accordingly. Before the segment is made,
  /// which outlives the rings. Errors: of transports.
  Status choose(Plan &plan, const std::vector<bool> &here);
  /// Sets the ends, once the segment is there.
  void bind(const Plan &plan);
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_HOSTRINGS_H
