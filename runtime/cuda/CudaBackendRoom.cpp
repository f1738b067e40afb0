//===- CudaBackendRoom.cpp - room for messages on shared GPUs -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks that share a GPU and call separately wait there for each other, so all
// lanes that they may run at the same time must fit. Those of collectives are
// checked when a communicator is made. A rank's messages may need far more, to
// and from every rank, but few jobs make them all at once: what a job does is
// counted as it makes its calls, and the call that may not fit is refused.
//
// A rank that has a GPU to itself launches its messages in kernels that leave
// room for a collective.
//
// Calls that hold both ends of every message, and every rank's part of each
// collective, are not refused: what such a launch waits for is launched with
// it, in the same order on all devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include <algorithm>
#include <tuple>

namespace blink::runtime {

/// Returns the ranks on the GPU of rank `self`, itself included.
std::vector<size_t> CudaBackend::ranksBeside(size_t self) const {
  std::vector<size_t> ranks;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    if (oneProcess_ ? ranks_[rank].device == ranks_[self].device
                    : job_.isNear(int(rank)) &&
                          areOnOneGpu(peers_[rank].gpu, peers_[self].gpu))
      ranks.push_back(rank);
  return ranks;
}

void CudaBackend::prepareRoom(size_t self, uint32_t residentLanes) {
  const size_t ranks = ranksBeside(self).size();
  if (ranks == 1)
    ranks_[self].messageRoom =
        residentLanes - std::min(residentLanes, plan_.numLanes);
  if (ranks > 1 && plan_.numMessageTrees != 0 &&
      ranks * (plan_.numLanes + numMessageLanes()) > residentLanes)
    ranks_[self].room = residentLanes;
}

/// Adds what the calls of rank `self` launch.
void CudaBackend::addLanes(size_t self, const std::vector<Call *> &calls,
                           LaneUse &use) const {
  const auto ofSelf = [self](const Call *call) {
    return size_t(call->rank) == self && call->kind.count != 0;
  };
  const bool beside = std::any_of(calls.begin(), calls.end(), [](Call *call) {
    return !call->isMessage();
  });
  std::map<cudaStream_t, std::set<int>> queues;
  for (const Call *call : calls) {
    if (!ofSelf(call))
      continue;
    const auto stream = reinterpret_cast<cudaStream_t>(call->stream);
    if (call->isMessage()) {
      queues[stream].insert(call->queue());
      use.addQueue(call->queue(), plan_.numMessageTrees);
    } else {
      use.addLaunch(stream, false, plan_.numLanes);
      use.addQueue(Call::kCollectives, plan_.numLanes);
    }
  }
  for (const auto &[stream, some] : queues)
    use.addLaunch(stream, beside,
                  std::min(uint32_t(some.size()), MessageLaunch::kMax) *
                      plan_.numMessageTrees);
}

/// Whether the calls wait for no others.
bool CudaBackend::areWhole(const std::vector<Call *> &calls) const {
  std::vector<size_t> collectives(ranks_.size());
  std::map<std::pair<int, int>, int64_t> ends; // sent less received
  for (const Call *call : calls) {
    if (call->isMessage() && call->peer != call->rank)
      call->send ? ++ends[{call->rank, call->peer}]
                 : --ends[{call->peer, call->rank}];
    else if (!call->isMessage())
      ++collectives[size_t(call->rank)];
  }
  return std::all_of(ends.begin(), ends.end(),
                     [](const auto &end) { return end.second == 0; }) &&
         std::all_of(collectives.begin(), collectives.end(),
                     [&](size_t made) { return made == collectives[0]; });
}

Status CudaBackend::takeRoom(const std::vector<Call *> &calls) {
  std::map<size_t, LaneUse> before; // of the ranks that call and are counted
  for (const Call *call : calls)
    if (ranks_[size_t(call->rank)].room != 0)
      before.try_emplace(size_t(call->rank), ranks_[size_t(call->rank)].lanes);
  if (before.empty())
    return {};
  // First all tell, then each looks: of two processes that do so at the same
  // time, at least one sees both. Hence the order of all these accesses.
  const auto tell = [this](size_t rank) {
    __atomic_store_n(&peers_[rank].lanes, uint64_t(ranks_[rank].lanes.most()),
                     __ATOMIC_SEQ_CST);
  };
  for (const auto &[rank, old] : before) {
    addLanes(rank, calls, ranks_[rank].lanes);
    tell(rank);
  }
  if (areWhole(calls))
    return {};
  for (const auto &[rank, old] : before) {
    uint64_t needed = 0;
    std::string list;
    for (size_t other : ranksBeside(rank)) {
      needed += __atomic_load_n(&peers_[other].lanes, __ATOMIC_SEQ_CST);
      list += (list.empty() ? "" : ",") + std::to_string(other);
    }
    if (needed <= ranks_[rank].room)
      continue;
    const uint32_t room = ranks_[rank].room;
    for (auto &[own, lanes] : before) {
      ranks_[own].lanes = std::move(lanes);
      tell(own);
    }
    return Status(blinkInvalidUsage, calls[0]->kind.describe(), ": ranks ",
                  list, " are on one GPU and may now have ", needed,
                  " lanes together, with those of messages, ", room,
                  " can run there at the same time: ",
                  oneProcess_ ? "put both ends of every message into one group"
                              : "make fewer messages in a group",
                  ", or give the ranks GPUs of their own");
  }
  return {};
}

} // namespace blink::runtime
