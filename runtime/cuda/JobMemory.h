//===- JobMemory.h - what ranks tell each other -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the host memory of a job, which its processes share.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_JOBMEMORY_H
#define BLINK_RUNTIME_CUDA_JOBMEMORY_H

#include "runtime/Machine.h"
#include "runtime/cuda/Launch.h"

#include <cuda_runtime_api.h>

namespace blink::runtime {

/// Why the job failed, where a process and not a lane found out.
struct JobFailure {
  uint64_t state; ///< 0 none, 1 being written, 2 complete
  uint64_t code;
  char text[496];
};

/// What a rank tells the others.
struct Board {
  uint64_t process; ///< its number, once control and pool can be found
  uint64_t opened;  ///< 1: it has mapped the others' memory
  uint64_t gone;    ///< 1: destroyed
  uint64_t quiet;   ///< 1: the job has failed, and no kernel of it is left here
  uint64_t steps;   ///< of registering and deregistering
  cudaIpcMemHandle_t control, pool;
  cudaIpcMemHandle_t windows[kMaxWindows];
  uint64_t offsets[kMaxWindows]; ///< of windows in what the handle stands for
  // For ranks of the same process: addresses in it.
  uint64_t token; ///< processToken()
  uint64_t device;
  uint64_t localControl, localPool;
  uint64_t localWindows[kMaxWindows];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_JOBMEMORY_H
