//===- Arena.h - parts of a piece of memory ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_ARENA_H
#define BLINK_RUNTIME_JOB_ARENA_H

#include <cstddef>

namespace blink::runtime {

/// Hands out parts of a block of memory. A first pass with a null base only
/// counts the bytes; a second pass hands out the parts. No two parts share a
/// cache line of a device.
class Arena {
public:
  /// If `base` is null, take() only counts.
  explicit Arena(char *base = nullptr) : base_(base) {}
  template <typename T> T *take(size_t count) {
    const size_t offset = size_;
    size_ += align(count * sizeof(T));
    return base_ ? reinterpret_cast<T *>(base_ + offset) : nullptr;
  }
  size_t size() const { return size_; }

private:
  static constexpr size_t kLine = 128;
  static size_t align(size_t bytes) {
    return (bytes + kLine - 1) / kLine * kLine;
  }

  char *base_;
  size_t size_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_ARENA_H
