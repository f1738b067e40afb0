//===- HostRings.h - the rings of a job on the host -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The memory of both ends of each ring: in the segment that all ranks share,
// or, if a transport carries the chunks, each end in memory of its own.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_HOSTRINGS_H
#define BLINK_RUNTIME_HOST_HOSTRINGS_H

#include "runtime/host/RemoteRings.h"
#include "runtime/host/Segment.h"
#include "runtime/host/TransferPlan.h"

namespace blink::runtime {

/// One lane's end of a ring; only that lane uses it. If its memory is in the
/// segment, the other end uses the same memory. The memory is null if this end
/// belongs to another process alone.
struct alignas(64) RingEnd : RingMemory {
  uint64_t number = 0;            ///< number of the next chunk
  uint64_t freedSeen = 0;         ///< writers: `freed` as last loaded
  uint32_t layout = ~0u;          ///< writers: the variant of the last chunk
  Transport *transport = nullptr; ///< null: the ring is in the segment
};
static_assert(sizeof(RingEnd) == 64, "a line of its own, and no more");

/// The rings of a job, as this process sees them.
struct HostRings {
  Segment segment;
  Windows windows;                       ///< used if ranks are processes
  std::vector<RingEnd> writers, readers; ///< ends of each ring
  RemoteRings remote;                    ///< the rings that transports carry
  int numNear = 0;                       ///< number of ranks on this server
  /// How readers reach the writers' buffers. The same in all processes of the
  /// job.
  ZeroCopy zeroCopy = ZeroCopy::direct;
  /// Whether ranks share processors. The same in all processes of this server.
  bool crowded = false;

  /// Finds out which rings transports carry, and which do not concern this
  /// server, and changes `plan` accordingly. To be called before the segment is
  /// made, which must outlive the rings. Errors: those of transports.
  Status choose(Plan &plan, const std::vector<bool> &here);
  /// Sets the ends, once the segment exists.
  void bind(const Plan &plan);
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_HOSTRINGS_H
