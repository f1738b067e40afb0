//===- ScheduleFile.h - opening and sealing .sched files --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules of schedule.fbs as code, shared by both sides of the contract.
// Depends on FlatBuffers' headers only.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULEFILE_H
#define BLINK_SCHEDULES_SCHEDULEFILE_H

#include "schedules/schedule_generated.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

inline constexpr uint32_t kFormatVersion = 2;

/// FNV-1a-64, the checksum of files and the hash of fingerprints. Any change of
/// a single byte changes it. Pass a former result as `state` to go on.
uint64_t fnv1a64(const void *data, size_t size,
                 uint64_t state = 0xcbf29ce484222325ull);

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

/// Finishes `builder` with root `root`, pads to a multiple of 8 and appends the
/// checksum: the bytes of a file.
std::vector<uint8_t> sealSchedule(flatbuffers::FlatBufferBuilder &builder,
                                  flatbuffers::Offset<Schedule> root);

/// Blocks of the user's buffers, as the table at Collective says (at the root,
/// where only the root has several). Trees have one block for each pair of an
/// input's and an output's block.
uint32_t inputBlocks(Collective collective, uint32_t numRanks);
uint32_t outputBlocks(Collective collective, uint32_t numRanks);
/// Ranks and relays of a program.
uint32_t numPrograms(const Program &program);
/// Whether the collective has a root: broadcast, reduce, gather, scatter.
bool isRooted(Collective collective);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULEFILE_H
