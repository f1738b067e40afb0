//===- CudaBackend.cpp - making and ending the back end of a job ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/QuietThread.h"
#include "runtime/cuda/DeviceBlock.h"
#include "runtime/cuda/LeftMemory.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/job/Join.h"
#include "runtime/job/Meeting.h"

#include <cstring>

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

const BackendEntry kCudaBackend = {blinkBackendCuda, "CUDA",
                                   []() -> std::shared_ptr<Backend> {
                                     return std::make_shared<CudaBackend>();
                                   },
                                   isOnDevice, allocateDeviceBlock};

Status CudaBackend::placeRanks(int numRanks, const std::vector<int> &devices) {
  ranks_.resize(numRanks);
  int count = 0;
  Status status =
      cudaStatus(cudaGetDeviceCount(&count), "cannot count the GPUs");
  for (size_t rank = 0; status.ok() && rank < ranks_.size(); ++rank) {
    const int device = devices.empty() ? int(rank) : devices[rank];
    if (ranks_[rank].here && (device < 0 || device >= count))
      return Status(blinkInvalidArgument, "rank ", rank, " is for GPU ", device,
                    ", this machine has ", count,
                    devices.empty() ? ": pass an array of devices" : "");
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

/// Sets `gpus` to the machine's numbers of all ranks' GPUs; leaves it empty if
/// nothing needs them.
Status CudaBackend::findGpus(const BackendRequest &request,
                             std::vector<int> &gpus) const {
  gpus = request.gpus;
  if (!gpus.empty() || !hasBundle(request.files))
    return {};
  std::vector<GpuPlace> places;
  for (int device : devicesHere())
    if (Status status = placeOf(device, places.emplace_back()); !status.ok())
      return status;
  if (request.id) {
    const std::string own(reinterpret_cast<const char *>(&places[0]),
                          sizeof(GpuPlace));
    std::vector<std::string> all;
    Status status =
        runtime::meet(*request.id, request.numRanks, request.rank, own,
                      request.timeout, request.peerFailure, all);
    if (!status.ok()) // the ranks can meet on one server only
      return Status(status.code, status.text,
                    ": ranks on several servers set blinkConfig_t::gpus");
    places.resize(all.size());
    for (size_t rank = 0; rank < all.size(); ++rank)
      std::memcpy(&places[rank], all[rank].data(), sizeof(GpuPlace));
  }
  return numberGpus(places, gpus);
}

/// The default if the caller gives no limit. With everything else that a
/// communicator has, a rank of eight with schedules for all collectives stays
/// below 64 MiB. Schedules for several servers have larger chunks
/// (slotBytesOfRank of compiler/plan/TimeModel.h).
static uint64_t defaultSlotBytes(int numRanks) {
  constexpr int kFewRanks = 16;
  return numRanks > kFewRanks ? 160 << 20 : 56 << 20;
}

Status CudaBackend::makePlan(const BackendRequest &request) {
  std::vector<int> gpus;
  Status status = findGpus(request, gpus);
  if (!status.ok())
    return status;
  job_.begin(request.numRanks, request.timeout);
  origin_.slotBytes = request.slotBytes;
  std::vector<bool> here;
  for (const Rank &rank : ranks_)
    here.push_back(rank.here);
  status = Plan::create(request.files, request.numRanks,
                        {gpus, request.withoutLink, request.hosts}, plan_,
                        request.slotBytes ? request.slotBytes
                                          : defaultSlotBytes(request.numRanks),
                        request.order, here);
  if (!status.ok())
    return status;
  status = createNotes(request);
  if (!status.ok())
    return status;
  partRings(plan_, here);
  rings_.resize(plan_.rings.size());
  const DeviceScope scope(devicesHere()[0]);
  status = carried_.create(plan_, here);
  proxy_.prepare(plan_, carried_, here);
  return status;
}

/// Joins the rings that transports carry, once all ranks have told how they are
/// reached, and starts to carry.
Status
CudaBackend::connectCarried(std::chrono::steady_clock::time_point deadline) {
  if (!carried_.carriers.any())
    return {};
  Status status = carried_.carriers.connect(job_, deadline, [this] {
    Status why = failure();
    for (int other = 0; other < job_.numRanks() && why.ok(); ++other)
      why = job_.peerFailure(other);
    return why;
  });
  if (status.ok())
    status = proxy_.start(
        job_, [this](const Status &why) { fail(why); },
        [this] { return failure(); });
  return status;
}

Status CudaBackend::createAll(const BackendRequest &request) {
  Status status = placeRanks(request.numRanks, request.devices);
  for (const Rank &rank : ranks_)
    origin_.devices.push_back(rank.device);
  if (status.ok())
    status = makePlan(request);
  if (status.ok())
    status = enablePeers(plan_, devicesHere());
  std::map<int, uint32_t> residentOn;
  if (status.ok())
    status = checkResidency(plan_, devicesHere(), residentOn);
  if (!status.ok())
    return status;
  const size_t jobBytes = layJob(nullptr);
  {
    const DeviceScope scope(ranks_[0].device);
    status = cudaStatus(allocatePinned(jobBytes, memory_), "cannot allocate ",
                        jobBytes, " bytes of pinned host memory");
  }
  if (!status.ok())
    return status;
  layJob(memory_.get());
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    prepareRoom(rank, residentOn[ranks_[rank].device]);
  status = allocate();
  for (int rank = 0; rank < request.numRanks && status.ok(); ++rank)
    status = carried_.carriers.listen(rank, job_);
  if (status.ok())
    // All ranks are here, so only the machine itself can be late.
    status = connectCarried(std::chrono::steady_clock::now() +
                            std::chrono::seconds(10));
  if (status.ok()) {
    prepareSwitches();
    status = copyPrograms();
  }
  if (status.ok())
    status = beginNotes();
  if (status.ok())
    log(LogLevel::info, -1, "CUDA back end: ", request.numRanks,
        " ranks in one process, ", plan_.programs.size(), " programs, ",
        plan_.poolBytes, " bytes of slots");
  return status;
}

Status CudaBackend::join(const BackendRequest &request) {
  const int rank = request.rank, numRanks = request.numRanks;
  oneProcess_ = false;
  freeLeftMemory();
  ranks_.resize(numRanks);
  for (int other = 0; other < numRanks; ++other)
    ranks_[other].here = other == rank;
  origin_.rank = rank;
  origin_.devices.assign(numRanks, request.device);
  Status status = placeRanks(numRanks, origin_.devices);
  if (status.ok())
    status = makePlan(request);
  std::map<int, uint32_t> residentOn;
  if (status.ok())
    status = checkResidency(plan_, devicesHere(), residentOn);
  if (!status.ok())
    return status;
  const size_t jobBytes = layJob(nullptr);
  // The limit starts now: loading kernels above may have meant compiling them,
  // on a GPU newer than this library.
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  Descriptor memory;
  status = joinRanks({*request.id, rank, plan_.serverOf, plan_.fingerprint,
                      jobBytes, deadline, request.peerFailure},
                     job_, memory);
  if (status.ok()) {
    const DeviceScope scope(request.device);
    status = mapForDevices(memory.get(), jobBytes, memory_);
  }
  if (!status.ok())
    return status;
  if (job_.control())
    job_.setBell(job_.control()->bell());
  layJob(memory_.get());
  status = allocate();
  if (status.ok())
    status = carried_.carriers.listen(rank, job_);
  if (status.ok())
    status = meet(rank, deadline, request.peerFailure);
  if (status.ok())
    status = openOthers(rank, deadline, request.peerFailure);
  if (status.ok())
    status = prepareSwitches(rank, deadline, request.peerFailure);
  if (status.ok())
    status = copyPrograms();
  if (status.ok())
    status = beginNotes();
  if (status.ok())
    beginWindows(rank);
  if (!status.ok())
    return status;
  status = startQuietThread(watcher_, [this] { watchOthers(); });
  if (!status.ok())
    return status;
  log(LogLevel::info, rank, "CUDA back end: joined ", numRanks,
      " ranks, on GPU ", request.device);
  return {};
}

CudaBackend::~CudaBackend() {
  {
    const std::lock_guard<std::mutex> lock(watching_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (watcher_.joinable())
    watcher_.join();
  // Memory must outlive the kernels that use it. These end, at the latest when
  // their time limits are over.
  finishLaunches();
  // Chunks that kernels wrote to carried rings must reach the other ends,
  // though this process carries nothing afterwards.
  proxy_.finish(job_.timeout());
  writeTraces(traceFile_, plan_, ranks_.size(),
              [this](size_t rank, uint32_t lane) -> const LaneTrace * {
                const char *traces = ranks_[rank].traces.get();
                return traces
                           ? reinterpret_cast<const LaneTrace *>(traces) + lane
                           : nullptr;
              });
  job_.disconnect(); // the job's thread reads memory that is freed below
  if (!oneProcess_ && peers_)
    partFromOthers();
}

} // namespace blink::runtime
