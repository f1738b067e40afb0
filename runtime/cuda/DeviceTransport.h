//===- DeviceTransport.h - where rings between GPUs lie ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane on a GPU moves chunks by loads and stores alone. So a transport
// (runtime/Transport.h) decides here only where the memory of a ring is: each
// kind of channel has an entry in a table.
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
/// part of the ring from an arena, or does nothing. All of them are called for
/// every ring, in every process.
struct DeviceTransport {
  /// Whether each end's GPU reaches the memory of the other's. Then the two
  /// need access to each other, and lanes may read and write the other rank's
  /// buffers.
  bool reaches;
  /// Lays out pinned host memory that all ranks reach.
  void (*layInJob)(const RingPlan &ring, RingPlace &place, Arena &job);
  /// Lays out zeroed memory of the writer's GPU.
  void (*layAtWriter)(const RingPlan &ring, RingPlace &place, Arena &control);
  /// Lays out zeroed memory of the reader's GPU.
  void (*layAtReader)(const RingPlan &ring, RingPlace &place, Arena &pool);
};

/// Returns the entry of the ring's kind. Returns one that lays out nothing if a
/// transport carries the ring (CarriedRings.h), or if the ring belongs to
/// another server.
const DeviceTransport &deviceTransportOf(const RingPlan &ring);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICETRANSPORT_H
