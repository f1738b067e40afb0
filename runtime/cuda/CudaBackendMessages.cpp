//===- CudaBackendMessages.cpp - launching messages -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ends of messages of a group are launched together, as many as fit into a
// kernel's parameter. Those of one kernel wait for nothing but their other
// ends, and for the one before in their queue, which a block takes in turn; a
// device that has more than fit takes them kernel by kernel, all devices in the
// same order: by turn (the how manyeth it is from its source to its destination
// in the group), source and destination. So nobody waits for ever. Of all
// messages that are not done look at the first one in this order. Before its
// two ends their devices have only ends of messages that come before it, which
// are done; so both ends run. By turn first, as what is one group on a rank may
// be several on another, one after the other.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/core/Ring.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/plan/Types.h"
#include "schedules/ChunkSize.h"

#include <algorithm>
#include <tuple>

namespace blink::runtime {

Status CudaBackend::collectMessages(const std::vector<Call *> &calls,
                                    std::vector<MessageBatch> &batches) const {
  std::map<int, MessageBatch> ofDevice;
  std::map<std::pair<int, int>, uint32_t> turns; // of (rank, queue)
  for (const Call *call : calls) {
    if (call->kind.count == 0)
      continue;
    if (call->peer != call->rank && job_.detached(call->peer))
      return {blinkRemoteError,
              call->kind.describe() + ": " + job_.peerFailure(call->peer).text};
    const bool sends = call->send != nullptr;
    ofDevice[ranks_[call->rank].device].ends.push_back(
        {call, sends ? call->rank : call->peer, sends ? call->peer : call->rank,
         turns[{call->rank, call->queue()}]++});
  }
  for (auto &[device, batch] : ofDevice) {
    std::stable_sort(batch.ends.begin(), batch.ends.end(),
                     [](const MessageEnd &a, const MessageEnd &b) {
                       return std::tuple(a.turn, a.source, a.destination) <
                              std::tuple(b.turn, b.source, b.destination);
                     });
    batch.device = device;
    batches.push_back(std::move(batch));
  }
  return {};
}

/// `beside`: in a stream of their own, as there are collectives in the same
/// group. These may be before the messages on another rank, or behind them.
Status CudaBackend::beginMessages(MessageBatch &batch, bool beside,
                                  bool &begun) {
  for (const MessageEnd &end : batch.ends) {
    const Call &call = *end.call;
    Rank &rank = ranks_[call.rank];
    rank.messagesLaunched.resize(2 * ranks_.size());
    batch.uses.push_back({&rank, reinterpret_cast<cudaStream_t>(call.stream),
                          &rank.messagesLaunched[size_t(call.queue()) - 1]});
  }
  DeviceScope scope(batch.device);
  Status status = cudaStatus(scope.error(), "cannot use GPU ", batch.device);
  batch.stream = batch.uses[0].stream;
  batch.capturing = isCapturing(batch.stream);
  if (status.ok() && beside)
    status = cudaStatus(batch.uses[0].rank->beside.get(batch.stream),
                        "cannot make a stream");
  if (status.ok())
    status = waitForStreams(batch.uses, batch.stream, batch.capturing);
  // Kernel by kernel. The two ends of a message that are on one device are in
  // one of them.
  const std::vector<MessageEnd> &ends = batch.ends;
  for (size_t begin = 0; status.ok() && begin < ends.size();) {
    size_t end = std::min(begin + MessageLaunch::kMax, ends.size());
    if (end < ends.size() && ends[end].isSameMessage(ends[end - 1]))
      --end;
    status = launchWindow(batch, begin, end);
    batch.begun |= status.ok() && !batch.capturing;
    begin = end;
  }
  begun |= batch.begun;
  return status;
}

/// What the ranks' streams get from now on comes behind the messages.
Status CudaBackend::endMessages(const MessageBatch &batch) {
  const DeviceScope scope(batch.device);
  const Status status =
      signalStreams(batch.uses, batch.stream, batch.capturing);
  if (!status.ok() && batch.begun)
    cudaStreamSynchronize(batch.stream); // as nothing else tells when it ends
  return status;
}

Status CudaBackend::launchWindow(const MessageBatch &batch, size_t begin,
                                 size_t end) {
  MessageLaunch launch{};
  std::vector<CarriedChunks> carried;
  uint32_t blocks = 0;
  // The last one of each queue so far.
  std::map<std::shared_ptr<Event> *, LaunchedMessage *> last;
  for (size_t i = begin; i < end; ++i) {
    LaunchedMessage &message = launch.messages[launch.numMessages];
    message = messageOf(batch.ends[i]);
    const Call &call = *batch.ends[i].call;
    const Call *const one[] = {&call};
    if (!batch.capturing)
      message.call.launch = noteLaunch(one, 1);
    proxy_.addChunks(call, call.variant(), message.call.shape, carried);
    LaunchedMessage *&before = last[batch.uses[i].launched];
    if (before) {
      before->next = uint16_t(launch.numMessages);
      message.rank.firstBlock = before->rank.firstBlock;
    } else {
      message.rank.firstBlock = blocks;
      blocks += plan_.numMessageTrees; // what any of the queue may need
    }
    before = &message;
    ++launch.numMessages;
  }
  return announced(batch.stream, batch.capturing, std::move(carried), [&] {
    return cudaStatus(launchMessages(blocks, launch, batch.stream),
                      batch.ends[begin].call->kind.describe() +
                          ": cannot launch");
  });
}

LaunchedMessage CudaBackend::messageOf(const MessageEnd &end) {
  const Call &call = *end.call;
  const VariantPlan &variant = call.variant();
  LaunchedMessage message{};
  LaunchedCall &launched = message.call;
  Call bytes = call; // whatever the type
  bytes.kind.count *= elementBytes(std::exchange(bytes.kind.type, blinkUint8));
  launched.shape = bytes.shape(variant, false);
  launched.signature = signatureBits(call.kind.hash());
  launched.what = packLaunched(call.kind);
  launched.layout = variant.number + 1;
  launched.lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  launched.direct = !launched.lowLatency && call.bytes() >= sched::kDirectBytes;
  board_.look();
  LaunchedRank &rank = message.rank;
  rank.program = ranks_[call.rank].programs[variant.number];
  rank.send = static_cast<const char *>(call.send);
  rank.recv = static_cast<char *>(call.recv);
  if (launched.direct && call.send)
    rank.sendPtr = exchangedPtr(call, call.send, call.sendBytes);
  if (launched.direct && call.recv)
    rank.recvPtr = exchangedPtr(call, call.recv, call.recvBytes);
  message.numLanes = uint16_t(ranks_[call.rank].messageTrees.at(
      variant.number)[size_t(call.queue()) - 1]);
  message.next = MessageLaunch::kMax;
  rank.queue = uint32_t(call.queue());
  message.firstLane = uint32_t(call.queue() - 1) * plan_.numMessageTrees;
  return message;
}

} // namespace blink::runtime
