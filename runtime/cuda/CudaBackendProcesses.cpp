//===- CudaBackendProcesses.cpp - ranks in several processes --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks in several processes find each other's memory, and notice that a rank
// has died.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/cuda/LeftMemory.h"
#include "runtime/cuda/LocalMemory.h"
#include "runtime/cuda/RankDevices.h"
#include "runtime/flight/HangReport.h"

namespace blink::runtime {

/// Tells the others where this rank's memory is, and waits until all have told.
Status CudaBackend::meet(int self,
                         std::chrono::steady_clock::time_point deadline,
                         const std::function<Status()> &peerFailure) {
  Rank &rank = ranks_[self];
  {
    DeviceScope scope(rank.device);
    cudaError_t error = cudaSuccess;
    // Systems whose GPUs cannot reach each other may lack CUDA IPC, too.
    bool isReached = false;
    for (size_t other = 0; other < ranks_.size(); ++other)
      isReached |= int(other) != self && reaches(size_t(self), other);
    if (isReached)
      error = cudaIpcGetMemHandle(&peers_[self].control, rank.control.get());
    if (isReached && error == cudaSuccess)
      error = cudaIpcGetMemHandle(&peers_[self].pool, rank.pool.get());
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot share GPU memory with other processes");
  }
  offerMemory(rank.control);
  offerMemory(rank.pool);
  DevicePeerInfo &peer = peers_[self];
  Status status = shareOf(plan_, rank.device, peer.gpu);
  if (!status.ok())
    return status;
  peer.token = processToken();
  peer.device = uint64_t(rank.device);
  peer.localControl = reinterpret_cast<uint64_t>(rank.control.get());
  peer.localPool = reinterpret_cast<uint64_t>(rank.pool.get());
  job_.publish(&job_.peer(self).process, uint64_t(getpid()));
  if (job_.control())
    job_.mirror([this](int other) { return job_.mirroredWords(other); });
  status = job_.waitForAll(self, &PeerRecord::process, 1, "join", deadline,
                           peerFailure);
  if (status.ok())
    status = shareGpus(self);
  if (status.ok())
    prepareRoom(size_t(self), peer.gpu.residentLanes);
  return status;
}

/// Checks, now that all ranks have told their shares, that the server's GPUs
/// can run all lanes that are on them.
Status CudaBackend::shareGpus(int self) const {
  std::vector<GpuShare> shares;
  std::vector<int> ranks; // that `shares` are of
  bool told = false;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!job_.isNear(int(rank)))
      continue;
    shares.push_back(peers_[rank].gpu);
    ranks.push_back(int(rank));
    if (told || !areOnOneGpu(shares.back(), peers_[self].gpu) ||
        ranks_[rank].here || inThisProcess(rank))
      continue;
    log(LogLevel::warn, self, "shares its GPU with rank ", rank,
        " of another process: unless MPS runs they take turns there, which "
        "is slow");
    told = true;
  }
  return checkShares(shares, ranks);
}

/// Whether a channel joins ranks `self` and `other` for which their GPUs reach
/// each other's memory. Other pairs of GPUs need no access.
bool CudaBackend::reaches(size_t self, size_t other) const {
  for (const RingPlan &ring : plan_.rings)
    if (deviceTransportOf(ring).reaches &&
        ((ring.source == self && ring.destination == other) ||
         (ring.source == other && ring.destination == self)))
      return true;
  return false;
}

/// Whether the rank, which has another back end, is nevertheless in this
/// process.
bool CudaBackend::inThisProcess(size_t other) const {
  const DevicePeerInfo &peer = peers_[other];
  return peer.token != 0 && peer.token == processToken() &&
         job_.processOf(int(other)) ==
             uint64_t(getpid()); // a forked child has the token, too
}

/// Finds the memory of another rank, which has told where it is.
Status CudaBackend::findOther(size_t self, size_t other) {
  Rank &rank = ranks_[other];
  const DevicePeerInfo &peer = peers_[other];
  Status status;
  if (inThisProcess(other)) {
    rank.control = findMemory(peer.localControl);
    rank.pool = findMemory(peer.localPool);
    if (!rank.control || !rank.pool)
      return Status(blinkRemoteError, "the communicator of rank ", other,
                    " has been destroyed");
    status = enableAccess(ranks_[self].device, int(peer.device));
  } else {
    cudaError_t error = mapMemory(peer.control, rank.control);
    if (error == cudaSuccess)
      error = mapMemory(peer.pool, rank.pool);
    status = cudaStatus(error, "cannot use the GPU memory of rank ", other,
                        " (no peer access between the two GPUs?)");
  }
  if (!status.ok())
    return status;
  size_t controlBytes, poolBytes;
  layRank(other, rank.control.get(), controlBytes, rank.pool.get(), poolBytes);
  return {};
}

/// Maps the memory of the ranks that this one reaches. Returns when all ranks
/// have done so, so that none leaves before.
Status CudaBackend::openOthers(int self,
                               std::chrono::steady_clock::time_point deadline,
                               const std::function<Status()> &peerFailure) {
  DeviceScope scope(ranks_[self].device);
  for (size_t other = 0; other < ranks_.size(); ++other) {
    Rank &rank = ranks_[other];
    if (rank.here)
      continue;
    job_.watch(int(other));
    if (!job_.isNear(int(other)))
      continue; // memory of another server is not reached from here
    Status status = cudaStatus(
        allocateOnCurrent(kMaxWindows * sizeof(uint64_t), rank.windows),
        "cannot allocate memory");
    if (!status.ok())
      return status;
    if (reaches(size_t(self), other))
      status = findOther(size_t(self), other);
    if (!status.ok())
      return status;
  }
  if (Status status = connectCarried(deadline); !status.ok())
    return status;
  job_.publish(&job_.peer(self).ready, 1);
  return job_.waitForAll(self, &PeerRecord::ready, 1, "join", deadline,
                         peerFailure);
}

void CudaBackend::watchOthers() {
  bool finished = false;
  std::unique_lock<std::mutex> turn(watching_);
  while (!stopping_) {
    turn.unlock();
    // Other ranks that go on without this one wait for `drained`, and this rank
    // may make no more calls that would set it.
    if (!finished && job_.failed()) {
      std::lock_guard<std::mutex> lock(mutex_);
      finishLaunches();
      finished = true;
    }
    for (int other = 0; other < job_.numRanks(); ++other)
      if (Status why = job_.peerFailure(other);
          !why.ok() && !job_.detached(other) && !job_.failed()) {
        const HangReport picture(flight_);
        if (fail(why))
          picture.write(origin_.rank);
      }
    turn.lock();
    stop_.wait_for(turn, std::chrono::milliseconds(20),
                   [&] { return stopping_; });
  }
}

/// Unmaps the others' memory. Keeps this rank's memory until the others have
/// unmapped it, or no longer exist. The last thing that the back end does.
void CudaBackend::partFromOthers() {
  board_.end();
  windows_.clear();
  size_t self = 0;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].here) {
      self = rank;
      continue;
    }
    ranks_[rank].control.reset();
    ranks_[rank].pool.reset();
  }
  if (switchMemory_)
    switchMemory_->unmapAll();
  storeRelease(&peers_[self].closed, 1);
  std::vector<size_t> users;
  for (size_t other = 0; other < ranks_.size(); ++other)
    // The switch reads and writes this rank's memory on behalf of all others.
    if (other != self && job_.processOf(int(other)) != 0 &&
        (switchMemory_ || (reaches(self, other) && !inThisProcess(other))))
      users.push_back(other);
  // The function owns the memory, and what tells about its users.
  auto ranks = std::make_shared<std::deque<Rank>>(std::move(ranks_));
  keepWhile([ranks, users, bound = std::move(switchMemory_), job = memory_,
             peers = peers_, watches = job_.watches()] {
    for (size_t user : users)
      if (!loadAcquire(&peers[user].closed) && !watches[user].died())
        return true;
    return false;
  });
}

} // namespace blink::runtime
