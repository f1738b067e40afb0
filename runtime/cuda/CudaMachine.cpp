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

#include <algorithm>
#include <cstring>

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

Status CudaMachine::createAll(const ScheduleSet &files, int numRanks,
                              const int *devices,
                              std::chrono::milliseconds timeout,
                              std::shared_ptr<CudaMachine> &result) {
  std::shared_ptr<CudaMachine> machine(new CudaMachine);
  machine->timeout_ = timeout;
  Status status = Plan::create(files, numRanks, machine->plan_);
  if (status.ok())
    status = machine->checkDevices(numRanks, devices);
  if (status.ok())
    status = machine->checkPeers();
  if (status.ok())
    status = machine->checkResidency();
  if (status.ok())
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

CudaMachine::~CudaMachine() {
  // Memory must outlive the kernels that use it; those end, by their limits.
  for (Rank &rank : ranks_)
    if (rank.everLaunched) {
      DeviceScope scope(rank.device);
      cudaStreamSynchronize(rank.stream);
    }
}

Status CudaMachine::checkDevices(int numRanks, const int *devices) {
  int count = 0;
  Status status =
      cudaStatus(cudaGetDeviceCount(&count), "cannot count the GPUs");
  for (int rank = 0; status.ok() && rank < numRanks; ++rank) {
    const int device = devices ? devices[rank] : rank;
    if (device < 0 || device >= count)
      return {blinkInvalidArgument,
              "rank " + std::to_string(rank) + " is for GPU " +
                  std::to_string(device) + ", this machine has " +
                  std::to_string(count) +
                  (devices ? "" : ": pass an array of devices")};
    ranks_.emplace_back();
    ranks_.back().device = device;
  }
  return status;
}

Status CudaMachine::checkPeers() {
  for (const RingPlan &ring : plan_.rings) {
    const int from = ranks_[ring.source].device;
    const int to = ranks_[ring.destination].device;
    if (ring.kind == sched::ChannelKind::network)
      return {blinkInvalidUsage,
              "the schedule has a channel over the network, from rank " +
                  std::to_string(ring.source) + " to rank " +
                  std::to_string(ring.destination) +
                  ": this back end serves one machine"};
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

Status CudaMachine::allocate() {
  rings_.resize(plan_.rings.size());
  // The job's: the abort word, then whatever goes through the host.
  size_t bytes = 0;
  for (bool real : {false, true}) {
    Carver carver(real ? job_.get() : nullptr);
    carver.take<uint64_t>(1);
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
    bytes = carver.size();
    if (!real) {
      Status status =
          cudaStatus(job_.allocate(bytes), "cannot allocate " + str(bytes) +
                                               " bytes of pinned host memory");
      if (!status.ok())
        return status;
    }
  }
  for (size_t i = 0; i < ranks_.size(); ++i) {
    Rank &rank = ranks_[i];
    DeviceScope scope(rank.device);
    for (bool real : {false, true}) {
      Carver control(real ? rank.control.get() : nullptr);
      Carver pool(real ? rank.pool.get() : nullptr);
      rank.abortHere = control.take<uint64_t>(1);
      for (size_t r = 0; r < rings_.size(); ++r) {
        const RingPlan &ring = plan_.rings[r];
        RingPlace &place = rings_[r];
        const bool staged = ring.kind == sched::ChannelKind::staged;
        if (ring.source == i) {
          place.writer = control.take<DeviceRingEnd>(1);
          if (!staged) {
            place.freed = control.take<uint64_t>(1);
            place.invited = control.take<uint64_t>(2);
          }
        }
        if (ring.destination == i) {
          place.reader = control.take<DeviceRingEnd>(1);
          if (!staged) {
            place.full = pool.take<uint64_t>(ring.slots);
            place.slots = pool.take<char>(ring.bytes);
            place.lines = pool.take<char>(ring.lineBytes);
          }
        }
      }
      if (real)
        continue;
      Status status = cudaStatus(scope.error(), "cannot use GPU " +
                                                    str(uint64_t(rank.device)));
      if (status.ok())
        status = cudaStatus(rank.control.allocate(control.size()),
                            "cannot allocate memory on GPU " +
                                str(uint64_t(rank.device)));
      if (status.ok())
        status = cudaStatus(rank.pool.allocate(pool.size()),
                            "the schedule's channels need " + str(pool.size()) +
                                " bytes on GPU " + str(uint64_t(rank.device)) +
                                ": compile with smaller chunks");
      if (status.ok())
        status = cudaStatus(
            rank.reports.allocate(plan_.numLanes * sizeof(LaneReport)),
            "cannot allocate pinned host memory");
      if (!status.ok())
        return status;
    }
  }
  return {};
}

/// Lays out every variant's program for each rank, as its device sees it.
Status CudaMachine::copyPrograms() {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    Rank &rank = ranks_[i];
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
          const sched::RankProgram &file =
              *variant.variant->ranks()->Get(flatbuffers::uoffset_t(i));
          const RankCode &code = variant.ranks[i].code;
          auto *lanes = carver.take<LaneCode>(file.lanes()->size());
          auto *steps = carver.take<StepCode>(file.steps()->size());
          auto *operands = carver.take<OperandCode>(file.operands()->size());
          auto *trees = carver.take<TreeShare>(variant.trees.size());
          auto *channels = carver.take<DeviceChannel>(variant.rings.size());
          auto *device = carver.take<DeviceProgram>(1);
          put(lanes, code.lanes, file.lanes()->size());
          put(steps, code.steps, file.steps()->size());
          put(operands, code.operands, file.operands()->size());
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
                       ring.source == i ? place.writer : place.reader,
                       variant.slots[c],
                       variant.directBlocks[c]};
          }
          put(channels, ends.data(), ends.size());
          DeviceProgram own{{lanes, steps, operands, code.numLanes},
                            trees,
                            channels,
                            rank.abortHere,
                            reinterpret_cast<uint64_t *>(job_.get()),
                            reinterpret_cast<LaneReport *>(rank.reports.get())};
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
      if (ranks_[rank].gone)
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
  launch.shape = first.shape(variant);
  launch.signature = signatureBits(first.kind.hash());
  launch.timeoutNanoseconds = uint64_t(timeout_.count()) * 1000000;
  launch.layout = variant.number + 1;
  launch.numRanks = uint32_t(calls.size());
  launch.lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  // Below this an invitation costs more than a copy through a slot.
  constexpr uint64_t kDirectBytes = 256 << 10;
  launch.direct = !launch.lowLatency && first.bytes() >= kDirectBytes;
  uint32_t blocks = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call &call = *calls[i];
    launch.ranks[i] = {ranks_[call.rank].programs[variant.number],
                       static_cast<const char *>(call.send),
                       static_cast<char *>(call.recv), blocks};
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

void CudaMachine::abort(int rank) {
  {
    std::lock_guard<std::mutex> lock(failureMutex_);
    if (failure_.ok())
      failure_ = {blinkRemoteError, "rank " + std::to_string(rank) +
                                        " aborted: destroy the communicators"};
  }
  storeRelease(reinterpret_cast<uint64_t *>(job_.get()), 1);
  // Its kernels see that and end.
  DeviceScope scope(ranks_[rank].device);
  if (ranks_[rank].everLaunched)
    cudaStreamSynchronize(ranks_[rank].stream);
}

void CudaMachine::leave(int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].gone = true;
}

Status CudaMachine::failure() const {
  std::lock_guard<std::mutex> lock(failureMutex_);
  if (!failure_.ok())
    return failure_;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const auto *reports =
        reinterpret_cast<const LaneReport *>(ranks_[r].reports.get());
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
  return {};
}

} // namespace blink::runtime
