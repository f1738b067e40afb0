//===- CudaMachine.cpp - the CUDA back end of one job ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaMachine.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/MachineGpus.h"
#include "runtime/host/Idle.h"
#include "runtime/host/Rendezvous.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace blink::runtime {
namespace {

constexpr size_t kLine = 128;

std::string str(uint64_t value) { return std::to_string(value); }

size_t align(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Hands out parts of a piece of memory, first counting, then for real.
class Carver {
public:
  explicit Carver(char *base = nullptr) : base_(base) {}
  template <typename T> T *take(size_t count) {
    const size_t offset = size_;
    size_ += align(count * sizeof(T));
    return base_ ? reinterpret_cast<T *>(base_ + offset) : nullptr;
  }
  size_t size() const { return size_; }

private:
  char *base_;
  size_t size_ = 0;
};

bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

} // namespace

//===-- Making ------------------------------------------------------------===//

Status CudaMachine::placeRanks(int numRanks, const int *devices) {
  ranks_.resize(numRanks);
  int count = 0;
  Status status =
      cudaStatus(cudaGetDeviceCount(&count), "cannot count the GPUs");
  for (size_t rank = 0; status.ok() && rank < ranks_.size(); ++rank) {
    const int device = devices ? devices[rank] : int(rank);
    if (ranks_[rank].here && (device < 0 || device >= count))
      return {blinkInvalidArgument,
              "rank " + str(rank) + " is for GPU " + std::to_string(device) +
                  ", this machine has " + std::to_string(count) +
                  (devices ? "" : ": pass an array of devices")};
    ranks_[rank].device = device;
  }
  return status;
}

/// The machine's numbers of all ranks' devices.
Status CudaMachine::findGpus(std::vector<int> &gpus) const {
  std::vector<std::string> addresses;
  for (const Rank &rank : ranks_) {
    gpus.push_back(rank.device);
    char address[32] = "";
    Status status = cudaStatus(
        cudaDeviceGetPCIBusId(address, sizeof(address), rank.device),
        "cannot ask for the PCI address of GPU " + std::to_string(rank.device));
    if (!status.ok())
      return status;
    addresses.push_back(address);
  }
  const std::vector<int> numbers =
      machineNumbers(addresses, machineGpus(sysfsRoot));
  if (!numbers.empty())
    gpus = numbers;
  // Ranks that share a GPU try out a machine that is not here.
  std::vector<int> sorted = gpus;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    std::iota(gpus.begin(), gpus.end(), 0);
  return {};
}

Status CudaMachine::makePlan(const ScheduleSet &files,
                             const std::vector<int> &gpus,
                             std::chrono::milliseconds timeout) {
  timeout_ = timeout;
  Status status = Plan::create(files, int(ranks_.size()), gpus, plan_);
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
                              const int *devices, const int *gpus,
                              std::chrono::milliseconds timeout,
                              std::shared_ptr<CudaMachine> &result) {
  std::shared_ptr<CudaMachine> machine(new CudaMachine);
  Status status = machine->placeRanks(numRanks, devices);
  std::vector<int> list;
  if (gpus)
    list.assign(gpus, gpus + numRanks);
  else if (status.ok() && hasBundle(files))
    status = machine->findGpus(list);
  if (status.ok())
    status = machine->makePlan(files, list, timeout);
  if (status.ok())
    status = machine->checkPeers();
  if (status.ok())
    status = machine->checkResidency();
  const size_t jobBytes = machine->layJob(nullptr);
  if (status.ok())
    status = cudaStatus(machine->ownJob_.allocate(jobBytes),
                        "cannot allocate " + str(jobBytes) +
                            " bytes of pinned host memory");
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
          str(machine->plan_.programs.size()) + " programs, " +
          str(machine->plan_.poolBytes) + " bytes of slots");
  result = std::move(machine);
  return {};
}

Status CudaMachine::join(const ScheduleSet &files, int numRanks,
                         const blinkUniqueId &id, int rank, int device,
                         const int *gpus, std::chrono::milliseconds timeout,
                         std::shared_ptr<CudaMachine> &result) {
  std::shared_ptr<CudaMachine> machine(new CudaMachine);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  machine->oneProcess_ = false;
  machine->ranks_.resize(numRanks);
  for (int other = 0; other < numRanks; ++other)
    machine->ranks_[other].here = other == rank;
  const std::vector<int> devices(numRanks, device);
  Status status = machine->placeRanks(numRanks, devices.data());
  std::vector<int> list;
  if (gpus)
    list.assign(gpus, gpus + numRanks);
  if (status.ok())
    status = machine->makePlan(files, list, timeout);
  if (status.ok())
    status = machine->checkResidency();
  const size_t jobBytes = machine->layJob(nullptr);
  Admission admission;
  if (status.ok())
    status = joinJob(id,
                     {uint32_t(numRanks), uint32_t(rank),
                      machine->plan_.fingerprint, jobBytes},
                     deadline, admission);
  if (status.ok())
    status = machine->sharedJob_.map(admission.memory.get(), jobBytes);
  if (!status.ok())
    return status;
  machine->layJob(machine->sharedJob_.get());
  status = machine->allocate();
  if (status.ok())
    status = machine->meet(rank, deadline);
  if (status.ok())
    status = machine->openOthers(rank, deadline);
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
  for (Rank &rank : ranks_)
    if (rank.everLaunched)
      rank.launched.synchronize();
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

Status CudaMachine::checkPeers() {
  for (const RingPlan &ring : plan_.rings) {
    const int from = ranks_[ring.source].device;
    const int to = ranks_[ring.destination].device;
    if (ring.kind != sched::ChannelKind::peer || from == to)
      continue;
    // Both ways: data one way, credits the other.
    for (auto [here, there] : {std::pair(from, to), std::pair(to, from)}) {
      int can = 0;
      Status status = cudaStatus(cudaDeviceCanAccessPeer(&can, here, there),
                                 "cannot ask for peer access");
      if (!status.ok())
        return status;
      if (!can)
        return {blinkInvalidUsage,
                "the schedule has a channel between GPU " +
                    std::to_string(from) + " and GPU " + std::to_string(to) +
                    ", which cannot access each other's memory here: compile "
                    "one for this machine (`nvidia-smi topo -p2p r`)"};
      DeviceScope scope(here);
      cudaError_t error = cudaDeviceEnablePeerAccess(there, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
      else if (error != cudaSuccess)
        return cudaStatus(error, "cannot enable peer access");
    }
  }
  return {};
}

/// Lanes wait for each other, so all of a device's must run at the same time.
Status CudaMachine::checkResidency() {
  if (plan_.numOperands > kMaxOperands)
    return {blinkInvalidUsage,
            "the schedule has a step of " + str(plan_.numOperands) +
                " operands, a lane on a GPU holds " + str(kMaxOperands)};
  std::vector<std::pair<int, uint32_t>> lanes; // of each device
  for (const Rank &rank : ranks_) {
    if (!rank.here)
      continue; // a process looks after its own
    auto found = std::find_if(lanes.begin(), lanes.end(), [&](const auto &l) {
      return l.first == rank.device;
    });
    if (found == lanes.end())
      lanes.emplace_back(rank.device, plan_.numLanes);
    else
      found->second += plan_.numLanes;
  }
  for (auto [device, needed] : lanes) {
    DeviceScope scope(device);
    uint32_t resident = 0;
    Status status =
        cudaStatus(residentLanes(resident), "cannot ask for residency");
    if (!status.ok())
      return status;
    if (needed > resident)
      return {blinkInvalidUsage,
              "the ranks on GPU " + std::to_string(device) + " have " +
                  str(needed) + " lanes, " + str(resident) +
                  " can run there at the same time: compile with fewer lanes"};
  }
  return {};
}

/// Lays out the job's memory at `base`, or just counts its bytes. The same in
/// every process.
size_t CudaMachine::layJob(char *base) {
  Carver carver(base);
  abortJob_ = carver.take<uint64_t>(1);
  jobFailure_ = carver.take<Failure>(1);
  boards_ = carver.take<Board>(ranks_.size());
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
    rings_[r].invited = carver.take<uint64_t>(2);
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
        place.invited = control.take<uint64_t>(2);
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
      status =
          cudaStatus(rank.pool.allocate(poolBytes),
                     "the schedule's channels need " + str(poolBytes) +
                         " bytes on " + gpu + ": compile with smaller chunks");
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

//===-- Several processes -------------------------------------------------===//

/// Tells the others where this rank's memory is, and waits until all have.
Status CudaMachine::meet(int self,
                         std::chrono::steady_clock::time_point deadline) {
  Rank &rank = ranks_[self];
  {
    DeviceScope scope(rank.device);
    // What was set to zero must be zero before anybody else writes there.
    cudaError_t error = cudaStreamSynchronize(nullptr);
    if (error == cudaSuccess)
      error = cudaIpcGetMemHandle(&boards_[self].control, rank.control.get());
    if (error == cudaSuccess)
      error = cudaIpcGetMemHandle(&boards_[self].pool, rank.pool.get());
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot share GPU memory with other processes");
  }
  storeRelease(&boards_[self].process, uint64_t(getpid()));
  return waitForAll(self, &Board::process, deadline);
}

Status CudaMachine::waitForAll(int self, uint64_t Board::*word,
                               std::chrono::steady_clock::time_point deadline) {
  Idle idle(true);
  for (size_t other = 0; other < ranks_.size(); ++other)
    while (loadAcquire(&(boards_[other].*word)) == 0) {
      idle.wait();
      // If it died after that, this step of joining is done all the same.
      if (ranks_[other].process.died() &&
          loadAcquire(&(boards_[other].*word)) == 0)
        return diedStatus(other);
      if (idle.sleeping() && std::chrono::steady_clock::now() > deadline)
        return {blinkRemoteError, "rank " + std::to_string(self) + " waited " +
                                      str(uint64_t(timeout_.count())) +
                                      " ms for rank " + str(other) +
                                      " to join"};
    }
  return {};
}

/// A barrier of all ranks, for what they do in the same order.
Status CudaMachine::stepTogether(int self) {
  const uint64_t step = boards_[self].steps + 1;
  storeRelease(&boards_[self].steps, step);
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  Idle idle(true);
  for (size_t other = 0; other < ranks_.size(); ++other)
    while (loadAcquire(&boards_[other].steps) < step) {
      idle.wait();
      if (loadAcquire(abortJob_) != 0)
        return failure();
      if (ranks_[other].process.died() &&
          loadAcquire(&boards_[other].steps) < step)
        return diedStatus(other);
      if (idle.sleeping() && std::chrono::steady_clock::now() > deadline)
        return {blinkRemoteError,
                "rank " + std::to_string(self) + " waited " +
                    str(uint64_t(timeout_.count())) + " ms for rank " +
                    str(other) + " to register or deregister a buffer, too"};
    }
  return {};
}

Status CudaMachine::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 1;
  if (oneProcess_)
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  size_t index = 0;
  while (index < windows_.size() && windows_[index].begin)
    ++index;
  if (index == kMaxWindows)
    return {blinkInvalidUsage,
            std::to_string(kMaxWindows) + " buffers are registered already"};
  const char *begin = nullptr;
  {
    DeviceScope scope(ranks_[self].device);
    cudaError_t error = allocationOf(buffer, begin);
    if (error == cudaSuccess)
      error = cudaIpcGetMemHandle(&boards_[self].windows[index],
                                  const_cast<char *>(begin));
    // Without a handle the others would wait: they learn it by an offset that
    // cannot be.
    boards_[self].offsets[index] =
        error == cudaSuccess
            ? uint64_t(static_cast<const char *>(buffer) - begin)
            : ~uint64_t(0);
  }
  Status status = stepTogether(self);
  if (status.ok())
    status = openWindow(self, index);
  // Nobody writes before all have mapped, or given up.
  Status after = stepTogether(self);
  if (status.ok())
    status = after;
  if (!status.ok())
    return status;
  windows_[index].begin = static_cast<const char *>(buffer);
  windows_[index].bytes = bytes;
  handle = index + 1;
  return {};
}

/// Maps the others' windows of number `index`.
Status CudaMachine::openWindow(int self, size_t index) {
  DeviceScope scope(ranks_[self].device);
  if (index == windows_.size())
    windows_.emplace_back();
  Window &window = windows_[index];
  window.others.clear();
  for (size_t other = 0; other < ranks_.size(); ++other) {
    if (boards_[other].offsets[index] == ~uint64_t(0))
      return {blinkInvalidArgument,
              "the buffer of rank " + str(other) +
                  " is no GPU memory that processes can share (cudaMalloc's "
                  "is)"};
    window.others.push_back(std::make_unique<Mapped>());
    if (ranks_[other].here)
      continue;
    Status status =
        cudaStatus(window.others.back()->open(boards_[other].windows[index]),
                   "cannot use the registered buffer of rank " + str(other));
    const uint64_t address =
        reinterpret_cast<uint64_t>(window.others.back()->get()) +
        boards_[other].offsets[index];
    if (status.ok())
      status = cudaStatus(
          cudaMemcpy(ranks_[other].windows.get() + index * sizeof(address),
                     &address, sizeof(address), cudaMemcpyHostToDevice),
          "cannot note the registered buffer of rank " + str(other));
    if (!status.ok())
      return status;
  }
  return {};
}

Status CudaMachine::deregisterBuffer(int self, uintptr_t handle) {
  if (oneProcess_)
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  if (handle > windows_.size() || !windows_[handle - 1].begin)
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  windows_[handle - 1] = Window();
  return stepTogether(self);
}

/// What the rank tells writers of its output.
uint64_t CudaMachine::placeOf(const Call &call) const {
  const char *recv = static_cast<const char *>(call.recv);
  if (oneProcess_)
    return reinterpret_cast<uint64_t>(recv);
  // The output is at most the whole buffer of the call.
  const uint64_t bytes = call.bytes();
  for (size_t w = 0; w < windows_.size(); ++w) {
    const Window &window = windows_[w];
    if (window.begin && recv >= window.begin &&
        recv + bytes <= window.begin + window.bytes)
      return (w + 1) << kOffsetBits | uint64_t(recv - window.begin);
  }
  return 0;
}

Status CudaMachine::diedStatus(size_t rank) const {
  return {blinkRemoteError, "the process of rank " + str(rank) + ", number " +
                                str(loadRelaxed(&boards_[rank].process)) +
                                ", has died"};
}

/// Maps the others' memory; returns when everybody has, so that nobody leaves
/// before.
Status CudaMachine::openOthers(int self,
                               std::chrono::steady_clock::time_point deadline) {
  DeviceScope scope(ranks_[self].device);
  for (size_t other = 0; other < ranks_.size(); ++other) {
    Rank &rank = ranks_[other];
    if (rank.here)
      continue;
    rank.process.start(loadAcquire(&boards_[other].process));
    Status status =
        cudaStatus(rank.windows.allocate(kMaxWindows * sizeof(uint64_t)),
                   "cannot allocate memory");
    if (!status.ok())
      return status;
    cudaError_t error = rank.otherControl.open(boards_[other].control);
    if (error == cudaSuccess)
      error = rank.otherPool.open(boards_[other].pool);
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot use the GPU memory of rank " +
                                   str(other) +
                                   " (no peer access between the two GPUs?)");
    size_t controlBytes, poolBytes;
    layRank(other, rank.otherControl.get(), controlBytes, rank.otherPool.get(),
            poolBytes);
  }
  storeRelease(&boards_[self].opened, 1);
  return waitForAll(self, &Board::opened, deadline);
}

void CudaMachine::watchOthers() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    for (size_t other = 0; other < ranks_.size(); ++other)
      if (!ranks_[other].here && ranks_[other].process.died() &&
          !loadAcquire(&boards_[other].gone))
        fail(diedStatus(other));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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
          std::vector<DeviceChannel> ends(variant.rings.size());
          const bool lowLatency =
              variant.variant->protocol() == sched::Protocol::low_latency;
          for (size_t c = 0; c < ends.size(); ++c) {
            const RingPlan &ring = plan_.rings[variant.rings[c]];
            const RingPlace &place = rings_[variant.rings[c]];
            if (ring.source != i && ring.destination != i)
              continue;
            ends[c] = {lowLatency ? place.lines : place.slots,
                       place.full,
                       place.freed,
                       place.invited,
                       ring.source == i && !ranks_[ring.destination].here
                           ? reinterpret_cast<const uint64_t *>(
                                 ranks_[ring.destination].windows.get())
                           : nullptr,
                       ring.source == i ? place.writer : place.reader,
                       variant.slots[c],
                       variant.directBlocks[c]};
          }
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
    Status status = cudaStatus(cudaMemcpy(rank.code.get(), image.data(),
                                          image.size(), cudaMemcpyHostToDevice),
                               "cannot copy the programs");
    if (!status.ok())
      return status;
  }
  return {};
}

//===-- Launching ---------------------------------------------------------===//

Status CudaMachine::launch(Call *const *calls, size_t numCalls) {
  std::lock_guard<std::mutex> lock(mutex_);
  Status status = failure();
  if (!status.ok())
    return status;
  // The n-th calls of all ranks are one round.
  std::vector<std::vector<Call *>> rounds;
  std::vector<size_t> made(ranks_.size());
  for (size_t i = 0; i < numCalls; ++i) {
    const size_t round = made[calls[i]->rank]++;
    if (round == rounds.size())
      rounds.emplace_back();
    const Call &first = rounds[round].empty() ? *calls[i] : *rounds[round][0];
    if (calls[i]->kind != first.kind)
      return {blinkInvalidUsage, "the ranks' calls differ: rank " +
                                     std::to_string(first.rank) + " has " +
                                     first.kind.describe() + ", rank " +
                                     std::to_string(calls[i]->rank) + " has " +
                                     calls[i]->kind.describe()};
    rounds[round].push_back(calls[i]);
  }
  for (const std::vector<Call *> &round : rounds) {
    status = launchRound(round);
    if (!status.ok())
      return status;
  }
  return {};
}

Status CudaMachine::launchRound(const std::vector<Call *> &round) {
  if (round[0]->kind.count == 0)
    return {};
  for (const Call *call : round)
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      if (loadAcquire(&boards_[rank].gone))
        return {blinkRemoteError, call->kind.describe() +
                                      ": the communicator of rank " +
                                      str(rank) + " has been destroyed"};
  std::vector<Call *> left = round;
  while (!left.empty()) {
    const int device = ranks_[left[0]->rank].device;
    std::vector<Call *> together, others;
    for (Call *call : left)
      (ranks_[call->rank].device == device && together.size() < kMaxLaunchRanks
           ? together
           : others)
          .push_back(call);
    Status status = launchOnDevice(device, together);
    if (!status.ok())
      return status;
    left = std::move(others);
  }
  return {};
}

Status CudaMachine::launchOnDevice(int device,
                                   const std::vector<Call *> &calls) {
  const Call &first = *calls[0];
  const VariantPlan &variant = first.variant();
  Launch launch{};
  launch.shape = first.shape(variant, false);
  launch.signature = signatureBits(first.kind.hash());
  launch.timeoutNanoseconds = uint64_t(timeout_.count()) * 1000000;
  launch.layout = variant.number + 1;
  launch.numRanks = uint32_t(calls.size());
  launch.lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  // Below this an invitation costs more than a copy through a slot.
  constexpr uint64_t kDirectBytes = 256 << 10;
  // Another process's buffers are mapped only where they are registered.
  launch.direct = (oneProcess_ || !windows_.empty()) && !launch.lowLatency &&
                  first.bytes() >= kDirectBytes;
  uint32_t blocks = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call &call = *calls[i];
    launch.ranks[i] = {ranks_[call.rank].programs[variant.number],
                       static_cast<const char *>(call.send),
                       static_cast<char *>(call.recv), placeOf(call), blocks};
    blocks += variant.ranks[call.rank].code.numLanes;
  }
  DeviceScope scope(device);
  Status status =
      cudaStatus(scope.error(), "cannot use GPU " + str(uint64_t(device)));
  const auto stream = reinterpret_cast<cudaStream_t>(first.stream);
  if (status.ok())
    status = orderStreams(calls, stream, false);
  if (status.ok() && blocks != 0)
    status = cudaStatus(
        launchLanes(first.kind.type, first.kind.op, blocks, launch, stream),
        first.kind.describe() + ": cannot launch");
  if (status.ok())
    status = orderStreams(calls, stream, true);
  return status;
}

/// A kernel of several ranks runs in the stream of one: the others' streams
/// come before and go on after it. So do the ranks' former launches, wherever
/// they were.
Status CudaMachine::orderStreams(const std::vector<Call *> &calls,
                                 cudaStream_t main, bool after) {
  // What was captured runs when its graph does, in the order its user gives.
  const bool capturing = isCapturing(main);
  cudaError_t error = cudaSuccess;
  for (const Call *call : calls) {
    Rank &rank = ranks_[call->rank];
    const auto own = reinterpret_cast<cudaStream_t>(call->stream);
    if (!after) {
      if (own != main) {
        Event before;
        error = before.record(own);
        if (error == cudaSuccess)
          error = before.holdBack(main);
      }
      if (error == cudaSuccess && rank.everLaunched && rank.stream != main &&
          !capturing)
        error = rank.launched.holdBack(main);
    } else {
      if (!capturing) {
        error = rank.launched.record(main);
        rank.stream = main;
        rank.everLaunched = true;
      }
      if (error == cudaSuccess && own != main) {
        Event done;
        error = done.record(main);
        if (error == cudaSuccess)
          error = done.holdBack(own);
      }
    }
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot order streams");
  }
  return {};
}

//===-- Failures ----------------------------------------------------------===//

void CudaMachine::fail(const Status &status) {
  uint64_t none = 0;
  if (__atomic_compare_exchange_n(&jobFailure_->state, &none, uint64_t(1),
                                  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    log(LogLevel::warn, -1, status.text);
    jobFailure_->code = uint64_t(status.code);
    std::strncpy(jobFailure_->text, status.text.c_str(),
                 sizeof(jobFailure_->text) - 1);
    storeRelease(&jobFailure_->state, 2);
  }
  // Kernels see that, in whatever process, and end.
  storeRelease(abortJob_, 1);
}

void CudaMachine::abort(int rank) {
  fail({blinkRemoteError, "rank " + std::to_string(rank) +
                              " aborted: destroy the communicators"});
  // Launching ends soon after that, and lets go of the lock.
  std::lock_guard<std::mutex> lock(mutex_);
  if (ranks_[rank].everLaunched)
    ranks_[rank].launched.synchronize();
}

void CudaMachine::leave(int rank) { storeRelease(&boards_[rank].gone, 1); }

Status CudaMachine::failure() const {
  std::lock_guard<std::mutex> lock(failureMutex_);
  if (!failure_.ok())
    return failure_;
  // Before the reports: who raises it reports first.
  const bool aborted = loadAcquire(abortJob_) != 0;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const LaneReport *reports = ranks_[r].reports;
    for (uint32_t lane = 0; lane < plan_.numLanes; ++lane) {
      const LaneReport &report = reports[lane];
      const uint64_t reason = loadAcquire(&report.reason);
      if (reason == LaneReport::none || reason == LaneReport::aborted)
        continue;
      std::string text = "rank " + str(r) + ", lane " + str(lane) + ", step " +
                         str(report.step) + ", channel " + str(report.channel);
      text += report.reading ? ": no chunk: expected " : ": no slot: expected ";
      text += str(report.expected) +
              (report.reading ? " written, seen " : " read, seen ") +
              str(report.seen);
      if (reason == LaneReport::otherCall)
        failure_ = {blinkInvalidUsage,
                    "the ranks' calls differ: " + text + ", of another call"};
      else
        failure_ = {blinkRemoteError,
                    text + "; waited " + str(timeout_.count()) +
                        " ms: a rank has not called, or `blinkc verify` tells "
                        "whether the schedule can end"};
      log(LogLevel::warn, int(r), failure_.text);
      return failure_;
    }
  }
  // No lane found out, so a process did, and may be about to say why.
  if (aborted && loadAcquire(&jobFailure_->state) == 2)
    failure_ = {blinkResult_t(jobFailure_->code), jobFailure_->text};
  else if (aborted)
    return {blinkRemoteError, "another rank failed"};
  return failure_;
}

} // namespace blink::runtime
