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

void CudaBackend::run(PendingCall *const *calls, size_t numCalls) {
  std::vector<PendingCall *> left(calls, calls + numCalls);
  while (!left.empty()) {
    auto &backend = static_cast<CudaBackend &>(*left[0]->backend);
    const auto others = std::stable_partition(
        left.begin(), left.end(),
        [&](const PendingCall *call) { return call->backend == &backend; });
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
  // The n-th calls of all ranks form one round.
  std::vector<std::vector<Call *>> rounds;
  std::vector<size_t> made(ranks_.size());
  std::vector<Call *> messages;
  for (Call *call : calls) {
    if (call->isMessage()) {
      messages.push_back(call);
      continue;
    }
    const size_t round = made[call->rank]++;
    if (round == rounds.size())
      rounds.emplace_back();
    const Call &first = rounds[round].empty() ? *call : *rounds[round][0];
    if (call->kind != first.kind)
      return callsDiffer(first.rank, first.kind, call->rank,
                         call->kind.describe());
    rounds[round].push_back(call);
  }
  std::vector<MessageBatch> batches;
  status = collectMessages(messages, batches);
  if (status.ok())
    status = takeRoom(calls);
  if (!status.ok())
    return status;
  bool begun = false;
  for (MessageBatch &batch : batches)
    if (status.ok())
      status = beginMessages(batch, /*beside=*/!rounds.empty(), begun);
  for (const std::vector<Call *> &round : rounds)
    if (status.ok())
      status = launchRound(round);
  for (const MessageBatch &batch : batches)
    if (const Status ended = endMessages(batch); status.ok())
      status = ended;
  if (!status.ok() && begun)
    fail(status);
  return status;
}

Status CudaBackend::launchRound(const std::vector<Call *> &round) {
  const CallKind &kind = round[0]->kind; // the same for all calls of the round
  if (kind.count == 0)
    return {};
  for (int rank = 0; rank < job_.numRanks(); ++rank)
    if (job_.detached(rank))
      return {blinkRemoteError,
              kind.describe() + ": " + job_.peerFailure(rank).text};
  // True if another rank may be in this call already, and would wait for this
  // one.
  bool begun = round.size() != ranks_.size();
  std::vector<Call *> left = round;
  while (!left.empty()) {
    const int device = ranks_[left[0]->rank].device;
    std::vector<Call *> together, others;
    for (Call *call : left)
      (ranks_[call->rank].device == device ? together : others).push_back(call);
    bool capturing = false;
    Status status = launchOnDevice(device, together, begun, capturing);
    // A captured call has not begun.
    if (!status.ok() && begun && !capturing)
      fail(status);
    if (!status.ok())
      return status;
    left = std::move(others);
  }
  return {};
}

/// Whether lanes load what they add through stages (StagedFold.h). Other
/// launches have none: a multiprocessor divides its memory anew between cache
/// and stage.
bool CudaBackend::needsStages(const VariantPlan &variant, const CallKind &kind,
                              const Launch &launch) const {
  return sched::isReduction(kind.collective) && !launch.lowLatency &&
         launch.shape.partialBytes == 0 &&
         // The switch adds, but not in trees for which none works.
         !(launch.inSwitch && firstSwitchPlaceOf(variant)->forAll);
}

/// `begun` is set as soon as a kernel is in its stream.
Status CudaBackend::launchOnDevice(int device, const std::vector<Call *> &calls,
                                   bool &begun, bool &capturing) {
  const Call &first = *calls[0];
  const VariantPlan &variant = first.variant();
  Launch launch{};
  launch.shape = first.shape(variant, false);
  launch.signature = signatureBits(first.kind.hash());
  launch.what = packLaunched(first.kind);
  launch.layout = variant.number + 1;
  launch.numRanks = uint32_t(calls.size());
  launch.lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  // Each rank knows only of its own buffers whether they are registered, and
  // tells the other ends in the pointer exchange. Both ends of a channel take
  // part in the exchange or neither does, also if their graphs were captured at
  // different times.
  launch.direct = !launch.lowLatency && first.bytes() >= sched::kDirectBytes;
  board_.look();
  launch.scales = first.kind.op == kPreMulSum;
  launch.inSwitch = switchesWork(variant, first.kind);
  uint32_t blocks = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call &call = *calls[i];
    const char *const send = static_cast<const char *>(call.send);
    char *const recv = static_cast<char *>(call.recv);
    launch.ranks[i] = {ranks_[call.rank].programs[variant.number],
                       send,
                       recv,
                       launch.direct && !launch.scales
                           ? exchangedPtr(call, send, call.sendBytes)
                           : 0,
                       launch.direct ? exchangedPtr(call, recv, call.recvBytes)
                                     : 0,
                       call.scalar.place,
                       call.scalar.bits,
                       blocks,
                       Call::kCollectives};
    blocks += variant.ranks[call.rank].code.numLanes;
  }
  std::vector<CarriedChunks> carried;
  for (const Call *call : calls)
    proxy_.addChunks(*call, variant, launch.shape, carried);
  std::vector<StreamUse> uses;
  for (const Call *call : calls) {
    Rank &rank = ranks_[call->rank];
    uses.push_back(
        {&rank, reinterpret_cast<cudaStream_t>(call->stream), &rank.launched});
  }
  return launchInOrder(
      device, uses, begun, capturing, [&](cudaStream_t stream) {
        if (blocks == 0)
          return Status();
        if (!capturing)
          launch.launch = noteLaunch(calls.data(), calls.size());
        return announced(stream, capturing, std::move(carried), [&] {
          return cudaStatus(
              launchLanes(first.kind.type, first.kind.op,
                          needsStages(variant, first.kind, launch), blocks,
                          launch, stream),
              first.kind.describe() + ": cannot launch");
        });
      });
}

} // namespace blink::runtime
