//===- Hash.cpp - the hash of files and fingerprints ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one file that includes xxHash, whose header holds the whole algorithm: no
// library is linked.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t blink::sched::hash64(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}
