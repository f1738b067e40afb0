//===- MirroredCopy.h - reading what a mirror may write ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_MIRROREDCOPY_H
#define BLINK_RUNTIME_JOB_MIRROREDCOPY_H

#include "runtime/core/Memory.h"

#include <cstring>
#include <type_traits>

namespace blink::runtime {

/// Returns a copy of a record whose words have been published and do not
/// change. A mirror (control/Mirror.h) may nevertheless write them again, with
/// the same values, when another rank has become the one that mirrors for this
/// server.
template <typename Record> Record mirroredCopy(const Record &record) {
  static_assert(std::is_trivially_copyable_v<Record> &&
                sizeof(Record) % sizeof(uint64_t) == 0);
  uint64_t words[sizeof(Record) / sizeof(uint64_t)];
  // Relaxed: who reads has acquired the flag that publishes the words.
  for (size_t w = 0; w < sizeof(words) / sizeof(uint64_t); ++w)
    words[w] = loadRelaxed(reinterpret_cast<const uint64_t *>(&record) + w);
  Record copy;
  std::memcpy(&copy, words, sizeof(copy));
  return copy;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_MIRROREDCOPY_H
