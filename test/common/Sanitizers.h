//===- Sanitizers.h - which sanitizer is active -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that do less under a sanitizer. docs/rationale.md, R102, says what
// may be left out, and why.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SANITIZERS_H
#define BLINK_TEST_COMMON_SANITIZERS_H

namespace blink::test {

/// Whether a sanitizer is active. It sees one process only.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
/// Whether ThreadSanitizer is active, which makes everything many times slower.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = false;
#endif

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SANITIZERS_H
