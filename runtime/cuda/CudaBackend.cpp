//===- CudaBackend.cpp - making and ending the back end of a job ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/cuda/DeviceBlock.h"
#include "runtime/cuda/LeftMemory.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/job/Rendezvous.h"

namespace blink::runtime {
namespace {

Status allocateDeviceBlock(size_t bytes, void *&memory) {
  std::shared_ptr<char> onDevice;
  Status status = allocateOnDevice(bytes, onDevice);
  memory = onDevice.get();
  if (status.ok())
    adoptBlock(std::move(onDevice), bytes);
  return status;
}

} // namespace

const BackendEntry kCudaBackend = {
    blinkBackendCuda,  "CUDA",     CudaBackend::createAll,
    CudaBackend::join, isOnDevice, allocateDeviceBlock};

Status CudaBackend::placeRanks(int numRanks, const int *devices) {
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

std::vector<int> CudaBackend::devicesHere() const {
  std::vector<int> devices;
  for (const Rank &rank : ranks_)
    if (rank.here)
      devices.push_back(rank.device);
  return devices;
}

Status CudaBackend::makePlan(const ScheduleSet &files,
                             const std::vector<int> &gpus,
                             const BackendOptions &options) {
  job_.begin(int(ranks_.size()), options.timeout);
  Status status = Plan::create(files, int(ranks_.size()),
                               {gpus, options.withoutLink}, plan_);
  rings_.resize(plan_.rings.size());
  for (const RingPlan &ring : plan_.rings)
    if (!deviceTransportOf(ring.kind))
      return {blinkInvalidUsage,
              "the schedule has a channel over the network, from rank " +
                  std::to_string(ring.source) + " to rank " +
                  std::to_string(ring.destination) +
                  ": this back end serves one machine"};
  return status;
}

Status CudaBackend::createAll(const ScheduleSet &files, int numRanks,
                              const int *devices, const BackendOptions &options,
                              std::shared_ptr<Backend> &result) {
  std::shared_ptr<CudaBackend> backend(new CudaBackend);
  Status status = backend->placeRanks(numRanks, devices);
  for (const Rank &rank : backend->ranks_)
    backend->origin_.devices.push_back(rank.device);
  std::vector<int> list;
  if (options.gpus)
    list.assign(options.gpus, options.gpus + numRanks);
  else if (status.ok() && hasBundle(files))
    status = findGpus(backend->devicesHere(), list);
  if (status.ok())
    status = backend->makePlan(files, list, options);
  if (status.ok())
    status = enablePeers(backend->plan_, backend->devicesHere());
  if (status.ok())
    status = checkResidency(backend->plan_, backend->devicesHere());
  if (!status.ok())
    return status;
  const size_t jobBytes = backend->layJob(nullptr);
  {
    const DeviceScope scope(backend->ranks_[0].device);
    status = cudaStatus(allocatePinned(jobBytes, backend->memory_),
                        "cannot allocate " + std::to_string(jobBytes) +
                            " bytes of pinned host memory");
  }
  if (!status.ok())
    return status;
  backend->layJob(backend->memory_.get());
  status = backend->allocate();
  if (status.ok())
    status = backend->copyPrograms();
  if (!status.ok())
    return status;
  log(LogLevel::info, -1,
      "CUDA back end: " + std::to_string(numRanks) + " ranks in one process, " +
          std::to_string(backend->plan_.programs.size()) + " programs, " +
          std::to_string(backend->plan_.poolBytes) + " bytes of slots");
  result = std::move(backend);
  return {};
}

Status CudaBackend::join(const ScheduleSet &files, int numRanks,
                         const blinkUniqueId &id, int rank, int device,
                         const BackendOptions &options,
                         std::shared_ptr<Backend> &result) {
  std::shared_ptr<CudaBackend> backend(new CudaBackend);
  backend->oneProcess_ = false;
  freeLeftMemory();
  backend->ranks_.resize(numRanks);
  for (int other = 0; other < numRanks; ++other)
    backend->ranks_[other].here = other == rank;
  const std::vector<int> devices(numRanks, device);
  Status status = backend->placeRanks(numRanks, devices.data());
  backend->origin_.rank = rank;
  backend->origin_.devices = devices;
  std::vector<int> list;
  if (options.gpus)
    list.assign(options.gpus, options.gpus + numRanks);
  if (status.ok())
    status = backend->makePlan(files, list, options);
  if (status.ok())
    status = checkResidency(backend->plan_, backend->devicesHere());
  if (!status.ok())
    return status;
  const size_t jobBytes = backend->layJob(nullptr);
  // From now on: loading kernels may have meant compiling them, on a GPU newer
  // than this library.
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  Admission admission;
  status = joinJob(id,
                   {uint32_t(numRanks), uint32_t(rank),
                    backend->plan_.fingerprint, jobBytes},
                   deadline, options.peerFailure, admission);
  if (status.ok()) {
    const DeviceScope scope(device);
    status = mapForDevices(admission.memory.get(), jobBytes, backend->memory_);
  }
  if (!status.ok())
    return status;
  backend->layJob(backend->memory_.get());
  status = backend->allocate();
  if (status.ok())
    status = backend->meet(rank, deadline, options.peerFailure);
  if (status.ok())
    status = backend->openOthers(rank, deadline, options.peerFailure);
  if (status.ok())
    status = backend->copyPrograms();
  if (!status.ok())
    return status;
  backend->watcher_ =
      std::thread([own = backend.get()] { own->watchOthers(); });
  log(LogLevel::info, rank,
      "CUDA back end: joined " + std::to_string(numRanks) + " ranks, on GPU " +
          std::to_string(device));
  result = std::move(backend);
  return {};
}

CudaBackend::~CudaBackend() {
  stopping_.store(true, std::memory_order_relaxed);
  if (watcher_.joinable())
    watcher_.join();
  // Memory must outlive the kernels that use it; those end, by their limits.
  finishLaunches();
  writeTrace();
  if (!oneProcess_ && peers_)
    partFromOthers();
}

void CudaBackend::writeTrace() const {
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
