//===- TraceEvent.h - when a fold ran ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_TRACEEVENT_H
#define BLINK_RUNTIME_CORE_TRACEEVENT_H

#include <cstdint>

namespace blink::runtime {

/// One fold of one chunk. Times are nanoseconds by the clock of the processor
/// that ran it.
struct TraceEvent {
  uint64_t ready; ///< when all chunks and slots were there
  uint64_t end;
  uint64_t bytes;
  uint64_t chunk;
  uint32_t step;
  uint32_t waited;  ///< nanoseconds before `ready`; 2^32 - 1 if more
  uint64_t moved;   ///< bytes loaded and stored by the host; 0 on a device
  uint64_t variant; ///< number of the variant in the plan
};

/// The events of one lane, in memory that the host reads. The lane writes them
/// and keeps the oldest; events that do not fit are only counted.
struct LaneTrace {
  static constexpr uint32_t kEvents = 4096;
  uint64_t count; ///< number of all folds, also those without an event
  TraceEvent events[kEvents];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_TRACEEVENT_H
