//===- Pages.cpp - memory that costs nothing until touched ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Pages.h"

#include "runtime/Mapping.h"

#include <unistd.h>

namespace blink::runtime {

Status mapPages(uint64_t bytes, int file, std::shared_ptr<char> &pages) {
  if (bytes == 0)
    return {};
  const uint64_t installed =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes <= installed)
    pages = mapFile(bytes, PROT_READ | PROT_WRITE,
                    file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file);
  if (!pages)
    return Status(blinkSystemError, "the schedule's channels need ", bytes,
                  " bytes, more than there are: compile with "
                  "smaller chunks");
  return {};
}

} // namespace blink::runtime
