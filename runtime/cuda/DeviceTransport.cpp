//===- DeviceTransport.cpp - where rings between GPUs lie -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DeviceTransport.h"

namespace blink::runtime {
namespace {

void layNothing(const RingPlan &, RingPlace &, Arena &) {}

//===-- peer: each end polls its own memory -------------------------------===//

void layPeerAtWriter(const RingPlan &, RingPlace &place, Arena &control) {
  place.freed = control.take<uint64_t>(1);
  place.ptrExchangeAtWriter = control.take<uint64_t>(2);
}

void layPeerAtReader(const RingPlan &ring, RingPlace &place, Arena &pool) {
  place.ptrExchangeAtReader = pool.take<uint64_t>(2);
  place.full = pool.take<uint64_t>(ring.slots);
  place.slots = pool.take<char>(ring.bytes);
  place.lines = pool.take<char>(ring.lineBytes);
}

const DeviceTransport kPeer = {true, layNothing, layPeerAtWriter,
                               layPeerAtReader};

//===-- staged: all of it in host memory ----------------------------------===//

void layStagedInJob(const RingPlan &ring, RingPlace &place, Arena &job) {
  place.slots = job.take<char>(ring.bytes);
  place.lines = job.take<char>(ring.lineBytes);
  place.full = job.take<uint64_t>(ring.slots);
  place.freed = job.take<uint64_t>(1);
  place.ptrExchangeAtWriter = job.take<uint64_t>(2);
  place.ptrExchangeAtReader = job.take<uint64_t>(2);
}

const DeviceTransport kStaged = {false, layStagedInJob, layNothing, layNothing};

//===-- carried: each end by itself (CarriedRings.h) ----------------------===//

const DeviceTransport kCarried = {false, layNothing, layNothing, layNothing};

/// Indexed by kind. Channels of kind `network` within one process go through
/// host memory.
const DeviceTransport *const kDeviceTransports[] = {&kPeer, &kStaged, &kStaged};
static_assert(std::size(kDeviceTransports) ==
              size_t(sched::ChannelKind::MAX) + 1);

} // namespace

const DeviceTransport &deviceTransportOf(const RingPlan &ring) {
  return ring.apart || ring.elsewhere ? kCarried
                                      : *kDeviceTransports[size_t(ring.kind)];
}

} // namespace blink::runtime
