//===- Reseal.cpp - makes checksums right again ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that change bytes of a file and want what comes behind the checksum
// to find it: blink-reseal FILE... writes the checksum of a schedule, of a
// bundle's index or of a golden summary anew, in place.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleFile.h"
#include "schedules/Hash.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

using blink::sched::hash64;

/// Overwrites the 8 bytes at `at` with the hash of those before.
static void putNumber(std::string &bytes, size_t at) {
  const uint64_t hash = hash64(bytes.data(), at);
  for (size_t i = 0; i < 8; ++i)
    bytes[at + i] = char(hash >> (8 * i));
}

static bool reseal(std::string &bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (bytes.size() < 32)
    return false;
  if (bytes[0] == '{') { // a golden summary: JSON with the checksum at its end
    const size_t at = bytes.rfind("  \"checksum\": \"");
    if (at == std::string::npos)
      return false;
    char line[64];
    std::snprintf(line, sizeof(line), "  \"checksum\": \"0x%016llx\"\n}\n",
                  static_cast<unsigned long long>(hash64(bytes.data(), at)));
    bytes.replace(at, std::string::npos, line);
    return true;
  }
  size_t at = bytes.size() - 8;
  if (blink::sched::isBundle(data, bytes.size())) {
    at = 32;
    for (size_t i = 0; i < 8; ++i)
      at += size_t(data[16 + i]) << (8 * i); // bytes of the index
    if (at > bytes.size() - 8)
      return false;
  }
  putNumber(bytes, at);
  return true;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && bytes.empty()) {
      std::fprintf(stderr, "blink-reseal: cannot read %s\n", argv[i]);
      return 2;
    }
    if (!reseal(bytes)) {
      std::fprintf(stderr, "blink-reseal: %s has no checksum\n", argv[i]);
      return 1;
    }
    std::ofstream(argv[i], std::ios::binary | std::ios::trunc) << bytes;
  }
}
