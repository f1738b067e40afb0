//===- Descriptor.h - an owned file descriptor ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_DESCRIPTOR_H
#define BLINK_RUNTIME_JOB_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace blink::runtime {

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_DESCRIPTOR_H
