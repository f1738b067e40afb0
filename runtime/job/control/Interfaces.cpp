//===- Interfaces.cpp - the networks this host is on ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Interfaces.h"

#include "runtime/NetworkSettings.h"
#include "runtime/job/LocalSocket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

namespace blink::runtime {
namespace {

constexpr unsigned char kV4Prefix[12] = {0, 0, 0, 0, 0,   0,
                                         0, 0, 0, 0, 255, 255};

} // namespace

bool HostAddress::isV4() const {
  return std::memcmp(bytes.data(), kV4Prefix, sizeof(kV4Prefix)) == 0;
}

std::string HostAddress::text() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (isV4())
    inet_ntop(AF_INET, bytes.data() + sizeof(kV4Prefix), text, sizeof(text));
  else
    inet_ntop(AF_INET6, bytes.data(), text, sizeof(text));
  return text;
}

socklen_t HostAddress::fill(sockaddr_storage &name, uint16_t port) const {
  name = {};
  if (isV4()) {
    auto &v4 = reinterpret_cast<sockaddr_in &>(name);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, bytes.data() + sizeof(kV4Prefix), 4);
    return sizeof(v4);
  }
  auto &v6 = reinterpret_cast<sockaddr_in6 &>(name);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
  return sizeof(v6);
}

HostAddress HostAddress::of(const sockaddr *name) {
  HostAddress address;
  if (name->sa_family == AF_INET) {
    std::memcpy(address.bytes.data(), kV4Prefix, sizeof(kV4Prefix));
    std::memcpy(address.bytes.data() + sizeof(kV4Prefix),
                &reinterpret_cast<const sockaddr_in *>(name)->sin_addr, 4);
  } else {
    std::memcpy(address.bytes.data(),
                &reinterpret_cast<const sockaddr_in6 *>(name)->sin6_addr, 16);
  }
  return address;
}

Status findInterfaces(std::vector<Interface> &interfaces) {
  ifaddrs *list = nullptr;
  if (getifaddrs(&list) != 0)
    return systemError("cannot list network interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(list, freeifaddrs);
  std::vector<Interface> all;
  for (int family : {AF_INET, AF_INET6})
    for (const ifaddrs *one = list; one; one = one->ifa_next)
      if (isReachable(*one) && one->ifa_addr->sa_family == family &&
          std::none_of(all.begin(), all.end(), [&](const Interface &known) {
            return known.name == one->ifa_name;
          }))
        all.push_back({one->ifa_name, HostAddress::of(one->ifa_addr),
                       (one->ifa_flags & IFF_LOOPBACK) != 0});
  const char *setting = std::getenv("BLINK_SOCKET_IFNAME");
  interfaces = InterfaceFilter(setting).select(all);
  if (!interfaces.empty())
    return {};
  std::vector<std::string> names;
  for (const Interface &one : all)
    names.push_back(one.name);
  if (names.empty())
    return {blinkSystemError, "no network interface is up and has an address"};
  return {blinkInvalidUsage,      "BLINK_SOCKET_IFNAME is `",
          setting ? setting : "", "`, which is none of ",
          joined(names, ", "),    ", the interfaces that are up"};
}

} // namespace blink::runtime
