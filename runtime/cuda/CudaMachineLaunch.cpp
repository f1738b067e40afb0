//===- CudaMachineLaunch.cpp - launching collectives ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaMachine.h"

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Kernels.h"

namespace blink::runtime {
namespace {

bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

} // namespace

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
        return {blinkRemoteError,
                call->kind.describe() + ": the communicator of rank " +
                    std::to_string(rank) + " has been destroyed"};
  std::vector<Call *> left = round;
  while (!left.empty()) {
    const int device = ranks_[left[0]->rank].device;
    std::vector<Call *> together, others;
    for (Call *call : left)
      (ranks_[call->rank].device == device ? together : others).push_back(call);
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
                       static_cast<char *>(call.recv),
                       launch.direct ? placeOf(call) : 0, blocks};
    blocks += variant.ranks[call.rank].code.numLanes;
  }
  DeviceScope scope(device);
  Status status =
      cudaStatus(scope.error(), "cannot use GPU " + std::to_string(device));
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

} // namespace blink::runtime
