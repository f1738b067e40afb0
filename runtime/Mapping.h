//===- Mapping.h - mapped memory ------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_MAPPING_H
#define BLINK_RUNTIME_MAPPING_H

#include <memory>
#include <sys/mman.h>

namespace blink::runtime {

/// Maps memory with mmap; the last owner of the result unmaps it. Returns null,
/// with errno set, if mmap fails.
inline std::shared_ptr<char> mapFile(size_t bytes, int protection, int flags,
                                     int file, off_t offset = 0) {
  void *memory = mmap(nullptr, bytes, protection, flags, file, offset);
  if (memory == MAP_FAILED)
    return nullptr;
  return {static_cast<char *>(memory),
          [bytes](char *begin) { munmap(begin, bytes); }};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_MAPPING_H
