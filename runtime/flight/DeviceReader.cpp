//===- DeviceReader.cpp - reading what a rank's GPU does ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/DeviceReader.h"

#include "runtime/plan/Types.h"

#include <algorithm>

namespace blink::runtime {
namespace {

sched::Collective collectiveOf(uint64_t number) {
  return sched::Collective(
      std::min<uint64_t>(number, uint64_t(sched::Collective::MAX)));
}

/// Returns true if `launch` came after `other`; launches count modulo 2^32.
bool isBehind(uint32_t launch, uint32_t other) {
  return int32_t(launch - other) > 0;
}

} // namespace

CallPicture pictureOf(const CallRecord &record, bool message,
                      const TickScale &scale) {
  CallPicture call;
  call.number = record.number;
  call.kind.collective = collectiveOf(record.what & 0xff);
  call.kind.type = blinkDataType_t(record.what >> 8 & 0xff);
  call.send = (record.what >> 16 & 1) != 0;
  const auto root = int32_t(record.what >> 32);
  (message ? call.peer : call.kind.root) = root;
  call.kind.count = record.count;
  call.kind.op = blinkRedOp_t(int32_t(uint32_t(record.how)));
  call.variant = uint32_t(record.how >> 32);
  call.enqueued = scale.timeOf(record.enqueued);
  call.started = scale.timeOf(record.started);
  call.ended = scale.timeOf(record.ended);
  if (record.ended != 0)
    call.result = blinkResult_t(uint32_t(record.result));
  return call;
}

uint64_t DeviceReader::timeOf(uint64_t moment) const {
  // If one clock runs faster than the other, no moment must lie in the future.
  return std::min(counters_.wallTime + (moment - counters_.deviceTime),
                  scale_.now());
}

CallPicture DeviceReader::callOf(const DeviceCallRecord &record, int queue,
                                 const Launches &launches) const {
  const auto what = uint32_t(record.what);
  CallPicture call;
  call.number = record.number;
  call.kind.collective = collectiveOf(what & 31);
  call.kind.type = blinkDataType_t(what >> 5 & 31);
  call.kind.op = blinkRedOp_t(what >> 10 & 31);
  call.kind.count = record.count;
  if (queue == Call::kCollectives) {
    call.kind.root = int32_t(what >> 16);
  } else {
    call.peer = (queue - 1) / 2;
    call.send = (queue - 1) % 2 == 0;
    // The file may contain a type that does not exist.
    call.kind.count /= std::max<uint64_t>(elementBytes(call.kind.type), 1);
  }
  call.variant = uint32_t(record.variant);
  call.started = timeOf(record.started);
  const auto launch = launches.find(uint32_t(record.what >> 32));
  if (launch != launches.end())
    call.started = std::max(call.started, launch->second);
  call.enqueued = launch != launches.end() ? launch->second : call.started;
  if ((record.ended >> kEndBits) == (endOf(record.number, 0) >> kEndBits)) {
    // The moment with these low bits that follows the beginning.
    const uint64_t length = endOf(0, record.ended - record.started);
    call.ended = std::max(timeOf(record.started + length), call.started);
  }
  return call;
}

/// Reads records of calls. A call's place in the ring is its number modulo the
/// ring's size; messages have a ring per queue.
bool DeviceReader::readCalls(uint64_t offset, uint64_t count, bool messages,
                             const Launches &launches,
                             std::vector<CallPicture> &calls) {
  std::vector<DeviceCallRecord> records(count);
  if (!source_.read(begin_ + offset, records.data(),
                    count * sizeof(records[0])))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    const DeviceCallRecord &record = records[i];
    if (record.number == 0 || record.check != checkOf(record))
      continue;
    const int queue =
        messages ? 1 + int(i / kQueueCalls) : int(Call::kCollectives);
    calls.push_back(callOf(record, queue, launches));
    const auto launch = uint32_t(record.what >> 32);
    uint32_t &last = begun_[queue];
    if (launch != 0 && (last == 0 || isBehind(launch, last)))
      last = launch;
  }
  std::sort(calls.begin(), calls.end(), [](const auto &a, const auto &b) {
    return a.isMessage() ? a.started < b.started : a.number < b.number;
  });
  return true;
}

/// Adds what a lane waits for, if it belongs to a call that is under way. A
/// message is seen to end when one of its lanes ends; if another lane still
/// waits, it has not ended.
void DeviceReader::showWait(const DeviceLaneRecord &record, bool message,
                            RankPicture &rank) {
  WaitPicture wait;
  wait.message = message;
  wait.call = record.call;
  wait.lane = uint32_t(record.lane);
  wait.step = uint32_t(record.place >> 32);
  wait.channel = uint32_t(record.place);
  wait.peer = int(uint32_t(record.peer));
  wait.reading = record.peer >> 32 != 0;
  wait.expected = record.expected;
  wait.seen = record.expected - 1; // the record does not say how far the other
                                   // end is
  if (uint32_t(record.peer) >= header_.numRanks)
    return;
  for (CallPicture &call : message ? rank.sent : rank.calls) {
    if (call.number != wait.call ||
        (message ? call.peer != wait.peer || call.send == wait.reading
                 : !call.underWay()))
      continue;
    call.ended = 0;
    wait.since = std::max(timeOf(record.since), call.started);
    rank.waits.push_back(wait);
    return;
  }
}

bool DeviceReader::read(RankPicture &rank) {
  // Launches are read first, so that a launch that begins meanwhile is seen to
  // have begun.
  std::vector<CallRecord> launched;
  std::vector<DeviceLaneRecord> lanes, queues;
  std::vector<uint64_t> waits(2 * header_.numRanks);
  if (!source_.read(begin_, &counters_, sizeof(counters_)) ||
      !source_.readTwice(begin_ + layout_.launches, header_.numLaunches,
                         launched))
    return false;
  Launches launches;
  for (const CallRecord &record : launched)
    launches[uint32_t(record.number)] = scale_.timeOf(record.enqueued);
  // Calls are read before lanes, so that no wait belongs to a call that is seen
  // as ended.
  if (!readCalls(layout_.collectives, header_.numCalls, false, launches,
                 rank.calls) ||
      !readCalls(layout_.messages, header_.numMessages, true, launches,
                 rank.sent) ||
      !source_.readTwice(begin_ + layout_.lanes, header_.numLanes, lanes) ||
      !source_.readTwice(begin_ + layout_.queues,
                         header_.numQueues * header_.queueLanes, queues) ||
      !source_.read(begin_ + layout_.waits, waits.data(),
                    waits.size() * sizeof(waits[0])))
    return false;
  for (const DeviceLaneRecord &record : lanes)
    showWait(record, false, rank);
  for (const DeviceLaneRecord &record : queues)
    showWait(record, true, rank);
  for (const CallRecord &record : launched) {
    const bool message =
        collectiveOf(record.what & 0xff) == sched::Collective::sendrecv;
    const CallPicture call = pictureOf(record, message, scale_);
    const auto last = begun_.find(message ? 1 + 2 * call.peer + int(!call.send)
                                          : Call::kCollectives);
    if (last == begun_.end() || last->second == 0 ||
        isBehind(uint32_t(record.number), last->second))
      rank.launched.push_back(call);
  }
  std::sort(rank.launched.begin(), rank.launched.end(),
            [](const auto &a, const auto &b) { return a.number < b.number; });
  rank.collectives = rank.calls.empty() ? 0 : rank.calls.back().number;
  std::map<std::pair<int, bool>, uint64_t> sent;
  for (const CallPicture &call : rank.sent)
    sent[{call.peer, call.send}] =
        std::max(sent[{call.peer, call.send}], call.number);
  for (const auto &[queue, number] : sent)
    rank.messages += number;
  for (uint64_t peer = 0; peer < header_.numRanks; ++peer)
    rank.waitedFor.push_back(waits[peer] + waits[header_.numRanks + peer]);
  return true;
}

} // namespace blink::runtime
