//===- FloatMode.h - how a thread's floating point works --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_FLOATMODE_H
#define BLINK_RUNTIME_HOST_FLOATMODE_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace blink::runtime {

/// While it lives, floating point on this thread works as IEEE 754 has it by
/// default: it rounds to nearest and flushes no denormals. Programs change that
/// (torch.set_flush_denormal, -ffast-math), and a call is also worked on by
/// threads of the pool, so otherwise its bits would depend on which thread has
/// taken which piece.
///
/// The compiler may move arithmetic across it, so it goes around calls of
/// functions that are called through pointers, such as those of Fold.h.
class DefaultFloats {
public:
#if defined(__x86_64__)
  DefaultFloats() : mode_(_mm_getcsr()) {
    if (isChanged())
      _mm_setcsr(kDefault);
  }
  ~DefaultFloats() {
    if (isChanged())
      _mm_setcsr(mode_);
  }

private:
  static constexpr uint32_t kDefault = 0x1f80; // all exceptions are masked
  static constexpr uint32_t kSeen = 0x3f;      // exceptions that occurred
  bool isChanged() const { return ((mode_ ^ kDefault) & ~kSeen) != 0; }
  const uint32_t mode_;
#elif defined(__aarch64__)
  DefaultFloats() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode_));
    if (mode_ != 0)
      __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t(0)));
  }
  ~DefaultFloats() {
    if (mode_ != 0)
      __asm__ volatile("msr fpcr, %0" ::"r"(mode_));
  }

private:
  uint64_t mode_;
#else
  DefaultFloats() {
    std::fegetenv(&mode_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&mode_); }

private:
  std::fenv_t mode_;
#endif
  DefaultFloats(const DefaultFloats &) = delete;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_FLOATMODE_H
