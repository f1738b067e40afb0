//===- LowLatency.h - lines that carry data with its flag -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The low-latency protocol: eight bytes of data travel as two words of four
// bytes of data and four of flag. A word arrives whole, so whoever sees the
// flag has the data, without a fence and without a second trip for a tag. Twice
// the bytes, half the latency.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LOWLATENCY_H
#define BLINK_RUNTIME_CUDA_LOWLATENCY_H

#include "runtime/core/Memory.h"

namespace blink::runtime {

/// Bytes of data in a line.
inline constexpr uint32_t kLineData = 8;

struct alignas(16) Line {
  uint64_t words[2]; ///< data in the low halves, the flag in the high ones
};

/// The flag of chunk `number`: 24 bits of its number above 8 of the call's
/// signature.
BLINK_DEVICE constexpr uint32_t lineFlag(uint64_t number, uint64_t signature) {
  return uint32_t(number + 1) << 8 | uint32_t(signature & 0xff);
}
/// Whether a line with `flag` is of chunk `number`, of whatever call.
BLINK_DEVICE constexpr bool lineHolds(uint32_t flag, uint64_t number) {
  return flag >> 8 == (uint32_t(number + 1) & 0xffffffu);
}

/// A line that short chunks do not reach keeps an old flag, and numbers come
/// back after 2^24 chunks. So once in a while all lines of a slot are written.
BLINK_DEVICE constexpr bool writesWholeSlot(uint64_t number,
                                            uint32_t numSlots) {
  return (number & 0xfffff) < numSlots;
}

// Accesses to lines need no order: what is sent depends on what was read
// before, and what is written afterwards depends on what was seen, so in place
// a result cannot overtake the contribution it replaces. C++ knows no order by
// dependence: on the host, where tests look for races, the accesses say it
// otherwise.
BLINK_DEVICE inline void storeWord(uint64_t *word, uint64_t value) {
#if defined(__CUDA_ARCH__)
  storeRelaxed(word, value);
#else
  storeRelease(word, value);
#endif
}
BLINK_DEVICE inline uint64_t loadWord(const uint64_t *word) {
#if defined(__CUDA_ARCH__)
  return loadRelaxed(word);
#else
  return loadAcquire(word);
#endif
}

BLINK_DEVICE inline void storeLine(Line *line, uint64_t data, uint32_t flag) {
  const uint64_t high = uint64_t(flag) << 32;
  storeWord(&line->words[0], high | uint32_t(data));
  storeWord(&line->words[1], high | data >> 32);
}

/// The flags of both words, which are one flag once the line is complete.
struct LineFlags {
  uint32_t low;
  uint32_t high;
};

BLINK_DEVICE inline LineFlags loadLine(const Line *line, uint64_t &data) {
  const uint64_t low = loadWord(&line->words[0]);
  const uint64_t high = loadWord(&line->words[1]);
  data = (low & 0xffffffffu) | high << 32;
  return {uint32_t(low >> 32), uint32_t(high >> 32)};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LOWLATENCY_H
