//===- DeviceTransport.h - where rings between GPUs lie ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane on a GPU moves chunks by loads and stores alone, so what a transport
// (runtime/Transport.h) decides here is where the memory of a ring is: each
// kind of channel has a line in a table.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICETRANSPORT_H
#define BLINK_RUNTIME_CUDA_DEVICETRANSPORT_H

#include "runtime/cuda/Launch.h"
#include "runtime/job/Arena.h"
#include "runtime/plan/Plan.h"

namespace blink::runtime {

/// The memory of a ring, as this process reaches it.
struct RingPlace {
  char *slots = nullptr;
  char *lines = nullptr;
  uint64_t *full = nullptr;
  uint64_t *freed = nullptr;
  uint64_t *ptrExchangeAtWriter = nullptr;
  uint64_t *ptrExchangeAtReader = nullptr;
  DeviceRingEnd *writer = nullptr;
  DeviceRingEnd *reader = nullptr;
};

/// How the rings of one kind of channel join two GPUs. Each function takes its
/// part from an arena, or does nothing; all are called for every ring, in every
/// process.
struct DeviceTransport {
  /// Each end's GPU reaches the memory of the other's: they need access to each
  /// other, and lanes may move chunks from and to the other rank's buffers.
  bool reaches;
  /// From pinned host memory that all ranks reach.
  void (*layInJob)(const RingPlan &ring, RingPlace &place, Arena &job);
  /// From memory of the writer's GPU, cleared at first.
  void (*layAtWriter)(const RingPlan &ring, RingPlace &place, Arena &control);
  /// From memory of the reader's GPU, cleared at first.
  void (*layAtReader)(const RingPlan &ring, RingPlace &place, Arena &pool);
};

/// Of the ring's kind, or one that lays nothing: a transport carries the ring
/// (CarriedRings.h), or it is none of this server's.
const DeviceTransport &deviceTransportOf(const RingPlan &ring);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICETRANSPORT_H
