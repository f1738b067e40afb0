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

/// Sets a word that the threads of one block share from 0 to 1; whether this
/// thread was the one.
BLINK_HOST_DEVICE inline bool exchangeOnce(uint32_t *word) {
#if defined(__CUDA_ARCH__)
  return atomicExch(word, 1u) == 0;
#else
  return __atomic_exchange_n(word, 1u, __ATOMIC_RELAXED) == 0;
#endif
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_MEMORY_H
