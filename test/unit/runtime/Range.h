//===- Range.h - operands of a device's fold --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_RUNTIME_RANGE_H
#define BLINK_TEST_UNIT_RUNTIME_RANGE_H

#include "test/common/LateStage.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace blink::test {

/// One of three threads that take turns; they share nothing within a fold.
struct OneThread {
  uint32_t number;
  uint32_t thread() const { return number; }
  uint32_t size() const { return 3; }
  static constexpr bool kStages = false;
};
/// The same with a stage.
struct OneStagedThread : OneThread {
  uint32_t packs;
  static constexpr bool kStages = true;
  uint32_t stagePacks() const { return packs; }
  LateStage stage() const { return LateStage(packs); }
};

/// `count` elements, `above` bytes above a multiple of 16. AddressSanitizer
/// reports accesses around them, except within the same 16 bytes.
template <typename T> class Range {
public:
  Range(size_t count, uint32_t above)
      : bytes_(new(std::align_val_t(16)) char[above + count * sizeof(T)]),
        begin_(bytes_.get() + above) {
#if defined(__SANITIZE_ADDRESS__)
    // AddressSanitizer distinguishes units of eight bytes.
    ASAN_POISON_MEMORY_REGION(bytes_.get(), above / 8 * 8);
#endif
  }
  T *get() const { return reinterpret_cast<T *>(begin_); }

private:
  struct Free {
    void operator()(char *bytes) const {
      ::operator delete[](bytes, std::align_val_t(16));
    }
  };
  std::unique_ptr<char, Free> bytes_;
  char *begin_;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_RUNTIME_RANGE_H
