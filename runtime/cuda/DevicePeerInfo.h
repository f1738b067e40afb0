//===- DevicePeerInfo.h - where the memory of ranks is ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The records by which ranks of this back end tell each other where their
// memory is, in addition to those of all ranks (job/JobMemory.h): plain structs
// in the job's host memory.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEPEERINFO_H
#define BLINK_RUNTIME_CUDA_DEVICEPEERINFO_H

#include "runtime/cuda/Launch.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/cuda/SharedAllocation.h"
#include "runtime/job/JobMemory.h"

namespace blink::runtime {

/// A rank's description of a window (job/WindowBoard.h) for the other ranks.
struct WindowOffer {
  SharedNote note;
  uint64_t address; ///< address of the buffer, for ranks of the same process
  uint64_t bytes;
};

/// A rank's record for the others, in addition to its PeerRecord. That one says
/// "joined" once `control` and `pool` can be read here, and "ready" once the
/// rank has mapped those of the others.
struct DevicePeerInfo {
  uint64_t drained; ///< 1: the job has failed, and no kernel of it is left here
  uint64_t closed;  ///< 1: no memory of the others is mapped here any more
  cudaIpcMemHandle_t control, pool;
  GpuShare gpu;
  uint64_t lanes; ///< that it may run at the same time, if they are counted
  // For ranks of the same process: addresses there.
  uint64_t token; ///< processToken() of its process
  uint64_t device;
  uint64_t localControl, localPool;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEPEERINFO_H
