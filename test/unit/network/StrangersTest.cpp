//===- StrangersTest.cpp - bytes that UCX's ports do not expect -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/network/Pair.h"

#include <arpa/inet.h>
#include <fstream>
#include <netinet/in.h>
#include <random>
#include <set>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the addresses at which some process of this network namespace
/// listens, as (address, port).
std::set<std::pair<uint32_t, uint16_t>> listeners() {
  std::set<std::pair<uint32_t, uint16_t>> all;
  std::ifstream table("/proc/self/net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    if (state == "0A")
      all.emplace(uint32_t(std::stoul(local.substr(0, 8), nullptr, 16)),
                  uint16_t(std::stoul(local.substr(9), nullptr, 16)));
  }
  return all;
}

int connectTo(uint32_t address, uint16_t port) {
  const int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = address;
  if (connect(stranger, reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0)
    return stranger;
  close(stranger);
  return -1;
}

} // namespace

TEST_CASE("garbage at UCX's ports disturbs no connection") {
  setenv("BLINK_HEARTBEAT_MS", "600000", 1); // the other end sends none
  const auto before = listeners();
  WithStranger pair;
  std::minstd_rand random(1);
  std::vector<int> strangers;
  int reached = 0;
  for (int round = 0; round < 40; ++round)
    for (const auto &[address, port] : listeners()) {
      if (before.count({address, port}))
        continue; // another process's listener
      const int stranger = connectTo(address, port);
      if (stranger < 0)
        continue;
      ++reached;
      std::string garbage(random() % 3000, 0);
      for (char &byte : garbage)
        byte = char(round % 4 == 0 ? 0 : random());
      send(stranger, garbage.data(), garbage.size(),
           MSG_NOSIGNAL | MSG_DONTWAIT);
      if (round % 2)
        close(stranger);
      else
        strangers.push_back(stranger);
      pair.carryOn();
    }
  CHECK(reached != 0);
  for (int turn = 0; turn < 1000; ++turn)
    pair.carryOn();
  pair.say(WithStranger::chunk());
  const auto arrived = [&] {
    return pair.client.get(&NotingClient::arrivals) == 1;
  };
  CHECK(eventually([&] { pair.carryOn(); }, arrived));
  CHECK(pair.client.get(&NotingClient::why) == "");
  for (int stranger : strangers)
    close(stranger);
  unsetenv("BLINK_HEARTBEAT_MS");
}
