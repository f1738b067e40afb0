//===- JobMemory.h - what ranks tell each other -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the host memory of a job, which its processes share.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_JOBMEMORY_H
#define BLINK_RUNTIME_CUDA_JOBMEMORY_H

#include "runtime/Backend.h"
#include "runtime/cuda/Launch.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/cuda/SharedAllocation.h"

namespace blink::runtime {

/// A Status in shared memory. Longer sentences are cut.
struct SharedStatus {
  uint64_t code;
  char text[496];

  void set(const Status &status) {
    code = uint64_t(status.code);
    text[status.text.copy(text, sizeof(text) - 1)] = '\0';
  }
  Status get() const { return {blinkResult_t(code), text}; }
};

/// Why the job failed, where a process and not a lane found out.
struct JobFailure {
  uint64_t state; ///< 0 none, 1 being written, 2 complete
  SharedStatus why;
};

/// What a rank tells the others while all of them register a buffer. Written
/// before one step of theirs and read before the next.
struct WindowOffer {
  SharedNote note;
  uint64_t address; ///< of the buffer, for ranks of the same process; 0: none
  uint64_t bytes;
  uint64_t used; ///< bit w: window w of this rank is in use
  SharedStatus outcome;
};

/// What a rank tells the others.
struct Board {
  uint64_t process; ///< its number, once control and pool can be found
  uint64_t opened;  ///< 1: it has mapped the others' memory
  uint64_t gone;    ///< 1: destroyed
  uint64_t quiet;   ///< 1: the job has failed, and no kernel of it is left here
  uint64_t closed;  ///< 1: it has nothing of the others mapped any more
  uint64_t steps;   ///< of registering and deregistering
  cudaIpcMemHandle_t control, pool;
  WindowOffer offer;
  GpuShare gpu;
  // For ranks of the same process: addresses in it.
  uint64_t token; ///< processToken()
  uint64_t device;
  uint64_t localControl, localPool;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_JOBMEMORY_H
