//===- PerfettoFields.h - numbers of Perfetto's fields ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The numbers of the fields of perfetto/trace/*.proto that replays use, message
// by message, and the annotations of slices with the numbers by which they are
// interned.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TRACE_PERFETTOFIELDS_H
#define BLINK_SCHEDULES_TRACE_PERFETTOFIELDS_H

#include <cstdint>

namespace blink::sched::perfetto {

inline constexpr uint32_t kTracePacket = 1;

namespace packet { // TracePacket
inline constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11,
                          kInternedData = 12, kSequenceFlags = 13,
                          kTrackDescriptor = 60;
inline constexpr uint64_t kStateCleared = 1, kNeedsState = 2; // flags
} // namespace packet

namespace track { // TrackDescriptor
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4,
                          kParent = 5, kCounter = 8;
inline constexpr uint32_t kPid = 1, kProcessName = 6; // ProcessDescriptor
inline constexpr uint32_t kThreadPid = 1, kTid = 2, kThreadName = 5;
inline constexpr uint32_t kUnitName = 6; // CounterDescriptor
} // namespace track

namespace event { // TrackEvent
inline constexpr uint32_t kAnnotation = 4, kType = 9, kTrack = 11,
                          kCategory = 22, kName = 23, kCounterValue = 44,
                          kFlow = 47, kLastFlow = 48;
inline constexpr uint64_t kBegin = 1, kEnd = 2, kCounter = 4; // types
} // namespace event

namespace annotation { // DebugAnnotation
inline constexpr uint32_t kNameId = 1, kNumber = 3, kText = 6;
} // namespace annotation

namespace interned { // InternedData, DebugAnnotationName
inline constexpr uint32_t kAnnotationNames = 3, kId = 1, kName = 2;
} // namespace interned

/// Annotations of a fold, numbered from 1 in this order.
enum class Note : uint64_t {
  step = 1,
  chunk,
  bytes,
  waited,
  moved,
  variant,
  from,
  to
};
inline constexpr const char *kNoteNames[] = {
    "step",        "chunk",   "bytes", "waited_ns",
    "moved_bytes", "variant", "from",  "to"};

// Numbers of tracks. A rank has at most 2^16 lanes.
inline constexpr uint64_t kLinksTrack = 1, kFirstRank = uint64_t(1) << 40;
inline constexpr uint64_t rankTrack(uint64_t rank) {
  return kFirstRank + (rank << 17);
}
inline constexpr uint64_t laneTrack(uint64_t rank, uint64_t lane) {
  return rankTrack(rank) + 1 + lane;
}

} // namespace blink::sched::perfetto

#endif // BLINK_SCHEDULES_TRACE_PERFETTOFIELDS_H
