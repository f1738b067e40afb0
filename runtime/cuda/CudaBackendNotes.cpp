//===- CudaBackendNotes.cpp - where devices note their calls --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Gives the memory of flight/FlightPage.h to devices, which write to it
// (LaneNotes.h), and notes the launches of the host.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/cuda/Kernels.h"

namespace blink::runtime {

Status CudaBackend::createNotes(const BackendRequest &request) {
  const DeviceScope scope(devicesHere()[0]);
  return flight_.create(
      {request.id ? &*request.id : nullptr, blinkBackendCuda, request.numRanks,
       request.id ? request.rank : 0, request.id ? 1 : request.numRanks,
       plan_.numLanes, plan_.numMessageTrees, uint64_t(request.timeout.count()),
       [](std::shared_ptr<char> &memory, uint64_t bytes) {
         std::shared_ptr<char> open;
         Status status = registerForDevices(memory, bytes, open);
         if (!status.ok()) // memory that only this process can read suffices
           status = cudaStatus(allocatePinned(bytes, open), "cannot allocate ",
                               bytes, " bytes of pinned host memory");
         if (status.ok())
           memory = open;
         return status;
       }});
}

/// Returns the notes for programs of collectives, or of messages, without the
/// members that differ between programs.
DeviceNotes CudaBackend::notesOf(size_t self, bool messages) {
  const FlightRecorder &recorder = flight_.of(int(self));
  const FlightHeader header = flight_.header();
  DeviceNotes notes{};
  notes.calls = ranks_[self].calls;
  notes.sums = ranks_[self].sums + (messages ? ranks_.size() : 0);
  notes.waits = recorder.waits(messages);
  notes.records = recorder.deviceCalls(messages);
  notes.lanes = recorder.deviceLanes(messages);
  notes.numLanes = uint32_t(messages ? header.numQueues * header.queueLanes
                                     : header.numLanes);
  notes.numQueues = messages ? uint32_t(header.numQueues) : 1;
  notes.firstQueue = messages ? 1 : 0;
  notes.kept = uint32_t(messages ? kQueueCalls : header.numCalls);
  return notes;
}

/// Notes what does not change: the numbers of lanes, and one moment both by the
/// clock of each rank's device and by the wall clock.
Status CudaBackend::beginNotes() {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].here)
      continue;
    for (bool messages : {false, true}) {
      const DeviceNotes notes = notesOf(rank, messages);
      for (uint32_t lane = 0; lane < notes.numLanes; ++lane)
        notes.lanes[lane].lane = lane;
    }
    const DeviceScope scope(ranks_[rank].device);
    RankCounters &counters = flight_.of(int(rank)).counters();
    const cudaError_t error = onOwnStream([&](cudaStream_t stream) {
      counters.wallTime = wallTime();
      return launchClock(&counters.deviceTime, stream);
    });
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot read the clock of GPU ",
                        ranks_[rank].device);
  }
  return {};
}

/// Notes calls that one launch is about to put into a stream. Returns the
/// launch's number.
uint32_t CudaBackend::noteLaunch(const Call *const *calls, size_t count) {
  numLaunches_ += numLaunches_ + 1 == 0 ? 2 : 1; // 0 stands for no launch
  for (size_t i = 0; i < count; ++i)
    flight_.of(calls[i]->rank)
        .launch(numLaunches_, *calls[i], calls[i]->variant().number, ticks());
  return numLaunches_;
}

} // namespace blink::runtime
