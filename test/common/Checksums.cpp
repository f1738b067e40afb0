//===- Checksums.cpp - makes checksums right again ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Checksums.h"

#include "schedules/BundleFile.h"
#include "schedules/Hash.h"

#include <cstdio>

using blink::sched::hash64;

/// Overwrites the 8 bytes at `at` with the hash of the bytes before them.
static void putHash(std::string &bytes, size_t at) {
  const uint64_t hash = hash64(bytes.data(), at);
  for (size_t i = 0; i < 8; ++i)
    bytes[at + i] = char(hash >> (8 * i));
}

static bool resealGolden(std::string &bytes) {
  const size_t at = bytes.rfind("  \"checksum\": \"");
  if (at == std::string::npos)
    return false;
  char line[64];
  std::snprintf(line, sizeof(line), "  \"checksum\": \"0x%016llx\"\n}\n",
                static_cast<unsigned long long>(hash64(bytes.data(), at)));
  bytes.replace(at, std::string::npos, line);
  return true;
}

bool blink::test::reseal(std::string &bytes) {
  if (bytes.size() < sched::kIndexAt)
    return false;
  if (bytes[0] == '{') // JSON, with the checksum at its end
    return resealGolden(bytes);
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t at = bytes.size() - sched::kHashBytes;
  if (sched::isBundle(data, bytes.size())) {
    const auto indexBytes =
        flatbuffers::ReadScalar<uint64_t>(data + sched::kIndexBytesAt);
    if (indexBytes > bytes.size() - sched::kIndexAt ||
        sched::kIndexAt + indexBytes > at)
      return false;
    at = sched::kIndexAt + indexBytes;
  }
  putHash(bytes, at);
  return true;
}
