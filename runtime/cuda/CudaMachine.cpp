//===- CudaMachine.cpp - making and ending the back end of a job ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaMachine.h"

#include "runtime/Log.h"
#include "runtime/cuda/LeftMemory.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/job/Rendezvous.h"

namespace blink::runtime {

Status CudaMachine::placeRanks(int numRanks, const int *devices) {
  ranks_.resize(numRanks);
  int count = 0;
  Status status =
      cudaStatus(cudaGetDeviceCount(&count), "cannot count the GPUs");
  for (size_t rank = 0; status.ok() && rank < ranks_.size(); ++rank) {
    const int device = devices ? devices[rank] : int(rank);
    if (ranks_[rank].here && (device < 0 || device >= count))
      return {blinkInvalidArgument,
              "rank " + std::to_string(rank) + " is for GPU " +
                  std::to_string(device) + ", this machine has " +
                  std::to_string(count) +
                  (devices ? "" : ": pass an array of devices")};
    ranks_[rank].device = device;
    severalDevices_ |= device != ranks_[0].device;
  }
  return status;
}

std::vector<int> CudaMachine::devicesHere() const {
  std::vector<int> devices;
  for (const Rank &rank : ranks_)
    if (rank.here)
      devices.push_back(rank.device);
  return devices;
}

Status CudaMachine::makePlan(const ScheduleSet &files,
                             const std::vector<int> &gpus,
                             const MachineOptions &options) {
  timeout_ = options.timeout;
  Status status = Plan::create(files, int(ranks_.size()),
                               {gpus, options.withoutLink}, plan_);
  rings_.resize(plan_.rings.size());
  for (const RingPlan &ring : plan_.rings)
    if (ring.kind == sched::ChannelKind::network)
      return {blinkInvalidUsage,
              "the schedule has a channel over the network, from rank " +
                  std::to_string(ring.source) + " to rank " +
                  std::to_string(ring.destination) +
                  ": this back end serves one machine"};
  return status;
}

Status CudaMachine::createAll(const ScheduleSet &files, int numRanks,
                              const int *devices, const MachineOptions &options,
                              std::shared_ptr<CudaMachine> &result) {
  std::shared_ptr<CudaMachine> machine(new CudaMachine);
  Status status = machine->placeRanks(numRanks, devices);
  std::vector<int> list;
  if (options.gpus)
    list.assign(options.gpus, options.gpus + numRanks);
  else if (status.ok() && hasBundle(files))
    status = findGpus(machine->devicesHere(), list);
  if (status.ok())
    status = machine->makePlan(files, list, options);
  if (status.ok())
    status = enablePeers(machine->plan_, machine->devicesHere());
  if (status.ok())
    status = checkResidency(machine->plan_, machine->devicesHere());
  const size_t jobBytes = machine->layJob(nullptr);
  if (status.ok()) {
    const DeviceScope scope(machine->ranks_[0].device);
    status = cudaStatus(machine->ownJob_.allocate(jobBytes),
                        "cannot allocate " + std::to_string(jobBytes) +
                            " bytes of pinned host memory");
  }
  if (!status.ok())
    return status;
  machine->layJob(machine->ownJob_.get());
  status = machine->allocate();
  if (status.ok())
    status = machine->copyPrograms();
  if (!status.ok())
    return status;
  log(LogLevel::info, -1,
      "CUDA back end: " + std::to_string(numRanks) + " ranks in one process, " +
          std::to_string(machine->plan_.programs.size()) + " programs, " +
          std::to_string(machine->plan_.poolBytes) + " bytes of slots");
  result = std::move(machine);
  return {};
}

Status CudaMachine::join(const ScheduleSet &files, int numRanks,
                         const blinkUniqueId &id, int rank, int device,
                         const MachineOptions &options,
                         std::shared_ptr<CudaMachine> &result) {
  std::shared_ptr<CudaMachine> machine(new CudaMachine);
  machine->oneProcess_ = false;
  freeLeftMemory();
  machine->ranks_.resize(numRanks);
  for (int other = 0; other < numRanks; ++other)
    machine->ranks_[other].here = other == rank;
  const std::vector<int> devices(numRanks, device);
  Status status = machine->placeRanks(numRanks, devices.data());
  std::vector<int> list;
  if (options.gpus)
    list.assign(options.gpus, options.gpus + numRanks);
  if (status.ok())
    status = machine->makePlan(files, list, options);
  if (status.ok())
    status = checkResidency(machine->plan_, machine->devicesHere());
  const size_t jobBytes = machine->layJob(nullptr);
  // From now on: loading kernels may have meant compiling them, on a GPU newer
  // than this library.
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  Admission admission;
  if (status.ok())
    status = joinJob(id,
                     {uint32_t(numRanks), uint32_t(rank),
                      machine->plan_.fingerprint, jobBytes},
                     deadline, options.lost, admission);
  if (status.ok()) {
    const DeviceScope scope(device);
    status = machine->sharedJob_.map(admission.memory.get(), jobBytes);
  }
  if (!status.ok())
    return status;
  machine->layJob(machine->sharedJob_.get());
  status = machine->allocate();
  if (status.ok())
    status = machine->meet(rank, deadline, options.lost);
  if (status.ok())
    status = machine->openOthers(rank, deadline, options.lost);
  if (status.ok())
    status = machine->copyPrograms();
  if (!status.ok())
    return status;
  machine->watcher_ =
      std::thread([own = machine.get()] { own->watchOthers(); });
  log(LogLevel::info, rank,
      "CUDA back end: joined " + std::to_string(numRanks) + " ranks, on GPU " +
          std::to_string(device));
  result = std::move(machine);
  return {};
}

CudaMachine::~CudaMachine() {
  stopping_.store(true, std::memory_order_relaxed);
  if (watcher_.joinable())
    watcher_.join();
  // Memory must outlive the kernels that use it; those end, by their limits.
  finishLaunches();
  writeTrace();
  if (!oneProcess_ && boards_)
    partFromOthers();
}

void CudaMachine::writeTrace() const {
  if (traceFile_.empty())
    return;
  TraceWriter writer(traceFile_);
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    for (uint32_t lane = 0; ranks_[rank].traces.get() && lane < plan_.numLanes;
         ++lane)
      writer.add(
          int(rank), lane,
          reinterpret_cast<const LaneTrace *>(ranks_[rank].traces.get())[lane]);
}

} // namespace blink::runtime
