//===- CudaBackendMessages.cpp - launching messages -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ends of messages of a group are launched together, as many as fit into a
// kernel's parameter. An end in a kernel waits only for its other end, and for
// the message before it in its queue, since a block takes a queue's messages in
// turn. A device with more ends than fit launches them kernel by kernel. All
// devices use the same order: by turn (the number of the message among those of
// the group from its source to its destination), then by source, then by
// destination.
//
// This cannot deadlock. Of all messages that are not done, consider the first
// in this order. Before its two ends their devices have only ends of earlier
// messages, which are done; so both ends run, because a kernel has no more
// blocks than the GPU can run beside the lanes of a collective. If its ends
// have more lanes than that, a block runs several lanes of a message, one after
// the other; each of them needs only its own ring. The order begins with the
// turn because a group on one rank may be several groups on another, one after
// the other.
//
// The messages of a queue that are in one kernel have one variant. In another
// variant a ring may belong to another lane, and its block would not wait for
// the block of the message before.
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

/// Gives the messages of each queue, which begins with a message of `first`,
/// the same blocks. A block runs several lanes of a message, one by one, if
/// there would be more than `room` blocks otherwise. Returns their number.
static uint32_t giveBlocks(MessageLaunch &launch,
                           const std::vector<uint32_t> &first, uint32_t room) {
  const auto blocksOf = [&](uint32_t message) {
    return (launch.messages[message].numLanes + launch.turns - 1) /
           launch.turns;
  };
  uint32_t blocks;
  for (launch.turns = 1;; ++launch.turns) {
    blocks = 0;
    for (uint32_t message : first)
      blocks += blocksOf(message);
    if (blocks <= std::max<size_t>(room, first.size()))
      break;
  }
  uint32_t next = 0;
  for (uint32_t message : first) {
    const uint32_t count = blocksOf(message);
    for (uint32_t m = message; m != MessageLaunch::kMax;
         m = launch.messages[m].next)
      launch.messages[m].rank.firstBlock = next;
    next += count;
  }
  return blocks;
}

Status CudaBackend::collectMessages(const std::vector<Call *> &calls,
                                    std::vector<MessageBatch> &batches) const {
  std::map<int, MessageBatch> ofDevice;
  std::map<std::pair<int, int>, uint32_t> turns; // by (rank, queue)
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

/// Launches a batch. `beside`: in a stream of its own, because there are
/// collectives in the same group, which on another rank may come before or
/// after the messages.
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
  batch.capturing = isAnyCapturing(batch.uses);
  if (status.ok() && beside)
    status = besideStream(*batch.uses[0].rank, batch.stream);
  if (status.ok())
    status = waitForStreams(batch.uses, batch.stream, batch.capturing);
  for (size_t begin = 0; status.ok() && begin < batch.ends.size();) {
    const size_t end = windowEnd(batch, begin);
    status = launchWindow(batch, begin, end);
    batch.begun |= status.ok() && !batch.capturing;
    begin = end;
  }
  begun |= batch.begun;
  return status;
}

/// Returns the end of the ends of messages, from `begin` on, that go into one
/// kernel: at least those of one message.
size_t CudaBackend::windowEnd(const MessageBatch &batch, size_t begin) const {
  const std::vector<MessageEnd> &ends = batch.ends;
  std::map<std::shared_ptr<Event> *, const VariantPlan *> variants; // by queue
  size_t end = begin;
  while (end < ends.size()) {
    // If both ends are on this device, they must be in the same kernel.
    size_t next = end + 1;
    if (next < ends.size() && ends[next].isSameMessage(ends[end]))
      ++next;
    bool fits = next - begin <= MessageLaunch::kMax;
    for (size_t i = end; i < next; ++i) {
      const Call &call = *ends[i].call;
      const auto known =
          variants.try_emplace(batch.uses[i].launched, &call.variant()).first;
      fits &= known->second == &call.variant() &&
              variants.size() <= ranks_[call.rank].messageRoom;
    }
    if (!fits && end != begin)
      break;
    end = next;
  }
  return end;
}

/// Orders what the ranks' streams get from now on after the messages.
Status CudaBackend::endMessages(const MessageBatch &batch) {
  if (batch.uses.empty())
    return {}; // an earlier batch has failed
  const DeviceScope scope(batch.device);
  const Status status =
      signalStreams(batch.uses, batch.stream, batch.capturing);
  if (!status.ok() && batch.begun)
    cudaStreamSynchronize(batch.stream); // no event tells when the kernels end
  return status;
}

Status CudaBackend::launchWindow(const MessageBatch &batch, size_t begin,
                                 size_t end) {
  MessageLaunch launch{};
  std::vector<CarriedChunks> carried;
  std::vector<uint32_t> first; // messages of queues
  uint32_t room = std::numeric_limits<uint32_t>::max();
  // The last message of each queue so far.
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
    if (before)
      before->next = uint16_t(launch.numMessages);
    else
      first.push_back(launch.numMessages);
    before = &message;
    room = std::min(room, ranks_[call.rank].messageRoom);
    ++launch.numMessages;
  }
  const uint32_t blocks = giveBlocks(launch, first, room);
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
  Call bytes = call; // its bytes, whatever its type
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
