//===- CudaMachineMemory.cpp - memory of a job and its ranks --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How the memory of a job, and of each rank on its device, is laid out,
// allocated and filled with programs.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaMachine.h"

#include "runtime/cuda/Carver.h"

#include <cstring>

namespace blink::runtime {

/// Lays out the job's memory at `base`, or just counts its bytes. The same in
/// every process.
size_t CudaMachine::layJob(char *base) {
  Carver carver(base);
  abortJob_ = carver.take<uint64_t>(1);
  jobFailure_ = carver.take<JobFailure>(1);
  boards_ = carver.take<Board>(ranks_.size());
  shrinkRecords_ = carver.take<ShrinkRecord>(ranks_.size());
  for (Rank &rank : ranks_)
    rank.reports = carver.take<LaneReport>(plan_.numLanes);
  for (size_t r = 0; r < rings_.size(); ++r) {
    const RingPlan &ring = plan_.rings[r];
    if (ring.kind != sched::ChannelKind::staged)
      continue;
    rings_[r].slots = carver.take<char>(ring.bytes);
    rings_[r].lines = carver.take<char>(ring.lineBytes);
    rings_[r].full = carver.take<uint64_t>(ring.slots);
    rings_[r].freed = carver.take<uint64_t>(1);
    rings_[r].place = carver.take<uint64_t>(2);
  }
  return carver.size();
}

/// Likewise the two pieces of memory that a rank has on its device.
void CudaMachine::layRank(size_t rank, char *controlBase, size_t &controlBytes,
                          char *poolBase, size_t &poolBytes) {
  Carver control(controlBase), pool(poolBase);
  ranks_[rank].abortHere = control.take<uint64_t>(1);
  for (size_t r = 0; r < rings_.size(); ++r) {
    const RingPlan &ring = plan_.rings[r];
    RingPlace &place = rings_[r];
    const bool staged = ring.kind == sched::ChannelKind::staged;
    if (ring.source == rank) {
      place.writer = control.take<DeviceRingEnd>(1);
      if (!staged) {
        place.freed = control.take<uint64_t>(1);
        place.place = control.take<uint64_t>(2);
      }
    }
    if (ring.destination == rank) {
      place.reader = control.take<DeviceRingEnd>(1);
      if (!staged) {
        place.full = pool.take<uint64_t>(ring.slots);
        place.slots = pool.take<char>(ring.bytes);
        place.lines = pool.take<char>(ring.lineBytes);
      }
    }
  }
  controlBytes = control.size();
  poolBytes = pool.size();
}

Status CudaMachine::allocate() {
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
      status = cudaStatus(rank.control.allocate(controlBytes),
                          "cannot allocate memory on " + gpu);
    if (status.ok())
      status = cudaStatus(rank.pool.allocate(poolBytes),
                          "the schedule's channels need " +
                              std::to_string(poolBytes) + " bytes on " + gpu +
                              ": compile with smaller chunks");
    if (status.ok() && !traceFile_.empty())
      status =
          cudaStatus(rank.traces.allocate(plan_.numLanes * sizeof(LaneTrace)),
                     "cannot allocate pinned memory for the trace");
    if (!status.ok())
      return status;
    layRank(i, rank.control.get(), controlBytes, rank.pool.get(), poolBytes);
  }
  return {};
}

/// A variant's channels as rank `self` sees them; those of others are empty.
std::vector<DeviceChannel> CudaMachine::channelsOf(const VariantPlan &variant,
                                                   size_t self) const {
  std::vector<DeviceChannel> channels(variant.rings.size());
  const bool lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  for (size_t c = 0; c < channels.size(); ++c) {
    const RingPlan &ring = plan_.rings[variant.rings[c]];
    const RingPlace &place = rings_[variant.rings[c]];
    const bool writes = ring.source == self;
    if (!writes && ring.destination != self)
      continue;
    const Rank &reader = ranks_[ring.destination];
    const Rank &writer = ranks_[ring.source];
    // Only devices that a peer channel joins need reach each other's memory.
    const bool direct = ring.kind == sched::ChannelKind::peer;
    const bool lent = variant.lent[c] && reader.here && writer.here &&
                      reader.device == writer.device;
    channels[c] = {lowLatency ? place.lines : place.slots,
                   place.full,
                   place.freed,
                   place.place,
                   writes && !reader.here ? reinterpret_cast<const uint64_t *>(
                                                reader.windows.get())
                                          : nullptr,
                   writes ? place.writer : place.reader,
                   variant.slots[c],
                   direct ? variant.directBlocks[c] : DeviceChannel::kNotDirect,
                   lent};
  }
  return channels;
}

/// Lays out every variant's program for each rank, as its device sees it.
Status CudaMachine::copyPrograms() {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    Rank &rank = ranks_[i];
    if (!rank.here)
      continue;
    DeviceScope scope(rank.device);
    std::vector<char> image;
    for (bool real : {false, true}) {
      // Pointers are the device's, contents are written into the image.
      Carver carver(rank.code.get());
      auto put = [&](auto *address, const auto *content, size_t count) {
        if (real && count != 0)
          std::memcpy(image.data() +
                          (reinterpret_cast<char *>(address) - rank.code.get()),
                      content, count * sizeof(*content));
      };
      rank.programs.clear();
      for (const ProgramPlan &program : plan_.programs)
        for (const VariantPlan &variant : program.variants) {
          const RankPlan &plan = variant.ranks[i];
          const RankCode &code = plan.code;
          auto *lanes = carver.take<LaneCode>(code.numLanes);
          auto *steps = carver.take<StepCode>(plan.shares.size());
          auto *operands = carver.take<OperandCode>(plan.numOperands);
          auto *trees = carver.take<TreeShare>(variant.trees.size());
          auto *channels = carver.take<DeviceChannel>(variant.rings.size());
          auto *device = carver.take<DeviceProgram>(1);
          put(lanes, code.lanes, code.numLanes);
          put(steps, code.steps, plan.shares.size());
          put(operands, code.operands, plan.numOperands);
          put(trees, variant.trees.data(), variant.trees.size());
          const std::vector<DeviceChannel> ends = channelsOf(variant, i);
          put(channels, ends.data(), ends.size());
          DeviceProgram own{{lanes, steps, operands, code.numLanes},
                            trees,
                            channels,
                            rank.abortHere,
                            abortJob_,
                            rank.reports,
                            reinterpret_cast<LaneTrace *>(rank.traces.get())};
          put(device, &own, 1);
          rank.programs.push_back(device);
        }
      if (real)
        continue;
      image.resize(carver.size());
      Status status = cudaStatus(rank.code.allocate(carver.size()),
                                 "cannot allocate memory for the programs");
      if (!status.ok())
        return status;
    }
    Status status =
        cudaStatus(copyToDevice(rank.code.get(), image.data(), image.size()),
                   "cannot copy the programs");
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace blink::runtime
