//===- Beat.cpp - heartbeats ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every message is a sign of life; a heartbeat is sent only if there was no
// other message. UCX itself does not notice that a link is down as long as
// nothing comes back over it.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/NetworkTransport.h"

namespace blink::runtime::network {

/// Runs in the thread of heartbeats. If a thread in a call has the mutex nearly
/// all the time, that thread sends the heartbeats instead.
void NetworkTransport::turn(Clock::duration late) {
  late_ += late;
  const bool beats = ++turns_ % turnsOfBeat_ == 0;
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends) {
      // Relaxed: no other data depends on the number.
      if (beats)
        end->beatDue.fetch_add(late_.count() + 1, std::memory_order_relaxed);
      for (bool first = true;
           first || end->beatDue.load(std::memory_order_relaxed) != 0;
           first = false) {
        std::unique_lock<std::mutex> lock(end->worker.mutex, std::try_to_lock);
        if (lock.owns_lock())
          end->carryOn();
        else if (!first && !heartbeats_.pause(std::chrono::milliseconds(1)))
          return;
      }
    }
  if (beats)
    late_ = Clock::duration(0);
}

void NetworkTransport::NicEnd::beat(Clock::duration late) {
  constexpr int kTurns = 64; // a limit, because more may come while this reads
                             // what has come
  const Clock::time_point now = Clock::now();
  for (int i = 0; i < kTurns && worker.progress(); ++i)
    ;
  MessageHeader heartbeat{};
  heartbeat.kind = MessageKind::heartbeat;
  heartbeat.creditRing = MessageHeader::kNone;
  for (auto &[other, connection] : worker.connections()) {
    if (connection.lost || connection.left)
      continue;
    // The others are not to blame for the time that this process was late, and
    // what they have sent meanwhile may still arrive.
    if (connection.received != connection.receivedBefore)
      connection.heard = now;
    else
      connection.heard += late;
    connection.receivedBefore = connection.received;
    if (now - connection.heard > transport.silence_) {
      worker.lose(connection, textOf("no heartbeat for ",
                                     transport.silence_.count(), " ms"));
      continue;
    }
    heartbeat.offset = connection.bytesCame;
    if (connection.sent == connection.sentBefore ||
        connection.bytesCame != connection.cameBefore)
      worker.send(connection, heartbeat);
    connection.sentBefore = connection.sent;
    connection.cameBefore = connection.bytesCame;
    meter(connection, now);
  }
  sendOldCredits(Clock::now()); // all of them
}

/// Reports a connection that is slower than planned, and gives it up if
/// BLINK_LEAST_RATE asks for that.
void NetworkTransport::NicEnd::meter(Connection &connection,
                                     Clock::time_point now) {
  constexpr double kWorthAWord = 0.25; // of the plan; a rate below this is not
                                       // just the effect of other jobs
  LinkMeter &meter = connection.meter;
  if (!meter.look(now, connection.bytesSent, connection.bytesThere))
    return;
  const double part = meter.rate() / meter.plan();
  const std::string text =
      textOf(megabytes(meter.rate()), "/s, where the schedule plans ",
             megabytes(meter.plan()), "/s");
  if (part < transport.leastRate_) {
    worker.lose(connection, text + ", is less than BLINK_LEAST_RATE allows");
  } else if (part < kWorthAWord && !connection.noted) {
    connection.noted = true;
    transport.client_.note(
        worker.rank(), /*warning=*/true,
        textOf(worker.name(), " to ", connection.name, ": ", text));
  }
}

} // namespace blink::runtime::network
