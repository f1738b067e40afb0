//===- Multimem.h - loads that a switch adds, stores it copies --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Accesses 16 bytes at an address of SwitchMemory::all() by PTX's `multimem`
// instructions, which sm_90 and later have. They are relaxed, at system scope.
// The tags of chunks order them, together with aliasFence() if the same memory
// is also used at its own address (PTX ISA, "Memory Consistency Model",
// proxies).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_MULTIMEM_H
#define BLINK_RUNTIME_CUDA_MULTIMEM_H

#include "runtime/cuda/DeviceFold.h"

#if !defined(__CUDACC__)
#include <vector>
#endif

// Toolkits before CUDA 12.2 cannot assemble these instructions; in their builds
// kernelsMulticast() keeps the kernels from being called.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 &&                          \
    (__CUDACC_VER_MAJOR__ > 12 ||                                              \
     (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 2))
#define BLINK_HAVE_MULTIMEM 1
#endif

namespace blink::runtime {

/// Whether a switch adds elements of type T: in the type itself, or for Half
/// and BFloat16 in float.
template <typename T>
inline constexpr bool kSwitchAdds =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> ||
    (std::is_integral_v<T> && sizeof(T) >= 4);

/// Whether an average is such a sum, divided afterwards. It is not for Half and
/// BFloat16: their sums have been rounded, and those of Half may be infinite.
template <typename T>
inline constexpr bool kSwitchDivides = kSwitchAdds<T> && sizeof(T) >= 4;

#if !defined(__CUDACC__)
/// For an emulated GPU: returns the addresses of the 16 bytes in all parts.
/// Ends the program if the address is not one of a multicast object, or if that
/// object lacks some of its memory.
std::vector<char *> multicastParts(const char *address);
#endif

/// Separates a use of memory at one of its addresses from a use at the other.
BLINK_DEVICE inline void aliasFence() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  asm volatile("fence.proxy.alias;" ::: "memory");
#endif
}

/// Returns the sum of the 16 bytes at `address` over all parts.
template <typename T> BLINK_DEVICE inline Pack loadSum(const char *address) {
  Pack pack{};
#if BLINK_HAVE_MULTIMEM
  uint32_t *const w = pack.words;
#define BLINK_LOAD_SUM(type)                                                   \
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add." type               \
               " {%0, %1, %2, %3}, [%4];"                                      \
               : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                \
               : "l"(address)                                                  \
               : "memory")
  if constexpr (std::is_same_v<T, float>) {
    float f[4];
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
                 : "l"(address)
                 : "memory");
    __builtin_memcpy(w, f, sizeof(f));
  } else if constexpr (std::is_same_v<T, Half>) {
    BLINK_LOAD_SUM("acc::f32.v4.f16x2");
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    BLINK_LOAD_SUM("acc::f32.v4.bf16x2");
  } else if constexpr (std::is_same_v<T, double>) {
    double d[2];
    BLINK_UNROLL
    for (int i = 0; i < 2; ++i)
      asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f64 %0, [%1];"
                   : "=d"(d[i])
                   : "l"(address + 8 * i)
                   : "memory");
    __builtin_memcpy(w, d, sizeof(d));
  } else if constexpr (sizeof(T) == 8) {
    uint64_t u[2];
    BLINK_UNROLL
    for (int i = 0; i < 2; ++i)
      asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u64 %0, [%1];"
                   : "=l"(u[i])
                   : "l"(address + 8 * i)
                   : "memory");
    __builtin_memcpy(w, u, sizeof(u));
  } else {
    BLINK_UNROLL
    for (int i = 0; i < 4; ++i)
      asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];"
                   : "=r"(w[i])
                   : "l"(address + 4 * i)
                   : "memory");
  }
#undef BLINK_LOAD_SUM
#elif !defined(__CUDACC__)
  Register<T> sums[kPackCount<T>] = {};
  for (const char *part : multicastParts(address)) {
    Register<T> values[kPackCount<T>];
    widen<T>(loadPack(part), values);
    for (uint32_t i = 0; i < kPackCount<T>; ++i)
      sums[i] = Sum::combine(sums[i], values[i]);
  }
  pack = narrow<T>(sums);
#endif
  return pack;
}

/// Stores `pack` at `address` in all parts.
BLINK_DEVICE inline void storeCopies(char *address, const Pack &pack) {
#if BLINK_HAVE_MULTIMEM
  float f[4];
  __builtin_memcpy(f, pack.words, sizeof(f));
  asm volatile(
      "multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
          address),
      "f"(f[0]), "f"(f[1]), "f"(f[2]), "f"(f[3])
      : "memory");
#elif !defined(__CUDACC__)
  for (char *part : multicastParts(address))
    storePack(part, pack);
#endif
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_MULTIMEM_H
