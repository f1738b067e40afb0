//===- Hash.h - the hash of files and fingerprints --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_HASH_H
#define BLINK_SCHEDULES_HASH_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink::sched {

/// XXH3-64 (xxHash): the same on every machine, and fast enough that checking a
/// file costs about as much as reading it. It detects damage, but is no defence
/// against an attacker who wants two files with one hash. To hash several
/// things, pass the previous result as `seed`.
uint64_t hash64(const void *data, size_t size, uint64_t seed = 0);

/// Bytes of a hash in a file, in little-endian order.
inline constexpr size_t kHashBytes = 8;
/// Appends the hash of all bytes so far.
void appendHash(std::vector<uint8_t> &bytes);
/// Returns true if the hash of `size` bytes follows them.
bool hashFollows(const uint8_t *bytes, size_t size);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_HASH_H
