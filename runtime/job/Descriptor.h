//===- Descriptor.h - an owned file descriptor ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_DESCRIPTOR_H
#define BLINK_RUNTIME_JOB_DESCRIPTOR_H

#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
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

/// Makes a file without a name, all zero, for processes to map. Returns an
/// empty Descriptor, with errno set, on failure.
inline Descriptor makeMemoryFile(const char *name, uint64_t bytes) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), off_t(bytes)) != 0)
    return Descriptor();
  // A process that shrank the file would crash the others that have mapped it.
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return file;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_DESCRIPTOR_H
