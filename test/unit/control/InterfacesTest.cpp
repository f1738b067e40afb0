//===- InterfacesTest.cpp - where a process listens -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/NetworkSettings.h"
#include "runtime/job/control/TcpSocket.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::runtime;

namespace {

std::string selected(const char *setting, const std::vector<Interface> &all) {
  std::vector<std::string> names;
  for (const Interface &one : InterfaceFilter(setting).select(all))
    names.push_back(one.name);
  return joined(names, " ");
}

std::string selected(const char *setting) {
  return selected(setting, {{"lo", {}, true},
                            {"docker0", {}, false},
                            {"eth0", {}, false},
                            {"eth1", {}, false},
                            {"ib0", {}, false}});
}

/// Sets a variable of the environment during the object's lifetime.
struct Setting {
  Setting(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name); }
  const char *name;
};

} // namespace

TEST_CASE("interfaces are taken by names as NCCL takes them") {
  CHECK(selected(nullptr) == "eth0 eth1 ib0");
  CHECK(selected("") == "eth0 eth1 ib0");
  CHECK(selected(",") == "eth0 eth1 ib0");
  CHECK(selected("eth") == "eth0 eth1");
  CHECK(selected("ib,eth1") == "eth1 ib0");
  CHECK(selected("=eth") == "");
  CHECK(selected("=eth1,lo") == "lo eth1");
  CHECK(selected("^eth") == "docker0 ib0");
  CHECK(selected("^=eth,eth1") == "docker0 eth0 ib0");
  CHECK(selected("docker") == "docker0");
  CHECK(selected("lo") == "lo");
}

TEST_CASE("where there is nothing better, bridges and loopback serve") {
  const Interface loopback{"lo", {}, true}, bridge{"docker0", {}, false};
  CHECK(selected(nullptr, {loopback, bridge}) == "docker0");
  CHECK(selected(nullptr, {loopback}) == "lo");
  CHECK(selected("^eth", {loopback}) == "");
}

TEST_CASE("a name that no interface has is refused with those there are") {
  const Setting setting("BLINK_SOCKET_IFNAME", "wlan");
  Listener listener;
  const Status status = listenOnNetwork(listener);
  CHECK(status.code == blinkInvalidUsage);
  CHECK(status.text.find("BLINK_SOCKET_IFNAME is `wlan`, which is none of ") ==
        0);
}

TEST_CASE("listening is at the interfaces' addresses alone") {
  const Setting setting("BLINK_SOCKET_IFNAME", "=lo");
  Listener listener;
  REQUIRE(listenOnNetwork(listener).ok());
  REQUIRE(listener.place.count == 1);
  CHECK(listener.place.addresses[0].text() == "127.0.0.1");
  HostAddress other = listener.place.addresses[0];
  other.bytes[15] = 2; // a host has all of 127.0.0.0/8
  Descriptor socket;
  std::string why;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  CHECK(connectWith(other, listener.place.port, end, {}, socket, why).ok());
  CHECK(!socket);
  CHECK(why == "Connection refused");
  CHECK(connectWith(listener.place.addresses[0], listener.place.port, end, {},
                    socket, why)
            .ok());
  CHECK(socket);
}

TEST_CASE("ports are of the range, until all are in use") {
  const Setting interface("BLINK_SOCKET_IFNAME", "=lo");
  // Three ports that are free now; another process may take one meanwhile.
  unsigned first = 0;
  {
    Listener listener;
    REQUIRE(listenOnNetwork(listener).ok());
    first = std::min<unsigned>(listener.place.port, 65000);
  }
  const Setting range("BLINK_PORT_RANGE",
                      std::to_string(first) + "-" + std::to_string(first + 2));
  std::vector<Listener> all;
  Status status;
  while (status.ok() && all.size() < 4) {
    status = listenOnNetwork(all.emplace_back());
    CHECK((!status.ok() || (all.back().place.port >= first &&
                            all.back().place.port <= first + 2)));
  }
  CHECK(status.text == "cannot listen at any port of BLINK_PORT_RANGE, " +
                           std::to_string(first) + " to " +
                           std::to_string(first + 2) +
                           ": Address already in use");
}

TEST_CASE("ranges that are none are refused") {
  for (const char *text : {"5", "5-", "5-4", "0-7", "1-65536", "a-b", "1-2,3-4",
                           "40000-40100 ", "4294967297-4294967300", "-1-5"}) {
    CAPTURE(text);
    const Setting range("BLINK_PORT_RANGE", text);
    Listener listener;
    const Status status = listenOnNetwork(listener);
    CHECK(status.code == blinkInvalidArgument);
    CHECK(status.text.find("expected two ports as in 40000-40100") !=
          std::string::npos);
  }
}

TEST_CASE("addresses of both families have their texts") {
  HostAddress address;
  address.bytes = {0x20, 0x01, 0x0d, 0xb8};
  address.bytes[15] = 1;
  NetworkPlace place;
  CHECK(place.text() == "nowhere");
  CHECK(!place.valid());
  place.port = 80;
  place.count = 1;
  place.addresses[0] = address;
  CHECK(place.text() == "[2001:db8::1]:80");
  CHECK(place.valid());
  sockaddr_storage name;
  address.fill(name, 80);
  CHECK(HostAddress::of(reinterpret_cast<sockaddr *>(&name)) == address);
  place.count = 4;
  CHECK(!place.valid());
}
