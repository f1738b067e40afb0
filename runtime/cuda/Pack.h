//===- Pack.h - 16 bytes of elements ----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// 16 bytes are what a thread loads and stores at once. Instructions are spelled
// out, because nvcc splits a store of a struct into stores of its elements on
// sm_90 and before, and cannot tell which memory a lane's pointers lead to.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_PACK_H
#define BLINK_RUNTIME_CUDA_PACK_H

#include "runtime/core/Operators.h"

namespace blink::runtime {

struct Pack {
  static constexpr uint32_t kBytes = 16;
  uint32_t words[4];
};

/// Returns the word that begins `bits` < 32 bits above the beginning of `low`,
/// and continues in `high`.
BLINK_DEVICE inline uint32_t funnelShift(uint32_t low, uint32_t high,
                                         uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, bits);
#else
  return uint32_t((uint64_t(high) << 32 | low) >> bits);
#endif
}

/// On emulated devices, ends the program as GPUs end a kernel whose access is
/// not aligned.
BLINK_DEVICE inline void mustBeAligned(const void *address, uint32_t bytes) {
#if !defined(__CUDA_ARCH__)
  if (reinterpret_cast<uintptr_t>(address) % bytes != 0)
    __builtin_trap();
#endif
}

/// Loads the pack at an address that is a multiple of 16. A weak load, but not
/// by the read-only path, because other threads write the memory between the
/// folds of a kernel.
BLINK_DEVICE inline Pack loadPack(const char *address) {
  mustBeAligned(address, Pack::kBytes);
  Pack pack;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pack.words[0]), "=r"(pack.words[1]), "=r"(pack.words[2]),
                 "=r"(pack.words[3])
               : "l"(address)
               : "memory");
#else
  __builtin_memcpy(&pack, address, sizeof(pack));
#endif
  return pack;
}

BLINK_DEVICE inline void storePack(char *address, const Pack &pack) {
  mustBeAligned(address, Pack::kBytes);
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(address),
               "r"(pack.words[0]), "r"(pack.words[1]), "r"(pack.words[2]),
               "r"(pack.words[3])
               : "memory");
#else
  __builtin_memcpy(address, &pack, sizeof(pack));
#endif
}

/// Stores a pack element by element, at an address that is a multiple of the
/// element's size.
template <typename T>
BLINK_DEVICE inline void storeElements(char *address, const Pack &pack) {
  mustBeAligned(address, sizeof(T));
#if defined(__CUDA_ARCH__)
  BLINK_UNROLL
  for (uint32_t w = 0; w < 4; w += sizeof(T) == 8 ? 2 : 1) {
    const uint32_t word = pack.words[w];
    char *to = address + 4 * w;
    if constexpr (sizeof(T) == 8) {
      asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(word),
                   "r"(pack.words[w + 1])
                   : "memory");
    } else if constexpr (sizeof(T) == 4) {
      asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
    } else if constexpr (sizeof(T) == 2) {
      asm volatile("st.global.b16 [%0], %1;" ::"l"(to), "h"(uint16_t(word))
                   : "memory");
      asm volatile("st.global.b16 [%0+2], %1;" ::"l"(to),
                   "h"(uint16_t(word >> 16))
                   : "memory");
    } else {
      BLINK_UNROLL
      for (int i = 0; i < 4; ++i)
        asm volatile("st.global.b8 [%0], %1;" ::"l"(to + i),
                     "r"(word >> (8 * i))
                     : "memory");
    }
  }
#else
  __builtin_memcpy(address, &pack, sizeof(pack));
#endif
}

/// Pointers in an array in the block's shared memory. nvcc cannot tell that
/// they are there, and would load them with generic addresses.
template <typename T> class SharedPointers {
public:
#if defined(__CUDA_ARCH__)
  __device__ explicit SharedPointers(T *const *array)
      : array_(uint32_t(__cvta_generic_to_shared(array))) {}
  __device__ T *operator[](uint32_t i) const {
    uint64_t pointer;
    asm volatile("ld.shared.b64 %0, [%1];"
                 : "=l"(pointer)
                 : "r"(array_ + 8 * i)
                 : "memory");
    return reinterpret_cast<T *>(pointer);
  }
  __device__ SharedPointers from(uint32_t i) const {
    SharedPointers rest = *this;
    rest.array_ += 8 * i;
    return rest;
  }

private:
  uint32_t array_; ///< an address of shared memory
#else
  explicit SharedPointers(T *const *array) : array_(array) {}
  T *operator[](uint32_t i) const { return array_[i]; }
  SharedPointers from(uint32_t i) const { return SharedPointers(array_ + i); }

private:
  T *const *array_;
#endif
};

/// Returns the number of bytes by which an address exceeds a multiple of 16.
BLINK_DEVICE inline uint32_t misalignment(const volatile void *address) {
  return uint32_t(reinterpret_cast<uintptr_t>(address)) % Pack::kBytes;
}

//===-- Packs that are not aligned ---------------------------------------===//

/// Loads the pack at an address that is a multiple of `kWidth`, 4 or 8, in
/// pieces of that size. They need no shifts, and touch no other bytes.
template <uint32_t kWidth>
BLINK_DEVICE inline Pack loadParts(const char *address) {
  mustBeAligned(address, kWidth);
  Pack pack;
#if defined(__CUDA_ARCH__)
  BLINK_UNROLL
  for (uint32_t w = 0; w < 4; w += kWidth / 4) {
    const char *from = address + 4 * w;
    if constexpr (kWidth == 8)
      asm volatile("ld.global.v2.b32 {%0, %1}, [%2];"
                   : "=r"(pack.words[w]), "=r"(pack.words[w + 1])
                   : "l"(from)
                   : "memory");
    else
      asm volatile("ld.global.b32 %0, [%1];"
                   : "=r"(pack.words[w])
                   : "l"(from)
                   : "memory");
  }
#else
  __builtin_memcpy(&pack, address, sizeof(pack));
#endif
  return pack;
}

/// The words that a pack lies in; it begins in the first of them.
struct Words {
  uint32_t words[5];
};

/// Loads the words of the pack that begins `above` < 4 bytes above `begin`, a
/// multiple of 4.
BLINK_DEVICE inline Words loadWords(const char *begin, uint32_t above) {
  mustBeAligned(begin, 4);
  Words result;
#if defined(__CUDA_ARCH__)
  (void)above;
  BLINK_UNROLL
  for (uint32_t w = 0; w < 5; ++w)
    asm volatile("ld.global.b32 %0, [%1];"
                 : "=r"(result.words[w])
                 : "l"(begin + 4 * w)
                 : "memory");
#elif defined(__SANITIZE_THREAD__)
  // Only the bytes of the pack: the other bytes of the words are discarded, but
  // another thread may be writing them.
  result = {};
  __builtin_memcpy(reinterpret_cast<char *>(&result) + above, begin + above,
                   Pack::kBytes);
#else
  (void)above;
  __builtin_memcpy(&result, begin, sizeof(result));
#endif
  return result;
}

/// Returns the pack that begins `bits` < 32 bits above the beginning of
/// `words`.
BLINK_DEVICE inline Pack extract(const Words &words, uint32_t bits) {
  Pack pack;
  BLINK_UNROLL
  for (uint32_t w = 0; w < 4; ++w)
    pack.words[w] = funnelShift(words.words[w], words.words[w + 1], bits);
  return pack;
}

/// The two aligned packs that a pack lies in. They take fewer loads than its
/// words, but the word in which the pack begins must be a constant.
struct PackPair {
  Pack low, high;
};

/// Loads the two packs around the pack that begins `above` > 0 bytes above
/// `begin`, a multiple of 16.
BLINK_DEVICE inline PackPair loadPair(const char *begin, uint32_t above) {
#if defined(__SANITIZE_THREAD__)
  // Only the bytes of the pack, as in loadWords().
  PackPair pair = {};
  char *bytes = reinterpret_cast<char *>(&pair);
  __builtin_memcpy(bytes + above, begin + above, Pack::kBytes);
  return pair;
#else
  return {loadPack(begin), loadPack(begin + Pack::kBytes)};
#endif
}

/// Returns the pack that begins `kWord` words and `bits` bits above the pair's
/// beginning.
template <uint32_t kWord>
BLINK_DEVICE inline Pack extract(const PackPair &pair, uint32_t bits) {
  Words words;
  BLINK_UNROLL
  for (uint32_t w = 0; w < 5; ++w)
    words.words[w] = kWord + w < 4 ? pair.low.words[(kWord + w) % 4]
                                   : pair.high.words[(kWord + w) % 4];
  return extract(words, bits);
}

/// Calls `body(word)`, where `word` is a constant: the word of a pair in which
/// a pack begins that lies `above` bytes above the pair. All threads take the
/// same branch.
template <typename Body>
BLINK_DEVICE inline void withWord(uint32_t above, Body body) {
  switch (above / 4) {
  case 0:
    return body(std::integral_constant<uint32_t, 0>());
  case 1:
    return body(std::integral_constant<uint32_t, 1>());
  case 2:
    return body(std::integral_constant<uint32_t, 2>());
  default:
    return body(std::integral_constant<uint32_t, 3>());
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_PACK_H
