//===- Pages.h - memory that costs nothing until touched --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_PAGES_H
#define BLINK_RUNTIME_HOST_PAGES_H

#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>

namespace blink::runtime {

/// Mapped memory, zero at first. The kernel gives a page when it is first
/// touched, and most rings of a bundle never are.
class Pages {
public:
  Pages() = default;
  ~Pages();
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  /// `file` negative: memory of this process; or else that behind the file,
  /// which has so many bytes. Once. Errors: there is not so much memory. The
  /// kernel might promise it all the same, and end the process later.
  Status map(uint64_t bytes, int file = -1);
  char *data() const { return data_; }

private:
  char *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PAGES_H
