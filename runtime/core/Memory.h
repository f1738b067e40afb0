//===- Memory.h - loads and stores between lanes ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The loads and stores that the ring protocol needs, at system scope: the other
// end may be a thread, another GPU or another process.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_MEMORY_H
#define BLINK_RUNTIME_CORE_MEMORY_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// Loads with acquire: everything that the other end wrote before the
/// storeRelease that wrote this value is visible afterwards.
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

/// Stores with release: everything that this lane did before, reads and writes,
/// comes before the store.
BLINK_HOST_DEVICE inline void storeRelease(uint64_t *address, uint64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value)
               : "memory");
#else
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
#endif
}

/// Loads without ordering anything else; the value is never torn.
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

/// A release fence. Whatever a later storeBehindFence() makes visible includes
/// everything that was done before this fence by this thread, and by threads
/// that a barrier has ordered before it.
BLINK_HOST_DEVICE inline void releaseFence() {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}
/// A relaxed store that is ordered by releaseFence(). On hosts it is a release
/// by itself, because ThreadSanitizer does not support fences.
BLINK_HOST_DEVICE inline void storeBehindFence(uint64_t *address,
                                               uint64_t value) {
#if defined(__CUDA_ARCH__)
  storeRelaxed(address, value);
#else
  storeRelease(address, value);
#endif
}
/// Stores after reads: everything that was read before, by this thread and by
/// threads that a barrier has ordered before it, comes before the store. On
/// devices that needs no fence: each value that was loaded has gone into a sum
/// or a store before the barrier, so it had arrived. C++ has no such order, so
/// hosts release.
BLINK_HOST_DEVICE inline void storeAfterReads(uint64_t *address,
                                              uint64_t value) {
  storeBehindFence(address, value);
}

/// Adds to a word in the device's memory, and returns its previous value.
/// Relaxed.
BLINK_HOST_DEVICE inline uint64_t addRelaxed(uint64_t *word, uint64_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(reinterpret_cast<unsigned long long *>(word),
                   static_cast<unsigned long long>(value));
#else
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/// Sets a word to `value`. Returns true if it was 0, that is, if this thread
/// was the first. Relaxed.
BLINK_HOST_DEVICE inline bool exchangeOnce(uint32_t *word, uint32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicExch(word, value) == 0;
#else
  return __atomic_exchange_n(word, value, __ATOMIC_RELAXED) == 0;
#endif
}
/// Sets bits of a word that other threads of the block may be setting, too.
/// Relaxed.
BLINK_HOST_DEVICE inline void setBitsShared(uint32_t *word, uint32_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(word, bits);
#else
  __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}
/// Loads a word that other threads of the block may be setting. Relaxed.
BLINK_HOST_DEVICE inline uint32_t loadShared(const uint32_t *word) {
#if defined(__CUDA_ARCH__)
  return *const_cast<const volatile uint32_t *>(word);
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_MEMORY_H
