//===- FloodTest.cpp - many strangers -------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/control/Ranks.h"

#include <cerrno>
#include <sys/resource.h>

using namespace blink;
using namespace blink::test;

namespace {

/// Connects and stays connected.
Descriptor strangerAt(const NetworkPlace &place) {
  Descriptor socket = beginConnecting(place.addresses[0], place.port);
  REQUIRE(socket);
  CHECK(eventually([&] { return finishConnecting(socket.get()) != 0; }));
  return socket;
}

/// Whether the other end has closed the connection.
bool isClosed(const Descriptor &stranger) {
  char byte;
  const ssize_t got = recv(stranger.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) { // the challenge
    char challenge[64];
    CHECK(recv(stranger.get(), challenge, sizeof(challenge), MSG_DONTWAIT) <=
          32);
    return isClosed(stranger);
  }
  return got == 0 || (errno != EAGAIN && errno != EINTR);
}

} // namespace

TEST_CASE("2,000 strangers while ranks join harm nobody") {
  Ranks ranks(Ranks::servers(4, 2));
  Directory directory(ranks.secret);
  const NetworkPlace place = directory.place();
  constexpr int kStrangers = 2000;
  std::vector<Descriptor> strangers;
  std::thread flood([&] {
    for (int i = 0; i < kStrangers; ++i) {
      strangers.push_back(strangerAt(place));
      const std::string garbage(size_t(i % 100), char(i));
      if (i % 2)
        send(strangers.back().get(), garbage.data(), garbage.size(),
             MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  });
  for (int rank = ranks.count() - 1; rank > 0; --rank)
    ranks.statuses[size_t(rank)] = Status(blinkInternalError, "not yet");
  std::vector<std::thread> threads;
  for (int rank = 1; rank < ranks.count(); ++rank)
    threads.emplace_back([&, rank] { ranks.join(rank, place); });
  flood.join();
  // By now all have been accepted, and few are kept.
  constexpr int kKept = 256;
  CHECK(eventually([&] {
    return std::count_if(strangers.begin(), strangers.end(), isClosed) >=
           kStrangers - kKept;
  }));
  ranks.join(0, place);
  for (std::thread &thread : threads)
    thread.join();
  ranks.expectJoined();
  CHECK(ranks.tellAll(1));
  CHECK(ranks.lost() == "");
}

TEST_CASE("a process without descriptors refuses, and goes on") {
  Listener listener;
  REQUIRE(listenOnNetwork(listener).ok());
  Secret secret;
  Strangers strangers;
  std::vector<Descriptor> clients;
  for (int i = 0; i < 8; ++i)
    clients.push_back(strangerAt(listener.place));
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = rlim_t(dup(0)); // the lowest free number
  close(int(none.rlim_cur));
  const auto readable = [&] {
    std::vector<pollfd> files;
    strangers.addFiles(listener, files);
    return poll(files.data(), files.size(), 0);
  };
  CHECK(readable() > 0);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(strangers.work(listener, secret).empty());
  // poll() does not report the refused connections again and again.
  const int again = readable();
  // With one free descriptor, each new stranger replaces the one before.
  ++none.rlim_cur;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(eventually([&] {
    CHECK(strangers.work(listener, secret).empty());
    return std::count_if(clients.begin(), clients.end(), isClosed) >= 7;
  }));
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(again == 0);
}
