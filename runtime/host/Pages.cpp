//===- Pages.cpp - memory that costs nothing until touched ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Pages.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace blink::runtime {

Pages::~Pages() {
  if (data_)
    munmap(data_, size_);
}

Status Pages::map(uint64_t bytes, int file) {
  if (bytes == 0)
    return {};
  const uint64_t installed =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  void *memory = MAP_FAILED;
  if (bytes <= installed)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return {blinkSystemError, "the schedule's channels need " +
                                  std::to_string(bytes) +
                                  " bytes, more than there are: compile with "
                                  "smaller chunks"};
  data_ = static_cast<char *>(memory);
  size_ = bytes;
  return {};
}

} // namespace blink::runtime
