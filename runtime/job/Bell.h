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

/// Increments the bell's counter and wakes every thread that waits at it, in
/// any process. The increment is sequentially consistent, like the load in
/// loadBell(), by which the caller of waitForBell() reads the counter: a thread
/// that has read an older count is woken, and then sees every store made before
/// this ring.
inline void ringBell(uint32_t *bell) {
  __atomic_fetch_add(bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline uint32_t loadBell(const uint32_t *bell) {
  return __atomic_load_n(bell, __ATOMIC_SEQ_CST);
}

/// Waits while the counter equals `heard`, for at most 250 ms. The limit
/// matters on systems that cannot wake a thread of another process: there a
/// ring is noticed up to 250 ms late, but it is noticed.
inline void waitForBell(const uint32_t *bell, uint32_t heard) {
  const timespec most{0, 250000000};
  syscall(SYS_futex, bell, FUTEX_WAIT, heard, &most, nullptr, 0);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_BELL_H
