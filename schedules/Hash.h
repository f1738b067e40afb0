//===- Hash.h - the hash of files and fingerprints --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_HASH_H
#define BLINK_SCHEDULES_HASH_H

#include <cstddef>
#include <cstdint>

namespace blink::sched {

/// XXH3-64 (xxHash): the same on every machine, and fast enough that checking a
/// file costs what reading it does. It finds damage; it is no defence against
/// somebody who wants two files with one hash. To hash several things, pass
/// the former result as `seed`.
uint64_t hash64(const void *data, size_t size, uint64_t seed = 0);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_HASH_H
