//===- DirectoryTest.cpp - asking for the hub's place ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/control/Ranks.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns 127.0.0.n.
HostAddress loopback(unsigned char n) {
  HostAddress address;
  address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, n};
  return address;
}

NetworkPlace placeAt(uint16_t port, std::vector<HostAddress> addresses) {
  NetworkPlace place;
  place.port = port;
  place.count = uint16_t(addresses.size());
  std::copy(addresses.begin(), addresses.end(), place.addresses);
  return place;
}

const NetworkPlace kHub = placeAt(4711, {loopback(7)});

Status find(const NetworkPlace &directory, const Secret &secret, int numRanks,
            int rank, NetworkPlace &hub,
            std::chrono::milliseconds time = std::chrono::seconds(60)) {
  return findHub(secret, directory, numRanks, rank, Clock::now() + time, {},
                 hub);
}

bool has(const std::string &text, const char *part) {
  const bool there = text.find(part) != std::string::npos;
  if (!there)
    MESSAGE(text);
  return there;
}

} // namespace

TEST_CASE("ranks are told where rank 0 is, whoever comes first") {
  const Secret secret = secretOf('s');
  Directory directory(secret);
  std::vector<std::thread> threads;
  std::vector<NetworkPlace> hubs(5);
  std::vector<Status> statuses(5);
  hubs[0] = kHub;
  for (int rank = 4; rank >= 0; --rank)
    threads.emplace_back([&, rank] {
      statuses[size_t(rank)] =
          find(directory.place(), secret, 5, rank, hubs[size_t(rank)]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int rank = 0; rank < 5; ++rank) {
    CHECK(statuses[size_t(rank)].text == "");
    CHECK(hubs[size_t(rank)].text() == "127.0.0.7:4711");
  }
  CHECK(directory.complete());
}

TEST_CASE("another id's secret opens nothing") {
  Directory directory(secretOf('s'));
  NetworkPlace hub = kHub;
  const Status status = find(directory.place(), secretOf('t'), 2, 0, hub,
                             std::chrono::milliseconds(300));
  CHECK(status.code == blinkRemoteError);
  CHECK(has(status.text, "no process answers for the unique id at "));
  CHECK(has(status.text, "it has hung up"));
  CHECK(!directory.complete());
}

TEST_CASE("nobody there, and a directory that ends, are told apart") {
  const Secret secret = secretOf('s');
  auto directory = std::make_unique<Directory>(secret);
  const NetworkPlace place = directory->place();
  NetworkPlace hub;
  Status status;
  std::thread asker([&] {
    do
      status = find(place, secret, 2, 1, hub);
    while (status.text == "rank 1 has joined already");
  });
  // The asker has been let in as soon as another one of the same rank is
  // refused.
  std::string second;
  CHECK(eventually([&] {
    NetworkPlace none;
    second =
        find(place, secret, 2, 1, none, std::chrono::milliseconds(50)).text;
    return second == "rank 1 has joined already";
  }));
  directory.reset();
  asker.join();
  CHECK(has(status.text, "the process that called blinkGetUniqueId has ended, "
                         "or cannot be reached any more, before rank 0 had "
                         "joined"));
  status = find(place, secret, 2, 1, hub, std::chrono::milliseconds(100));
  CHECK(has(status.text, "has ended, or cannot be reached: "));
  CHECK(has(status.text, "Connection refused"));
}

TEST_CASE("a rank that died while it asked may ask again") {
  const Secret secret = secretOf('s');
  Directory directory(secret);
  NetworkPlace hub;
  // The rank gives up before rank 0 comes.
  CHECK(has(
      find(directory.place(), secret, 2, 1, hub, std::chrono::milliseconds(50))
          .text,
      "waited for rank 0"));
  Status status;
  std::thread again([&] {
    do
      status = find(directory.place(), secret, 2, 1, hub);
    while (status.text == "rank 1 has joined already");
  });
  NetworkPlace own = kHub;
  CHECK(find(directory.place(), secret, 2, 0, own).ok());
  again.join();
  CHECK(status.text == "");
  CHECK(hub.text() == kHub.text());
  CHECK(directory.complete());
}

TEST_CASE("addresses that lead elsewhere are passed over") {
  const Secret secret = secretOf('s');
  setenv("BLINK_SOCKET_IFNAME", "=lo", 1);
  Directory directory(secret);
  const uint16_t port = directory.place().port;
  // At the same port there are another job's directory and a listener that says
  // nothing, and one address has no host.
  setenv("BLINK_PORT_RANGE",
         (std::to_string(port) + "-" + std::to_string(port)).c_str(), 1);
  Descriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage name;
  const socklen_t size = loopback(9).fill(name, port);
  REQUIRE(bind(silent.get(), reinterpret_cast<sockaddr *>(&name), size) == 0);
  REQUIRE(listen(silent.get(), 8) == 0);
  unsetenv("BLINK_PORT_RANGE");
  unsetenv("BLINK_SOCKET_IFNAME");
  NetworkPlace hub = kHub;
  const Status status =
      find(placeAt(port, {loopback(8), loopback(9), loopback(1)}), secret, 1, 0,
           hub);
  CHECK(status.text == "");
}

TEST_CASE("a rank at another one's listener is proven nothing") {
  // Within one job, if addresses mean different hosts: the listener of a rank
  // does not answer a rank that looks for the directory.
  Ranks ranks({0, 1});
  Directory directory(ranks.secret);
  ranks.joinAll(directory.place());
  ranks.expectJoined();
  NetworkPlace hub = kHub;
  Listener own;
  REQUIRE(listenOnNetwork(own).ok());
  Strangers strangers;
  std::atomic<bool> ends{false};
  std::thread rank([&] {
    while (!ends.load(std::memory_order_relaxed)) {
      CHECK(strangers.work(own, ranks.secret.derive("hub 1")).empty());
      std::this_thread::yield();
    }
  });
  const Status status =
      find(own.place, ranks.secret, 2, 0, hub, std::chrono::milliseconds(200));
  ends.store(true, std::memory_order_relaxed);
  rank.join();
  CHECK(has(status.text, "it has hung up"));
}

TEST_CASE("an id without a place, or with too many, is none") {
  NetworkPlace hub = kHub, none;
  CHECK(find(none, secretOf('s'), 2, 0, hub).code == blinkInvalidArgument);
  none.port = 1;
  none.count = 4;
  CHECK(find(none, secretOf('s'), 2, 0, hub).code == blinkInvalidArgument);
  CHECK(none.text() != "");
}
