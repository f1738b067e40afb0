//===- ScheduleFile.h - opening and sealing .sched files --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules of schedule.fbs as code, shared by both sides of the contract.
// Depends only on the headers of FlatBuffers and xxHash.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULEFILE_H
#define BLINK_SCHEDULES_SCHEDULEFILE_H

#include "schedules/Collectives.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

inline constexpr uint32_t kFormatVersion = 3;

/// Opens untrusted bytes: checks the checksum, the FlatBuffers structure, and
/// then every rule of schedule.fbs in one walk. Returns the root, which points
/// into `data` and is valid as long as `data` is, or null with a sentence in
/// `error`. The sentence names the place as an index path
/// ("programs[0].variants[0].ranks[3].steps[7]: channel 12 of 9") and the
/// remedy, if there is one. `data` must be 8-byte aligned. Takes time and
/// memory linear in the file.
///
///     std::string error;
///     const sched::Schedule *file = sched::openSchedule(p, size, error);
///     if (!file) return fail(path + ": " + error);
[[nodiscard]] const Schedule *openSchedule(const uint8_t *data, size_t size,
                                           std::string &error);

/// The same for a file that may be in symmetric form (Variant.symmetric), which
/// openSchedule refuses. Variants of such a file have the programs of
/// representatives only, not of each rank. ExpandSchedule.h writes the file out
/// in full.
[[nodiscard]] const Schedule *openAnySchedule(const uint8_t *data, size_t size,
                                              std::string &error);
/// The identifier of a packed file, in place of a schedule's.
inline constexpr char kPackedIdentifier[] = "BLNP";
/// The same for a packed file (PackedSchedule.h), of whose variants only the
/// parts that are not packed are checked. May throw std::bad_alloc.
[[nodiscard]] const Schedule *openPacked(const uint8_t *data, size_t size,
                                         std::string &error);
/// Returns true if any variant is in symmetric form.
bool isSymmetric(const Program &program);
bool isSymmetric(const Schedule &file);
/// Returns true if untrusted bytes are such a file. Checks only their
/// structure.
bool isSymmetric(const uint8_t *data, size_t size);

/// Finishes `builder` with root `root`, pads to a multiple of 8 and appends the
/// checksum. Returns the bytes of the file.
std::vector<uint8_t> sealSchedule(flatbuffers::FlatBufferBuilder &builder,
                                  flatbuffers::Offset<Schedule> root);

/// Returns the number of ranks and relays of a program.
uint32_t numPrograms(const Program &program);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULEFILE_H
