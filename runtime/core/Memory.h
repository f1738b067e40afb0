//===- Memory.h - loads and stores between lanes ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the ring protocol needs, at system scope: the other end may be a thread,
// another GPU or another process.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_MEMORY_H
#define BLINK_RUNTIME_CORE_MEMORY_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// What the other end wrote before its storeRelease is visible after this.
BLINK_HOST_DEVICE inline uint64_t loadAcquire(const uint64_t *address) {
#if defined(__CUDA_ARCH__)
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(address)
               : "memory");
  return value;
#else
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
#endif
}

/// Everything this lane did before, reads and writes, comes first.
BLINK_HOST_DEVICE inline void storeRelease(uint64_t *address, uint64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value)
               : "memory");
#else
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
#endif
}

/// No order with anything else; never torn.
BLINK_HOST_DEVICE inline uint64_t loadRelaxed(const uint64_t *address) {
#if defined(__CUDA_ARCH__)
  uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(address)
               : "memory");
  return value;
#else
  return __atomic_load_n(address, __ATOMIC_RELAXED);
#endif
}

BLINK_HOST_DEVICE inline void storeRelaxed(uint64_t *address, uint64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value)
               : "memory");
#else
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
#endif
}

/// What storeBehindFence() makes visible includes all that this thread, and
/// those that a barrier has put before it, did before this fence.
BLINK_HOST_DEVICE inline void releaseFence() {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}
/// On hosts a release of its own: ThreadSanitizer knows no fences.
BLINK_HOST_DEVICE inline void storeBehindFence(uint64_t *address,
                                               uint64_t value) {
#if defined(__CUDA_ARCH__)
  storeRelaxed(address, value);
#else
  storeRelease(address, value);
#endif
}
/// Everything this thread has read, and those that a barrier has put before it,
/// has been read before. On devices that needs no fence: what was loaded has
/// gone into a sum or a store before the barrier, so it had arrived. C++ knows
/// no such order.
BLINK_HOST_DEVICE inline void storeAfterReads(uint64_t *address,
                                              uint64_t value) {
  storeBehindFence(address, value);
}

/// Adds to a word of the device's memory, and returns what it was. No order.
BLINK_HOST_DEVICE inline uint64_t addRelaxed(uint64_t *word, uint64_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(reinterpret_cast<unsigned long long *>(word),
                   static_cast<unsigned long long>(value));
#else
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/// Sets a word from 0 to `value`; whether this thread was the one. No order.
BLINK_HOST_DEVICE inline bool exchangeOnce(uint32_t *word, uint32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicExch(word, value) == 0;
#else
  return __atomic_exchange_n(word, value, __ATOMIC_RELAXED) == 0;
#endif
}
/// A word that other threads of the block may be setting. No order.
BLINK_HOST_DEVICE inline uint32_t loadShared(const uint32_t *word) {
#if defined(__CUDA_ARCH__)
  return *const_cast<const volatile uint32_t *>(word);
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_MEMORY_H
