//===- Bell.h - waking a thread of another process --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_BELL_H
#define BLINK_RUNTIME_JOB_BELL_H

#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace blink::runtime {

/// Counts, and wakes those who wait at the bell, in whatever process.
/// Sequentially consistent, as waitForBell's caller loads it: who has seen an
/// older count sees all that was stored before this one by waking up.
inline void ringBell(uint32_t *bell) {
  __atomic_fetch_add(bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline uint32_t loadBell(const uint32_t *bell) {
  return __atomic_load_n(bell, __ATOMIC_SEQ_CST);
}

/// Waits while the bell has rung `heard` times, a quarter of a second at most:
/// on a system that wakes nobody across processes all is late and no more.
inline void waitForBell(const uint32_t *bell, uint32_t heard) {
  const timespec most{0, 250000000};
  syscall(SYS_futex, bell, FUTEX_WAIT, heard, &most, nullptr, 0);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_BELL_H
