//===- Hash.cpp - the hash of files and fingerprints ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one file that includes xxHash. The header contains the whole algorithm,
// so no library is linked.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace blink::sched {

uint64_t hash64(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

void appendHash(std::vector<uint8_t> &bytes) {
  const uint64_t hash = hash64(bytes.data(), bytes.size());
  for (size_t i = 0; i < kHashBytes; ++i)
    bytes.push_back(uint8_t(hash >> (8 * i)));
}

bool hashFollows(const uint8_t *bytes, size_t size) {
  uint64_t stored = 0;
  for (size_t i = 0; i < kHashBytes; ++i)
    stored |= uint64_t(bytes[size + i]) << (8 * i);
  return stored == hash64(bytes, size);
}

} // namespace blink::sched
