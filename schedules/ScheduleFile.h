//===- ScheduleFile.h - opening and sealing .sched files --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules of schedule.fbs as code, shared by both sides of the contract.
// Depends on the headers of FlatBuffers and xxHash only.
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

/// Opens untrusted bytes: checksum, FlatBuffers structure, then every rule of
/// schedule.fbs in one walk. Returns the root, which points into `data` and
/// lives as long, or null with a sentence in `error` that names the place as an
/// index path ("programs[0].variants[0].ranks[3].steps[7]: channel 12 of 9")
/// and, where there is one, the remedy. `data` must be 8-byte aligned. Takes
/// time and memory linear in the file.
///
///     std::string error;
///     const sched::Schedule *file = sched::openSchedule(p, size, error);
///     if (!file) return fail(path + ": " + error);
[[nodiscard]] const Schedule *openSchedule(const uint8_t *data, size_t size,
                                           std::string &error);

/// The same of a file that may be in symmetric form (Variant.symmetric), which
/// openSchedule refuses: who asks a variant for the program of each rank finds
/// that of representatives only. ExpandSchedule.h writes it out in full.
[[nodiscard]] const Schedule *openAnySchedule(const uint8_t *data, size_t size,
                                              std::string &error);
/// Whether a variant is in symmetric form.
bool isSymmetric(const Program &program);
bool isSymmetric(const Schedule &file);
/// Whether untrusted bytes are such a file, as far as their structure goes.
bool isSymmetric(const uint8_t *data, size_t size);

/// Finishes `builder` with root `root`, pads to a multiple of 8 and appends the
/// checksum: the bytes of a file.
std::vector<uint8_t> sealSchedule(flatbuffers::FlatBufferBuilder &builder,
                                  flatbuffers::Offset<Schedule> root);

/// Ranks and relays of a program.
uint32_t numPrograms(const Program &program);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULEFILE_H
