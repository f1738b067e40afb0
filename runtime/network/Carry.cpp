//===- Carry.cpp - chunks and credits -------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Credits are absolute numbers. They are sent with a chunk to the same rank, or
// by themselves when half a window has been read or when nothing has moved for
// a while. Credits of small chunks wait for a whole window, because a message
// costs more than these chunks do.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/NetworkTransport.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace blink::runtime::network {
namespace {

/// Bits of a tag that hold the number of the chunk, from 1 (core/Ring.h).
constexpr uint64_t kTagMask = (uint64_t(1) << 40) - 1;

/// The most bytes of a small chunk.
constexpr uint64_t kSmallChunk = 4 << 10;

/// How long nothing must move before credits are sent by themselves. While
/// chunks are exchanged, credits go with these before that; the credits of a
/// call's last chunks go with the next call. If a writer waits for credits,
/// because the slots of its variant are elsewhere than those before, it loses
/// no more than this time.
constexpr std::chrono::microseconds kIdleTime{150};

/// How long credits may be owed while other ranks keep the NIC busy, so that it
/// never is idle. Chunks and credits of the same ring follow each other much
/// faster than that.
constexpr std::chrono::milliseconds kMostOwed{10};

} // namespace

//===-- The writer's end --------------------------------------------------===//

void NetworkTransport::post(const ChunkMessage &message, const char *data,
                            ChannelPace pace) {
  Outgoing &ring = outgoing_[message.ring];
  NicEnd &end = *ring.end;
  std::lock_guard<std::mutex> lock(end.worker.mutex);
  const Outgoing::Chunk chunk{message, data, pace};
  if (!ring.waiting.empty() || ring.sent - ring.freed >= pace.window) {
    ring.waiting.push_back(chunk);
    end.tellMeter(ring);
  } else {
    end.send(message.ring, chunk);
  }
}

void NetworkTransport::NicEnd::send(uint32_t number,
                                    const Outgoing::Chunk &chunk) {
  Outgoing &ring = transport.outgoing_[number];
  ++ring.sent;
  MessageHeader header{};
  header.kind = MessageKind::chunk;
  header.window = uint16_t(std::min<uint32_t>(chunk.pace.window, UINT16_MAX));
  header.ring = ring.between;
  header.tag = chunk.message.tag;
  header.offset = chunk.message.offset;
  header.slot = chunk.message.slot;
  takeCredit(*ring.to, header);
  worker.send(*ring.to, header, chunk.data, chunk.message.bytes, &ring.open);
}

/// Sends the chunks that waited for credits which have now come.
void NetworkTransport::NicEnd::sendReady() {
  while (!ready.empty()) {
    const uint32_t number = ready.back();
    ready.pop_back();
    Outgoing &ring = transport.outgoing_[number];
    ring.ready = false;
    while (!ring.waiting.empty() &&
           ring.sent - ring.freed < ring.waiting.front().pace.window) {
      send(number, ring.waiting.front());
      ring.waiting.pop_front();
    }
    tellMeter(ring);
  }
}

/// Called when chunks may have begun to wait, or no longer wait.
void NetworkTransport::NicEnd::tellMeter(Outgoing &ring) {
  const bool waits = !ring.waiting.empty(), did = ring.waitingRate >= 0;
  if (waits == did)
    return;
  if (waits) {
    ring.waitingRate = ring.waiting.front().pace.rate;
    ring.to->meter.begin(Clock::now(), double(ring.waitingRate));
  } else {
    ring.to->meter.end(Clock::now(),
                       double(std::exchange(ring.waitingRate, -1)));
  }
}

bool NetworkTransport::NicEnd::credited(Connection &from,
                                        const MessageHeader &header) {
  if (header.creditRing == MessageHeader::kNone)
    return true;
  if (header.creditRing >= from.outgoing.size())
    return false;
  const uint32_t number = from.outgoing[header.creditRing];
  if (number >= transport.outgoing_.size())
    return false;
  Outgoing &ring = transport.outgoing_[number];
  if (header.credit < ring.freed || header.credit > ring.sent)
    return false;
  ring.freed = header.credit;
  if (!ring.waiting.empty() && !ring.ready) {
    ring.ready = true;
    ready.push_back(number);
  }
  transport.client_.freed(number, header.credit);
  return true;
}

//===-- The reader's end --------------------------------------------------===//

bool NetworkTransport::NicEnd::came(Connection &from,
                                    const MessageHeader &header, uint64_t bytes,
                                    char *&place) {
  if (!credited(from, header))
    return false;
  if (header.kind == MessageKind::credit)
    return bytes == 0;
  if (header.ring >= from.incoming.size())
    return false;
  const uint32_t number = from.incoming[header.ring];
  if (number >= transport.incoming_.size())
    return false;
  Incoming &ring = transport.incoming_[number];
  if (((header.tag ^ (ring.arrived + 1)) & kTagMask) != 0)
    return false;
  place = transport.client_.placeFor(
      {number, header.slot, header.tag, header.offset, bytes});
  if (!place)
    return false;
  ++ring.arrived;
  ring.creditAt = bytes > kSmallChunk ? (header.window + 1) / 2 : header.window;
  return true;
}

void NetworkTransport::NicEnd::complete(Connection &from,
                                        const MessageHeader &header,
                                        uint64_t bytes) {
  transport.client_.arrived({from.incoming[header.ring], header.slot,
                             header.tag, header.offset, bytes});
}

void NetworkTransport::credit(uint32_t number, uint64_t freed) {
  Incoming &ring = incoming_[number];
  NicEnd &end = *ring.end;
  std::lock_guard<std::mutex> lock(end.worker.mutex);
  ring.freed = freed;
  if (!ring.owing) {
    ring.owing = true;
    ring.owingSince = Clock::now();
    end.owing.push_back(number);
  }
  if (freed - ring.credited >= ring.creditAt) {
    end.owing.erase(std::find(end.owing.begin(), end.owing.end(), number));
    end.sendCredit(number);
  }
}

/// Sends the credit of a ring, which the caller has taken out of `owing`.
void NetworkTransport::NicEnd::sendCredit(uint32_t number) {
  Incoming &ring = transport.incoming_[number];
  MessageHeader header{};
  header.kind = MessageKind::credit;
  header.creditRing = ring.between;
  header.credit = ring.freed;
  ring.credited = ring.freed;
  ring.owing = false;
  worker.send(*ring.from, header);
}

/// Sends the credits that are owed since that time, or longer.
void NetworkTransport::NicEnd::sendOldCredits(Clock::time_point since) {
  while (!owing.empty() &&
         transport.incoming_[owing.front()].owingSince <= since) {
    const uint32_t number = owing.front();
    owing.pop_front();
    sendCredit(number);
  }
}

/// Adds a credit that is owed to the other end, if any, to the header of a
/// chunk.
void NetworkTransport::NicEnd::takeCredit(Connection &to,
                                          MessageHeader &header) {
  header.creditRing = MessageHeader::kNone;
  const auto found =
      std::find_if(owing.begin(), owing.end(), [&](uint32_t number) {
        return transport.incoming_[number].from == &to;
      });
  if (found == owing.end())
    return;
  Incoming &ring = transport.incoming_[*found];
  header.creditRing = ring.between;
  header.credit = ring.freed;
  ring.credited = ring.freed;
  ring.owing = false;
  owing.erase(found);
}

//===-- Progress ----------------------------------------------------------===//

/// Requires the worker's mutex, like all functions of NicEnd. Returns whether
/// anything moved.
bool NetworkTransport::NicEnd::carryOn() {
  if (beatDue.load(std::memory_order_relaxed) != 0)
    beat(Clock::duration(beatDue.exchange(0, std::memory_order_relaxed) - 1));
  bool moved = worker.progress();
  if (!ready.empty()) {
    sendReady();
    moved = true;
  }
  if (moved && sleeper) {
    if (*sleeper != std::this_thread::get_id())
      worker.signal();
    sleeper.reset();
  }
  if (moved)
    idleSince.reset();
  if (owing.empty())
    return moved;
  const Clock::time_point now = Clock::now();
  if (!moved && !idleSince)
    idleSince = now;
  const bool idle = idleSince && now - *idleSince >= kIdleTime;
  sendOldCredits(idle ? now : now - kMostOwed);
  return moved;
}

bool NetworkTransport::progress(int rank, bool wait) {
  bool moved = false;
  for (const std::unique_ptr<NicEnd> &end : ends_[size_t(rank)]) {
    std::unique_lock<std::mutex> lock(end->worker.mutex, std::defer_lock);
    if (wait)
      lock.lock();
    else if (!lock.try_lock())
      continue;
    moved |= end->carryOn();
  }
  return moved;
}

bool NetworkTransport::awaitable(int rank, std::vector<pollfd> &files,
                                 std::chrono::nanoseconds &most) {
  for (const std::unique_ptr<NicEnd> &end : ends_[size_t(rank)]) {
    const std::lock_guard<std::mutex> lock(end->worker.mutex);
    const int file = end->worker.arm();
    if (file < 0)
      return false;
    const std::thread::id self = std::this_thread::get_id();
    end->sleeper =
        end->sleeper && *end->sleeper != self ? std::thread::id() : self;
    files.push_back({file, POLLIN, 0});
    if (!end->owing.empty())
      most = std::min<std::chrono::nanoseconds>(most, kIdleTime);
  }
  return true;
}

bool NetworkTransport::flushed(uint32_t number) {
  const Outgoing &ring = outgoing_[number];
  std::lock_guard<std::mutex> lock(ring.end->worker.mutex);
  // Chunks of other rings do not count: a long message beside this call may
  // always have some on their way.
  return ring.waiting.empty() && ring.open == 0;
}

//===-- Failures ----------------------------------------------------------===//

void NetworkTransport::NicEnd::lost(Connection &connection) {
  for (uint32_t r = 0; r < transport.outgoing_.size(); ++r) {
    Outgoing &out = transport.outgoing_[r];
    const Incoming &in = transport.incoming_[r];
    if (out.to == &connection)
      out.waiting.clear();
    // If the other end said goodbye, the ranks that need it, if any, notice its
    // absence themselves.
    if ((out.to == &connection || in.from == &connection) && !connection.left)
      transport.client_.broken(r, connection.why);
  }
}

void NetworkTransport::abandon(int rank) {
  for (const std::unique_ptr<NicEnd> &end : ends_[size_t(rank)]) {
    std::lock_guard<std::mutex> lock(end->worker.mutex);
    end->worker.abandon();
    for (Outgoing &ring : outgoing_)
      if (ring.end == end.get())
        ring.waiting.clear();
  }
}

} // namespace blink::runtime::network
