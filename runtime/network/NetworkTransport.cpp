//===- NetworkTransport.cpp - joining and leaving -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/NetworkTransport.h"

#include "runtime/NetworkSettings.h"
#include "runtime/PatientBackoff.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace blink::runtime::network {
namespace {

/// The most time that a rank which leaves waits if the way to others is not
/// free.
constexpr std::chrono::seconds kMostForGoodbye{1};

/// The longest time between turns of the thread that sends what callers have
/// left, such as credits: other ranks wait for these, however long a silence
/// they tolerate.
constexpr std::chrono::milliseconds kLongestTurn{10};

/// How much later than the loss of its connection the death of a process
/// becomes known.
constexpr std::chrono::milliseconds kDeathIsKnown{200};

} // namespace

std::string NetworkTransport::nameOf(int rank, uint16_t nic) const {
  return textOf(nic == kAnyNic ? std::string("the NIC") : job_.nics[nic].name,
                " of rank ", rank);
}

NetworkTransport::NicEnd *NetworkTransport::endOf(int rank, uint16_t nic) {
  for (const std::unique_ptr<NicEnd> &end : ends_[size_t(rank)])
    if (end->worker.nic() == nic)
      return end.get();
  return nullptr;
}

Status NetworkTransport::addEnd(int rank, uint16_t nic,
                                const SystemDevices &system,
                                const DeviceSettings &settings) {
  if (!job_.here[size_t(rank)] || endOf(rank, nic))
    return {};
  Device device;
  Status status = deviceOf(nic, job_.nics, system, settings, device);
  if (!status.ok())
    return status;
  auto end =
      std::make_unique<NicEnd>(*this, rank, nic, nameOf(rank, nic), device);
  status = end->worker.open(job_.largestChunk, *end);
  ends_[size_t(rank)].push_back(std::move(end));
  return status;
}

Status NetworkTransport::open() {
  SystemDevices system;
  Status status = readSilence(silence_);
  if (status.ok())
    status = readLeastRate(leastRate_);
  if (status.ok())
    status = findDevices(system);
  const DeviceSettings settings{std::getenv("BLINK_NET_DEVICES"),
                                std::getenv("BLINK_SOCKET_IFNAME")};
  ends_.resize(size_t(job_.numRanks));
  uint32_t numRings = 0;
  for (const TransportRing &ring : job_.rings)
    numRings = std::max(numRings, ring.ring + 1);
  outgoing_.resize(numRings);
  incoming_.resize(numRings);
  for (const TransportRing &ring : job_.rings) {
    if (status.ok())
      status = addEnd(ring.source, ring.sourceNic, system, settings);
    if (status.ok())
      status = addEnd(ring.destination, ring.destinationNic, system, settings);
    if (!status.ok())
      return status;
    Outgoing &out = outgoing_[ring.ring];
    Incoming &in = incoming_[ring.ring];
    out.end = endOf(ring.source, ring.sourceNic);
    in.end = endOf(ring.destination, ring.destinationNic);
    out.between = in.between = ring.between;
  }
  return status;
}

//===-- Joining -----------------------------------------------------------===//

Status NetworkTransport::listen(int rank, std::string &address) {
  Status status;
  for (const std::unique_ptr<NicEnd> &end : ends_[size_t(rank)])
    if (status.ok())
      status = end->worker.address(address);
  return status;
}

/// Finds the connection to the NIC of a rank; if it is not known yet, adds it
/// by its address.
Status NetworkTransport::reach(NicEnd &end, int rank, uint16_t nic,
                               const std::string &addresses,
                               Connection *&connection) {
  connection = end.worker.find(uint16_t(rank), nic);
  if (connection)
    return {};
  for (size_t at = 0; at + sizeof(AddressHeader) <= addresses.size();) {
    AddressHeader header;
    std::memcpy(&header, addresses.data() + at, sizeof(header));
    at += sizeof(header);
    if (header.bytes > addresses.size() - at)
      break;
    if (header.nic == nic) {
      connection = &end.worker.add(uint16_t(rank), nic);
      connection->name = nameOf(rank, nic);
      connection->key = header.key;
      connection->address = addresses.substr(at, header.bytes);
      return {};
    }
    at += header.bytes;
  }
  return {blinkRemoteError, "rank ", rank, " has no address for ",
          nameOf(rank, nic)};
}

/// Notes a ring under the number that both ends have for it.
static void noteRing(std::vector<uint32_t> &rings, uint32_t between,
                     uint32_t ring) {
  constexpr uint32_t kNoRing = ~0u;
  if (rings.size() <= between)
    rings.resize(between + 1, kNoRing);
  rings[between] = ring;
}

/// Finds the connections of the rings of one NIC.
Status NetworkTransport::join(NicEnd &end,
                              const std::vector<std::string> &addresses) {
  std::lock_guard<std::mutex> lock(end.worker.mutex);
  for (const TransportRing &ring : job_.rings) {
    Status status;
    Outgoing &out = outgoing_[ring.ring];
    Incoming &in = incoming_[ring.ring];
    if (out.end == &end)
      status = reach(end, ring.destination, ring.destinationNic,
                     addresses[size_t(ring.destination)], out.to);
    if (in.end == &end && status.ok())
      status = reach(end, ring.source, ring.sourceNic,
                     addresses[size_t(ring.source)], in.from);
    if (!status.ok())
      return status;
    if (out.end == &end)
      noteRing(out.to->outgoing, out.between, ring.ring);
    if (in.end == &end)
      noteRing(in.from->incoming, in.between, ring.ring);
  }
  return {};
}

/// Returns true if all connections are established. Sets `status` if one is
/// lost.
bool NetworkTransport::allGreeted(Status &status) {
  bool all = true;
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends) {
      Worker &worker = end->worker;
      std::lock_guard<std::mutex> lock(worker.mutex);
      worker.progress();
      for (auto &[other, connection] : worker.connections()) {
        if (status.ok() && !connection.endpoint && !connection.lost &&
            (connection.greeted || worker.beginsFirst(connection)))
          status = worker.begin(connection);
        if (connection.lost && status.ok())
          status = {blinkRemoteError, "no connection: ", connection.why};
        all &= connection.greeted;
      }
      all &= worker.openMessages() == 0;
    }
  return all;
}

Status NetworkTransport::notGreeted() const {
  std::vector<std::string> missing;
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends)
      for (auto &[other, connection] : end->worker.connections())
        if (!connection.greeted)
          missing.push_back(textOf(end->worker.name(), ", on ",
                                   end->worker.device(), ", for ",
                                   connection.name));
  return {blinkRemoteError, "waited for connections: ",
          missing.empty() ? "of none" : joined(missing, "; "),
          ": can each device reach the other?"};
}

Status NetworkTransport::connect(const std::vector<std::string> &addresses,
                                 Clock::time_point deadline,
                                 const std::function<Status()> &ended) {
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends)
      if (Status status = join(*end, addresses); !status.ok())
        return status;
  Status status;
  for (PatientBackoff backoff; !allGreeted(status) || !status.ok();
       backoff.wait()) {
    const Clock::time_point now = Clock::now();
    // A moment after UCX notices the broken connection, `ended` knows more
    // about a dead process.
    if (!status.ok())
      deadline = std::min(deadline, now + kDeathIsKnown);
    if (Status why = backoff.sleeping() && ended ? ended() : Status();
        !why.ok())
      return why;
    if (now >= deadline)
      return status.ok() ? notGreeted() : status;
  }
  const Clock::time_point now = Clock::now();
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends)
      for (auto &[other, connection] : end->worker.connections())
        connection.heard = now;
  const Clock::duration beat = silence_ / 10;
  const Clock::duration interval =
      std::min<Clock::duration>(beat / 10, kLongestTurn);
  turnsOfBeat_ = uint32_t(beat / interval);
  if (!heartbeats_.start(interval,
                         [this](Clock::duration late) { turn(late); }))
    return {blinkSystemError, "no thread for heartbeats"};
  return {};
}

//===-- Leaving -----------------------------------------------------------===//

NetworkTransport::~NetworkTransport() {
  if (!heartbeats_.ours()) {
    // In a forked child everything belongs to the parent, including the
    // connections.
    heartbeats_.stop();
    for (auto &ends : ends_)
      for (std::unique_ptr<NicEnd> &end : ends)
        end.release();
    return;
  }
  heartbeats_.stop();
  leave();
  sayWhatWent();
}

/// Says goodbye, and returns when the others have received it, or do not
/// answer. Closing a connection earlier could lose what is on its way to them.
void NetworkTransport::leave() {
  MessageHeader goodbye{};
  goodbye.kind = MessageKind::goodbye;
  goodbye.creditRing = MessageHeader::kNone;
  const Clock::time_point deadline = Clock::now() + kMostForGoodbye;
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends) {
      for (auto &[other, connection] : end->worker.connections())
        if (!connection.left)
          end->worker.send(connection, goodbye);
      end->worker.flush();
    }
  for (uint32_t turns = 0; Clock::now() < deadline; ++turns) {
    bool gone = true;
    for (const auto &ends : ends_)
      for (const std::unique_ptr<NicEnd> &end : ends) {
        end->worker.progress();
        gone &= end->worker.openFlushes() == 0;
      }
    if (gone)
      return;
    if (turns > 100)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void NetworkTransport::sayWhatWent() const {
  for (const auto &ends : ends_)
    for (const std::unique_ptr<NicEnd> &end : ends)
      for (const auto &[other, connection] : end->worker.connections()) {
        const LinkMeter &meter = connection.meter;
        std::string text =
            textOf(end->worker.name(), " to ", connection.name, ": ",
                   connection.bytesSent, " bytes of chunks sent, ",
                   connection.bytesCame, " have come");
        if (meter.seconds() > 0)
          text +=
              textOf("; full for ", uint64_t(meter.seconds()), " s, at ",
                     megabytes(double(meter.bytes()) / meter.seconds()), "/s");
        client_.note(end->worker.rank(), /*warning=*/false, text);
      }
}

//===-- The table ---------------------------------------------------------===//

Status createNetwork(const TransportJob &job, TransportClient &client,
                     std::unique_ptr<Transport> &result) {
  auto transport = std::make_unique<NetworkTransport>(job, client);
  Status status = transport->open();
  if (status.ok())
    result = std::move(transport);
  return status;
}

const TransportEntry kNetworkTransport = {createNetwork,
                                          /*betweenProcesses=*/true};

} // namespace blink::runtime::network
