//===- HostMessages.cpp - messages between tensors of the host ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/HostMessages.h"

#include "runtime/bindings/torch/Errors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <thread>

namespace blink::pytorch {
namespace {

at::Tensor bytesOf(const at::Tensor &tensor) {
  return tensor.view({-1}).view(at::kByte);
}

std::string describe(int64_t bytes, int64_t type) {
  const auto scalar = at::ScalarType(type);
  return std::to_string(bytes / int64_t(c10::elementSize(scalar))) + " of " +
         c10::toString(scalar);
}

} // namespace

HostMessages::HostMessages(int rank, int size, GetComm comm)
    : rank_(rank), comm_(std::move(comm)), peers_(size) {
  for (int peer = 0; peer < size; ++peer)
    if (peer != rank)
      peers_[peer] = std::make_unique<Peer>();
}

void HostMessages::drain() {
  looking_.drain();
  for (const auto &peer : peers_)
    if (peer) {
      peer->sends.drain();
      peer->receives.drain();
    }
}

void HostMessages::send(int peer, int64_t tag, const at::Tensor &tensor,
                        Done done) {
  peers_[peer]->sends.push([this, peer, tag, tensor, done = std::move(done)] {
    std::exception_ptr error;
    try {
      const Header header{tag, int64_t(tensor.nbytes()),
                          int64_t(tensor.scalar_type())};
      const blinkComm_t comm = comm_();
      check(blinkSend(&header, sizeof header, blinkUint8, peer, comm, nullptr));
      check(blinkSend(tensor.const_data_ptr(), tensor.nbytes(), blinkUint8,
                      peer, comm, nullptr));
    } catch (...) {
      error = std::current_exception();
    }
    done(error, peer);
  });
}

void HostMessages::receive(int peer, int64_t tag, const at::Tensor &tensor,
                           Done done) {
  const Receive *added;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Receives &waiting = peers_[peer]->waiting;
    waiting.push_back({tag, tensor, std::move(done)});
    added = &waiting.back();
  }
  peers_[peer]->receives.push(
      [this, peer, added] { acceptUntilTaken(peer, added); });
}

/// The task of one receive. Messages for which other receives wait are passed
/// to these. When this receive has its message, the remaining messages are left
/// to other tasks.
void HostMessages::acceptUntilTaken(int peer, const Receive *receive) {
  Receives &waiting = peers_[peer]->waiting;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto own = find(waiting, receive);
    if (own == waiting.end() || takeKept(peer, waiting, own, lock))
      return;
    lock.unlock();
    acceptNext(peer);
    lock.lock();
  }
}

/// Completes `own` with a kept message of `peer`, if there is one with its tag;
/// the lock is released in that case.
bool HostMessages::takeKept(int peer, Receives &waiting, Receives::iterator own,
                            std::unique_lock<std::mutex> &lock) {
  std::list<Kept> &kept = peers_[peer]->kept;
  const auto found =
      std::find_if(kept.begin(), kept.end(),
                   [&](const Kept &one) { return one.header.tag == own->tag; });
  if (found == kept.end())
    return false;
  Receives taken;
  taken.splice(taken.end(), waiting, own);
  const Kept message = std::move(*found);
  kept.erase(found);
  lock.unlock();
  Receive &receive = taken.front();
  const std::exception_ptr error = mismatch(peer, message.header, receive);
  if (!error)
    bytesOf(receive.tensor).copy_(message.bytes);
  receive.done(error, peer);
  return true;
}

/// Returns null, or why the message does not fit the receive.
std::exception_ptr HostMessages::mismatch(int peer, const Header &header,
                                          const Receive &receive) const {
  const int64_t bytes = int64_t(receive.tensor.nbytes());
  const int64_t type = int64_t(receive.tensor.scalar_type());
  if (header.bytes == bytes && header.type == type)
    return nullptr;
  return makeError("rank " + std::to_string(peer) + " sent " +
                   describe(header.bytes, header.type) + ", rank " +
                   std::to_string(rank_) + " receives " +
                   describe(bytes, type));
}

/// Receives the next message of `peer`, for whichever receive it is. After an
/// error all receives that wait for `peer` get that error.
void HostMessages::acceptNext(int peer) {
  Peer &from = *peers_[peer];
  Receives taken; // the receive that the message is for; if empty, the message
                  // is kept
  try {
    const blinkComm_t comm = comm_();
    Header header;
    check(blinkRecv(&header, sizeof header, blinkUint8, peer, comm, nullptr));
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (Receives *waiting : {&from.waiting, &waitingForAny_}) {
        const auto found = std::find_if(
            waiting->begin(), waiting->end(),
            [&](const Receive &one) { return one.tag == header.tag; });
        if (found == waiting->end())
          continue;
        taken.splice(taken.end(), *waiting, found);
        break;
      }
    }
    std::exception_ptr error;
    at::Tensor bytes;
    if (!taken.empty())
      error = mismatch(peer, header, taken.front());
    bytes = taken.empty() || error ? at::empty({header.bytes}, at::kByte)
                                   : bytesOf(taken.front().tensor);
    check(blinkRecv(bytes.mutable_data_ptr(), size_t(header.bytes), blinkUint8,
                    peer, comm, nullptr));
    if (!taken.empty())
      return taken.front().done(error, peer);
    const std::lock_guard<std::mutex> lock(mutex_);
    from.kept.push_back({header, bytes});
  } catch (...) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      taken.splice(taken.end(), from.waiting);
    }
    for (Receive &receive : taken)
      receive.done(std::current_exception(), peer);
  }
}

void HostMessages::receiveAny(int64_t tag, const at::Tensor &tensor,
                              std::chrono::milliseconds timeout, Done done) {
  const Receive *added;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waitingForAny_.push_back({tag, tensor, std::move(done)});
    added = &waitingForAny_.back();
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  looking_.push([this, added, deadline] { lookForAny(added, deadline); });
}

/// The task of one receive from any rank: takes a kept message, or receives
/// from the ranks that have sent something, until this receive has its message.
void HostMessages::lookForAny(const Receive *receive,
                              std::chrono::steady_clock::time_point deadline) {
  auto pause = std::chrono::microseconds(10);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto own = find(waitingForAny_, receive);
    if (own == waitingForAny_.end())
      return;
    for (int peer = 0; peer < int(peers_.size()); ++peer)
      if (peers_[peer] && takeKept(peer, waitingForAny_, own, lock))
        return;
    const int64_t tag = own->tag;
    lock.unlock();
    std::exception_ptr error;
    try {
      if (std::chrono::steady_clock::now() > deadline)
        raise("no rank has sent a message with tag " + std::to_string(tag) +
              " within the time limit");
      acceptArrived();
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(500));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (!error)
      continue;
    Receives taken;
    if (const auto again = find(waitingForAny_, receive);
        again != waitingForAny_.end())
      taken.splice(taken.end(), waitingForAny_, again);
    lock.unlock();
    for (Receive &failed : taken)
      failed.done(error, -1);
    return;
  }
}

/// Receives one message from each rank of which one has arrived, unless a task
/// is doing that already.
void HostMessages::acceptArrived() {
  const blinkComm_t comm = comm_();
  for (int peer = 0; peer < int(peers_.size()); ++peer) {
    int arrived = 0;
    blinkResult_t result = blinkSuccess;
    if (peers_[peer])
      peers_[peer]->receives.runHere([&] {
        result = blinkProbe(sizeof(Header), blinkUint8, peer, comm, &arrived);
        if (result == blinkSuccess && arrived)
          acceptNext(peer);
      });
    check(result);
  }
}

} // namespace blink::pytorch
