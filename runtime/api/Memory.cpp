//===- Memory.cpp - what a communicator holds -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace blink::runtime;

blinkResult_t blinkCommMemory(blinkComm_t comm, blinkMemoryInfo_t *info) {
  return guarded([&] {
    if (!comm || !info)
      return refuse("the communicator or info is NULL");
    if (info->size < offsetof(blinkMemoryInfo_t, slots))
      return refuse("size is of no version of blink.h: begin with "
                    "BLINK_MEMORY_INFO_INITIALIZER");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    // Fields that the caller's header does not have are not written.
    blinkMemoryInfo_t all = comm->backend->memory(comm->rank);
    all.size = std::min(info->size, sizeof(all));
    std::memcpy(info, &all, all.size);
    return blinkSuccess;
  });
}
