//===- CudaBackendMemory.cpp - memory of a job and its ranks --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lays out and allocates the memory of a job, and of each rank on its device.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

namespace blink::runtime {

/// Lays out the job's memory at `base`, or only counts its bytes if that is
/// null. The layout is the same in every process of a server.
size_t CudaBackend::layJob(char *base) {
  Arena arena(base);
  job_.layout(arena, int(ranks_.size()));
  peers_ = arena.take<DevicePeerInfo>(ranks_.size());
  if (!oneProcess_) {
    const size_t numRanks = ranks_.size();
    switchRecords_ = arena.take<SwitchRecord>(numRanks);
    boardMemory_.layout(arena, int(numRanks));
    std::map<uint16_t, size_t> onServer;
    near_.clear();
    for (size_t rank = 0; rank < numRanks; ++rank)
      near_.push_back(onServer[plan_.serverOf[rank]]++);
    for (size_t rank = 0; rank < numRanks; ++rank)
      if (ranks_[rank].here)
        numNear_ = onServer[plan_.serverOf[rank]];
    offers_ = arena.take<WindowOffer>(numNear_ * kMaxWindows);
    reached_ = arena.take<uint64_t>(numNear_ * numNear_ * kMaxWindows);
  }
  for (Rank &rank : ranks_)
    rank.reports = arena.take<LaneReport>(plan_.numLanes + numMessageLanes());
  for (size_t r = 0; r < rings_.size(); ++r) {
    const RingPlan &ring = plan_.rings[r];
    deviceTransportOf(ring).layInJob(ring, rings_[r], arena);
  }
  jobBytes_ = arena.size();
  return arena.size();
}

/// Does the same with the two pieces of memory that a rank has on its device.
void CudaBackend::layRank(size_t rank, char *controlBase, size_t &controlBytes,
                          char *poolBase, size_t &poolBytes) {
  Arena control(controlBase), pool(poolBase);
  ranks_[rank].abortHere = control.take<uint64_t>(1);
  ranks_[rank].busy =
      control.take<uint32_t>(plan_.numLanes + numMessageLanes());
  ranks_[rank].calls = control.take<uint64_t>(size_t(Call::numQueues(plan_)));
  ranks_[rank].sums = control.take<uint64_t>(2 * ranks_.size());
  for (size_t r = 0; r < rings_.size(); ++r) {
    const RingPlan &ring = plan_.rings[r];
    RingPlace &place = rings_[r];
    const DeviceTransport &transport = deviceTransportOf(ring);
    if (ring.source == rank) {
      place.writer = control.take<DeviceRingEnd>(1);
      transport.layAtWriter(ring, place, control);
    }
    if (ring.destination == rank) {
      place.reader = control.take<DeviceRingEnd>(1);
      transport.layAtReader(ring, place, pool);
    }
  }
  controlBytes = control.size();
  poolBytes = pool.size();
}

Status CudaBackend::allocate() {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    Rank &rank = ranks_[i];
    if (!rank.here)
      continue;
    const std::string gpu = "GPU " + std::to_string(rank.device);
    DeviceScope scope(rank.device);
    Status status = cudaStatus(scope.error(), "cannot use " + gpu);
    size_t controlBytes, poolBytes;
    layRank(i, nullptr, controlBytes, nullptr, poolBytes);
    if (status.ok())
      status = cudaStatus(allocateOnCurrent(controlBytes, rank.control),
                          "cannot allocate memory on " + gpu);
    if (status.ok())
      status = cudaStatus(allocateOnCurrent(poolBytes, rank.pool),
                          "the schedule's channels need ", poolBytes,
                          " bytes on ", gpu, ": compile with smaller chunks");
    if (status.ok() && traces_)
      status = cudaStatus(
          allocatePinned(plan_.numLanes * sizeof(LaneTrace), rank.traces),
          "cannot allocate pinned memory for the trace");
    if (!status.ok())
      return status;
    layRank(i, rank.control.get(), controlBytes, rank.pool.get(), poolBytes);
    rank.controlBytes = controlBytes;
    rank.poolBytes = poolBytes;
  }
  return {};
}

blinkMemoryInfo_t CudaBackend::memory(int rank) {
  blinkMemoryInfo_t info = {};
  info.staging = carried_.bytesOf(rank);
  info.slots =
      ranks_[rank].poolBytes + (switchMemory_ ? switchMemory_->bytes() : 0);
  info.control = ranks_[rank].controlBytes;
  info.programs = ranks_[rank].codeBytes;
  info.job = jobBytes_;
  for (const RingPlan &ring : plan_.rings) {
    Arena counting;
    RingPlace place;
    deviceTransportOf(ring).layInJob(ring, place, counting);
    info.job -= counting.size();
    info.staging += ring.destination == rank ? counting.size() : 0;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Window &window : windows_)
    if (window.begin && window.rank == rank)
      info.registered += window.bytes;
  return info;
}

} // namespace blink::runtime
