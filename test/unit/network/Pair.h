//===- Pair.h - transports of two ranks, for tests --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_NETWORK_PAIR_H
#define BLINK_TEST_UNIT_NETWORK_PAIR_H

#include "runtime/network/NetworkTransport.h"

#include "doctest/doctest.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace blink::test {

using namespace runtime;
using namespace runtime::network;

/// A back end that records what it hears.
struct NotingClient final : TransportClient {
  static constexpr uint64_t kBytes = 1 << 20;
  std::vector<char> memory = std::vector<char>(kBytes);
  std::mutex mutex; ///< guards what follows
  uint64_t arrivals = 0, lastFreed = 0;
  std::string why;     ///< of broken()
  std::string warning; ///< of note()

  char *placeFor(const ChunkMessage &message) override {
    return message.offset > kBytes || message.bytes > kBytes - message.offset
               ? nullptr
               : memory.data() + message.offset;
  }
  void arrived(const ChunkMessage &) override {
    std::lock_guard<std::mutex> lock(mutex);
    ++arrivals;
  }
  void freed(uint32_t, uint64_t number) override {
    std::lock_guard<std::mutex> lock(mutex);
    lastFreed = number;
  }
  void broken(uint32_t, const std::string &text) override {
    std::lock_guard<std::mutex> lock(mutex);
    why = text;
  }
  void note(int, bool isWarning, const std::string &text) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (isWarning)
      warning = text;
  }
  template <typename T> T get(T NotingClient::*member) {
    std::lock_guard<std::mutex> lock(mutex);
    return this->*member;
  }
};

/// Returns a job with ring 0 from rank 0 to rank 1 and ring 1 back.
inline TransportJob twoRanks(bool here0, bool here1) {
  setenv("BLINK_SOCKET_IFNAME", "=lo", 1);
  TransportJob job;
  job.numRanks = 2;
  job.here = {here0, here1};
  // The numbers between the ranks differ from the rings' own, so that a mix-up
  // is found.
  job.rings = {{0, 1, 0, 1}, {1, 0, 1, 0}};
  job.largestChunk = 64 << 10;
  return job;
}

/// Calls `step` until the condition holds; returns false after 20 s, which is
/// far too long.
template <typename Step, typename Condition>
bool eventually(const Step &step, const Condition &condition) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  while (!condition() && Clock::now() < deadline)
    step();
  return condition();
}

/// The transport of rank 0, and a worker that acts as rank 1 and says what the
/// test wants.
struct WithStranger {
  struct Silent final : WorkerClient {
    uint64_t messages = 0;
    bool came(Connection &, const MessageHeader &, uint64_t,
              char *&place) override {
      ++messages;
      place = memory.data();
      return true;
    }
    void complete(Connection &, const MessageHeader &, uint64_t) override {}
    void lost(Connection &) override {}
    std::vector<char> memory = std::vector<char>(NotingClient::kBytes);
  };

  NotingClient client;
  std::unique_ptr<Transport> transport;
  Silent silent;
  std::unique_ptr<Worker> worker =
      std::make_unique<Worker>(1, kAnyNic, "the stranger", Device{"lo", false});
  Connection *connection = nullptr; ///< the stranger's end

  WithStranger() {
    REQUIRE(createNetwork(twoRanks(true, false), client, transport).ok());
    std::string address, other;
    REQUIRE(transport->listen(0, address).ok());
    REQUIRE(worker->open(64 << 10, silent).ok());
    REQUIRE(worker->address(other).ok());
    AddressHeader header;
    REQUIRE(address.size() > sizeof(header));
    std::memcpy(&header, address.data(), sizeof(header));
    connection = &worker->add(0, kAnyNic);
    connection->key = header.key;
    connection->address = address.substr(sizeof(header));
    const auto greet = [&] { // they ask while the transport waits
      worker->progress();
      return connection->greeted && !connection->endpoint
                 ? worker->begin(*connection)
                 : Status();
    };
    const Status status = transport->connect(
        {"", other}, Clock::now() + std::chrono::seconds(20), greet);
    CHECK(status.text == "");
  }

  /// Returns the header of a correct chunk of 8 bytes.
  static MessageHeader chunk() {
    MessageHeader header{};
    header.kind = MessageKind::chunk;
    header.window = 4;
    header.ring = 0;
    header.tag = 1;
    header.creditRing = MessageHeader::kNone;
    return header;
  }
  void say(const MessageHeader &header, uint64_t bytes = 8) {
    worker->send(*connection, header, silent.memory.data(), bytes);
  }
  void carryOn() {
    if (worker)
      worker->progress();
    transport->progress(0, true);
  }
  /// Waits until the connection is broken and returns why.
  std::string end() {
    CHECK(eventually([&] { carryOn(); },
                     [&] { return !client.get(&NotingClient::why).empty(); }));
    return client.get(&NotingClient::why);
  }
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_NETWORK_PAIR_H
