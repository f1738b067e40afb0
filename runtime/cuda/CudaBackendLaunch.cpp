//===- CudaBackendLaunch.cpp - launching collectives ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/plan/Types.h"
#include "schedules/ChunkSize.h"

#include <algorithm>

namespace blink::runtime {
namespace {

bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

} // namespace

void CudaBackend::run(PendingCall *const *calls, size_t numCalls) {
  std::vector<PendingCall *> left(calls, calls + numCalls);
  while (!left.empty()) {
    auto &backend = static_cast<CudaBackend &>(*left[0]->backend);
    const auto others = std::stable_partition(
        left.begin(), left.end(), [&](const PendingCall *call) {
          return call->backend.get() == &backend;
        });
    std::vector<Call *> own;
    for (auto call = left.begin(); call != others; ++call)
      own.push_back(&(*call)->call);
    const Status status = backend.launch(own);
    for (auto call = left.begin(); call != others; ++call)
      (*call)->result = status;
    left.erase(left.begin(), others);
  }
}

Status CudaBackend::launch(const std::vector<Call *> &calls) {
  std::lock_guard<std::mutex> lock(mutex_);
  Status status = failure();
  if (!status.ok())
    return status;
  for (const Call *call : calls)
    if (call->isMessage())
      return {blinkInvalidUsage, "messages between two ranks are for the host "
                                 "back end: on GPUs there are none yet"};
  // The n-th calls of all ranks are one round.
  std::vector<std::vector<Call *>> rounds;
  std::vector<size_t> made(ranks_.size());
  for (Call *call : calls) {
    const size_t round = made[call->rank]++;
    if (round == rounds.size())
      rounds.emplace_back();
    const Call &first = rounds[round].empty() ? *call : *rounds[round][0];
    if (call->kind != first.kind)
      return callsDiffer(first.rank, first.kind, call->rank,
                         call->kind.describe());
    rounds[round].push_back(call);
  }
  for (const std::vector<Call *> &round : rounds) {
    status = launchRound(round);
    if (!status.ok())
      return status;
  }
  return {};
}

Status CudaBackend::launchRound(const std::vector<Call *> &round) {
  const CallKind &kind = round[0]->kind; // of all
  if (kind.count == 0)
    return {};
  for (int rank = 0; rank < job_.numRanks(); ++rank)
    if (job_.detached(rank))
      return {blinkRemoteError,
              kind.describe() + ": " + job_.peerFailure(rank).text};
  // Whether another rank may be in this call already, and would wait.
  bool begun = round.size() != ranks_.size();
  std::vector<Call *> left = round;
  while (!left.empty()) {
    const int device = ranks_[left[0]->rank].device;
    std::vector<Call *> together, others;
    for (Call *call : left)
      (ranks_[call->rank].device == device ? together : others).push_back(call);
    bool capturing = false;
    Status status = launchOnDevice(device, together, begun, capturing);
    // What is captured has not begun.
    if (!status.ok() && begun && !capturing)
      fail(status);
    if (!status.ok())
      return status;
    left = std::move(others);
  }
  return {};
}

/// `begun` is set as soon as a kernel is in its stream.
Status CudaBackend::launchOnDevice(int device, const std::vector<Call *> &calls,
                                   bool &begun, bool &capturing) {
  const Call &first = *calls[0];
  const VariantPlan &variant = first.variant();
  Launch launch{};
  launch.shape = first.shape(variant, false);
  launch.signature = signatureBits(first.kind.hash());
  launch.timeoutNanoseconds = uint64_t(job_.timeout().count()) * 1000000;
  launch.layout = variant.number + 1;
  launch.numRanks = uint32_t(calls.size());
  launch.lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  // Another process's buffers are mapped only where they are registered.
  launch.direct = (oneProcess_ || !windows_.empty()) && !launch.lowLatency &&
                  first.bytes() >= sched::kDirectBytes;
  launch.scales = first.kind.op == kPreMulSum;
  uint32_t blocks = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call &call = *calls[i];
    const char *const send = static_cast<const char *>(call.send);
    char *const recv = static_cast<char *>(call.recv);
    launch.ranks[i] = {
        ranks_[call.rank].programs[variant.number],
        send,
        recv,
        launch.direct && !launch.scales
            ? exchangedPtr(call.rank, send, call.sendBytes)
            : 0,
        launch.direct ? exchangedPtr(call.rank, recv, call.recvBytes) : 0,
        call.scalar.place,
        call.scalar.bits,
        blocks};
    blocks += variant.ranks[call.rank].code.numLanes;
  }
  DeviceScope scope(device);
  Status status = cudaStatus(scope.error(), "cannot use GPU ", device);
  const auto stream = reinterpret_cast<cudaStream_t>(first.stream);
  capturing = isCapturing(stream);
  if (status.ok())
    status = waitForStreams(calls, stream, capturing);
  if (status.ok() && blocks != 0)
    status = cudaStatus(
        launchLanes(first.kind.type, first.kind.op, blocks, launch, stream),
        first.kind.describe() + ": cannot launch");
  begun |= status.ok() && !capturing;
  if (!status.ok())
    return status;
  status = signalStreams(calls, stream, capturing);
  if (!status.ok() && !capturing) {
    // No event tells when this kernel ends, so that its memory would go before.
    fail(status);
    cudaStreamSynchronize(stream);
  }
  return status;
}

/// A kernel of several ranks runs in the stream of one, `main`: it comes after
/// what is in the others' streams, and after the ranks' former launches,
/// wherever they were: in the same stream, too, as a handle does not tell. That
/// of a thread's default stream stands for another in every thread, and that of
/// a destroyed stream for the next.
Status CudaBackend::waitForStreams(const std::vector<Call *> &calls,
                                   cudaStream_t main, bool capturing) {
  cudaError_t error = cudaSuccess;
  const Event *last = nullptr; // that `main` waits for
  for (const Call *call : calls) {
    Rank &rank = ranks_[call->rank];
    const auto own = reinterpret_cast<cudaStream_t>(call->stream);
    if (own != main) {
      error = rank.order.record(own);
      if (error == cudaSuccess)
        error = rank.order.waitOn(main);
    }
    // What was captured runs when its graph does, in the order its user gives.
    if (error == cudaSuccess && rank.launched.get() != last && !capturing) {
      last = rank.launched.get();
      error = last ? last->waitOn(main) : cudaSuccess;
    }
    if (error != cudaSuccess)
      break;
  }
  return cudaStatus(error, "cannot order streams");
}

/// And the others' streams go on after it.
Status CudaBackend::signalStreams(const std::vector<Call *> &calls,
                                  cudaStream_t main, bool capturing) {
  const std::shared_ptr<Event> launched = capturing ? nullptr : eventFor(calls);
  // The first rank's stream is `main`, which needs no order of its own.
  Event &done = capturing ? ranks_[calls[0]->rank].order : *launched;
  cudaError_t error = done.record(main);
  for (const Call *call : calls) {
    Rank &rank = ranks_[call->rank];
    const auto own = reinterpret_cast<cudaStream_t>(call->stream);
    if (error == cudaSuccess && own != main)
      error = done.waitOn(own);
    if (!capturing)
      rank.launched = launched;
  }
  return cudaStatus(error, "cannot order streams");
}

/// The event of the last launch, if that was of these ranks, or a new one: a
/// rank that waited for a later launch of others, which may need it, would wait
/// for ever.
std::shared_ptr<Event>
CudaBackend::eventFor(const std::vector<Call *> &calls) const {
  const std::shared_ptr<Event> &last = ranks_[calls[0]->rank].launched;
  const auto users =
      std::count_if(calls.begin(), calls.end(), [&](const Call *call) {
        return ranks_[call->rank].launched == last;
      });
  return last && last.use_count() == users ? last : std::make_shared<Event>();
}

} // namespace blink::runtime
