//===- PackedSchedule.h - schedules in fewer bytes --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PACKEDSCHEDULE_H
#define BLINK_SCHEDULES_PACKEDSCHEDULE_H

#include "schedules/schedule_generated.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

/// Returns the bytes of `file`, which openAnySchedule has accepted and the
/// compiler has written, in packed form (Variant.packed). They take a third to
/// a tenth of the place, but have to be unpacked before they are opened.
std::vector<uint8_t> packSchedule(const Schedule &file);

/// Returns true if untrusted bytes look like a packed file.
bool isPacked(const uint8_t *data, size_t size);

/// Returns the bytes of the file of which the untrusted bytes of a packed one
/// were made; they are to be opened with openAnySchedule. Returns an empty
/// vector, with a sentence in `error`, if they were not made of any. `data`
/// must be 8-byte aligned. Takes time and memory linear in the result, whose
/// variants take at most kMostTimesLarger times `size`, and kMostUnpackedBytes.
std::vector<uint8_t> unpackSchedule(const uint8_t *data, size_t size,
                                    std::string &error);

/// More than any schedule becomes smaller, because the topology stays as it is.
inline constexpr uint64_t kMostTimesLarger = 256;
inline constexpr uint64_t kMostUnpackedBytes = uint64_t(1) << 30;

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PACKEDSCHEDULE_H
