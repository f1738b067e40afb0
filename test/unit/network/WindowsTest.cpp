//===- WindowsTest.cpp - how many chunks are on their way -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/network/Pair.h"

using namespace blink;
using namespace blink::test;

/// Connects the transport of a job, whose ranks are both here, with itself.
static std::unique_ptr<Transport>
connectTwo(NotingClient &client,
           const TransportJob &job = twoRanks(true, true)) {
  std::unique_ptr<Transport> transport;
  REQUIRE(createNetwork(job, client, transport).ok());
  std::vector<std::string> addresses(2);
  for (int rank : {0, 1})
    REQUIRE(transport->listen(rank, addresses[size_t(rank)]).ok());
  REQUIRE(
      transport->connect(addresses, Clock::now() + std::chrono::seconds(20), {})
          .ok());
  return transport;
}

TEST_CASE("no more chunks are on their way than the window says") {
  for (uint32_t window : {1u, 2u, 5u, 100u}) {
    CAPTURE(window);
    NotingClient client;
    const std::unique_ptr<Transport> transport = connectTwo(client);
    constexpr uint64_t kChunks = 24;
    const std::vector<char> data(8 << 10, 'x');
    for (uint32_t n = 0; n < kChunks; ++n)
      transport->post({0, n, n + 1, n * data.size(), data.size()}, data.data(),
                      {window});
    const auto arrivals = [&] { return client.get(&NotingClient::arrivals); };
    const auto carryOn = [&] {
      bool moved = transport->progress(0, true);
      moved |= transport->progress(1, true);
      return moved;
    };
    for (uint64_t read = 0; read < kChunks; ++read) {
      const uint64_t most = std::min<uint64_t>(read + window, kChunks);
      CHECK(eventually(carryOn, [&] { return arrivals() == most; }));
      for (int quiet = 0; quiet < 20;) // no further chunk arrives
        quiet = carryOn() ? 0 : quiet + 1;
      CHECK(arrivals() == most);
      CHECK(transport->flushed(0) == (most == kChunks));
      transport->credit(0, read + 1);
    }
    CHECK(eventually(carryOn, [&] {
      return client.get(&NotingClient::lastFreed) == kChunks;
    }));
    CHECK(client.memory[kChunks * data.size() - 1] == 'x');
    CHECK(client.memory[kChunks * data.size()] == 0);
    CHECK(client.get(&NotingClient::why) == "");
  }
}

TEST_CASE("credits that nobody waits for do not go by themselves at once") {
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client);
  const auto carryOn = [&] {
    transport->progress(0, true);
    transport->progress(1, true);
  };
  // A reader that loses its processor for long looks too late, but not every
  // time.
  constexpr uint64_t kTimes = 30;
  uint64_t kept = 0;
  for (uint64_t n = 1; n <= kTimes; ++n) {
    transport->post({0, 0, n, 0, 64}, client.memory.data() + 64, {3});
    REQUIRE(eventually(
        carryOn, [&] { return client.get(&NotingClient::arrivals) == n; }));
    transport->credit(0, n);
    for (int turn = 0; turn < 6; ++turn)
      carryOn();
    kept += client.get(&NotingClient::lastFreed) < n;
    // The credits go eventually.
    REQUIRE(eventually(
        carryOn, [&] { return client.get(&NotingClient::lastFreed) == n; }));
  }
  CHECK(kept > 0);
  CHECK(client.get(&NotingClient::why) == "");
}

/// Returns the job of twoRanks(true, true) with a second ring, number 2, from
/// rank 0 to rank 1.
static TransportJob threeRings() {
  TransportJob job = twoRanks(true, true);
  job.rings.push_back({2, 0, 0, 1});
  return job;
}

TEST_CASE("a ring is flushed whatever other rings of its NIC still send") {
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client, threeRings());
  transport->post({2, 0, 1, 0, 64}, client.memory.data() + 64, {100});
  REQUIRE(eventually(
      [&] {
        transport->progress(0, true);
        transport->progress(1, true);
      },
      [&] { return client.get(&NotingClient::arrivals) == 1; }));
  const std::vector<char> data(512 << 10);
  for (uint32_t n = 0; n < 100; ++n) // more than sockets can buffer
    transport->post({0, n, n + 1, 0, data.size()}, data.data(), {1000});
  CHECK(!transport->flushed(0));
  CHECK(transport->flushed(2));
  transport->abandon(0);
}

TEST_CASE("credits go while other rings keep the NIC busy") {
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client, threeRings());
  uint64_t busy = 0; // chunks of ring 2
  const auto carryOn = [&] {
    if (client.get(&NotingClient::arrivals) == busy + 1)
      transport->post({2, 0, ++busy, 0, 64}, client.memory.data() + 64,
                      {60000});
    // Ring 2 always has a chunk on its way when rank 1 makes progress.
    transport->progress(0, true);
    transport->progress(1, true);
  };
  transport->post({0, 0, 1, 0, 64}, client.memory.data() + 64, {3});
  REQUIRE(eventually([&] { carryOn(); }, [&] { return busy == 100; }));
  transport->credit(0, 1);
  CHECK(eventually(carryOn,
                   [&] { return client.get(&NotingClient::lastFreed) == 1; }));
  CHECK(client.get(&NotingClient::why) == "");
}

TEST_CASE("what has been abandoned is not read any more") {
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client);
  constexpr uint64_t kBytes = 512 << 10;
  auto data = std::make_unique<std::vector<char>>(kBytes);
  for (uint32_t n = 0; n < 100; ++n) // more than sockets can buffer
    transport->post({0, n, n + 1, 0, kBytes}, data->data(), {1000});
  CHECK(!transport->flushed(0));
  transport->abandon(0);
  data.reset();
  CHECK(transport->flushed(0));
  for (int i = 0; i < 1000; ++i)
    transport->progress(1, true);
  CHECK(client.get(&NotingClient::arrivals) < 100);
}

namespace {

/// Waits at most `most` ms for the files of `rank` and returns the result of
/// poll(), or -1 if there are no files.
int awaited(Transport &transport, int rank, int most) {
  std::vector<pollfd> files;
  std::chrono::nanoseconds time = std::chrono::hours(1);
  if (!transport.awaitable(rank, files, time))
    return -1;
  return poll(files.data(), nfds_t(files.size()), most);
}

constexpr int kLong = 10000; // ms; UCX itself would wake it after 20 s

} // namespace

TEST_CASE("who sleeps until a chunk comes is woken by it") {
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client);
  for (uint64_t n = 1; n <= 20; ++n) {
    // Heartbeats also arrive, but are not chunks.
    REQUIRE(eventually([&] { transport->progress(1, true); },
                       [&] { return awaited(*transport, 1, 0) == 0; }));
    transport->post({0, 0, n, 0, 64}, client.memory.data() + 64, {100});
    transport->progress(0, true);
    const auto came = [&] { return client.get(&NotingClient::arrivals) == n; };
    for (int turns = 0; turns < 1000 && !came(); ++turns) {
      REQUIRE(awaited(*transport, 1, kLong) != 0);
      transport->progress(1, true);
    }
    REQUIRE(came());
  }
}

TEST_CASE("who sleeps is woken when another thread takes what comes") {
  setenv("BLINK_HEARTBEAT_MS", "1000000", 1); // else heartbeats would wake it
  NotingClient client;
  const std::unique_ptr<Transport> transport = connectTwo(client);
  unsetenv("BLINK_HEARTBEAT_MS");
  REQUIRE(eventually([&] { transport->progress(1, true); },
                     [&] { return awaited(*transport, 1, 0) == 0; }));
  std::vector<pollfd> files;
  std::chrono::nanoseconds time = std::chrono::hours(1);
  REQUIRE(eventually([&] { transport->progress(1, true); },
                     [&] { return transport->awaitable(1, files, time); }));
  transport->post({0, 0, 1, 0, 64}, client.memory.data() + 64, {100});
  std::thread([&] {
    CHECK(eventually(
        [&] {
          transport->progress(0, true);
          transport->progress(1, true);
        },
        [&] { return client.get(&NotingClient::arrivals) == 1; }));
  }).join();
  CHECK(poll(files.data(), nfds_t(files.size()), kLong) > 0);
}
