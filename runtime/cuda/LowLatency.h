//===- LowLatency.h - lines that carry data with its flag -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The low-latency protocol: eight bytes of data travel as two words, each with
// four bytes of data and four of flag. A word arrives whole, so a lane that
// sees the flag has the data, without a fence and without a second trip for a
// tag. It takes twice the bytes and half the latency.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LOWLATENCY_H
#define BLINK_RUNTIME_CUDA_LOWLATENCY_H

#include "runtime/core/Memory.h"
#include "runtime/cuda/Pack.h"

namespace blink::runtime {

/// Bytes of data in a line.
inline constexpr uint32_t kLineData = 8;

struct alignas(16) Line {
  uint64_t words[2]; ///< data in the low halves, the flag in the high ones
};

/// The flag of chunk `number`: 24 bits of its number above 8 bits of the call's
/// signature.
BLINK_DEVICE constexpr uint32_t lineFlag(uint64_t number, uint64_t signature) {
  return uint32_t(number + 1) << 8 | uint32_t(signature & 0xff);
}
/// Whether two flags are of the same chunk, whatever their calls.
BLINK_DEVICE constexpr bool sameChunk(uint32_t flag, uint32_t other) {
  return flag >> 8 == other >> 8;
}

/// A line that short chunks do not reach keeps an old flag, and numbers repeat
/// after 2^24 chunks of whatever variants. So all lines of a ring are rewritten
/// before the first chunk that comes at least so many chunks after the last
/// time.
inline constexpr uint64_t kSweepAfter = uint64_t(1) << 22;

// Accesses to lines need no order: what is sent depends on what was read
// before, and what is written afterwards depends on what was seen, so in place
// a result cannot overtake the contribution that it replaces. C++ has no order
// by dependence, so the host, where tests look for races, uses release and
// acquire instead.
BLINK_DEVICE inline void storeLine(Line *line, uint64_t data, uint32_t flag) {
  mustBeAligned(line, sizeof(Line));
  const uint64_t high = uint64_t(flag) << 32;
  const uint64_t words[] = {high | uint32_t(data), high | data >> 32};
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(line),
               "l"(words[0]), "l"(words[1])
               : "memory");
#else
  storeRelease(&line->words[0], words[0]);
  storeRelease(&line->words[1], words[1]);
#endif
}

/// Loads both words, each of them whole.
BLINK_DEVICE inline Line loadLine(const Line *line) {
  mustBeAligned(line, sizeof(Line));
  Line seen;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(seen.words[0]), "=l"(seen.words[1])
               : "l"(line)
               : "memory");
#else
  seen.words[0] = loadAcquire(&line->words[0]);
  seen.words[1] = loadAcquire(&line->words[1]);
#endif
  return seen;
}
BLINK_DEVICE inline uint64_t dataOf(const Line &line) {
  return (line.words[0] & 0xffffffffu) | line.words[1] << 32;
}
/// Whether the line is complete for the chunk and the call of `flag`.
BLINK_DEVICE inline bool hasFlag(const Line &line, uint32_t flag) {
  return uint32_t(line.words[0] >> 32) == flag &&
         uint32_t(line.words[1] >> 32) == flag;
}
/// Whether the line is complete for the chunk of `flag`, whatever its call.
BLINK_DEVICE inline bool isOfChunk(const Line &line, uint32_t flag) {
  return sameChunk(uint32_t(line.words[0] >> 32), flag) &&
         sameChunk(uint32_t(line.words[1] >> 32), flag);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LOWLATENCY_H
