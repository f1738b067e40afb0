//===- NetworkSettings.h - network settings in the environment --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What both the control plane (job/control/) and the transport (network/) take
// from the environment. Inline, because the transport is a module of its own.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORKSETTINGS_H
#define BLINK_RUNTIME_NETWORKSETTINGS_H

#include "runtime/Status.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <vector>

namespace blink::runtime {

/// Returns true if other hosts can reach this host by the address of an
/// interface: it is up, has a carrier (UCX accepts no others), and the address
/// is valid on more than one link.
inline bool isReachable(const ifaddrs &one) {
  constexpr unsigned kRunning = IFF_UP | IFF_RUNNING;
  if (!one.ifa_addr || (one.ifa_flags & kRunning) != kRunning)
    return false;
  if (one.ifa_addr->sa_family == AF_INET)
    return true;
  return one.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(
             &reinterpret_cast<const sockaddr_in6 *>(one.ifa_addr)->sin6_addr);
}

/// The interfaces that BLINK_SOCKET_IFNAME selects, with the syntax of
/// NCCL_SOCKET_IFNAME: "eth,ib" selects those whose names begin with one of
/// these, "=eth0" just that one, "^docker" all except those and loopback. ""
/// selects all except loopback and the bridges that container engines give
/// every host with the same addresses; if there are no others, it selects those
/// there are.
class InterfaceFilter {
public:
  explicit InterfaceFilter(const char *setting) {
    std::string list = setting ? setting : "";
    const auto takeOff = [&list](char sign) {
      const bool there = !list.empty() && list[0] == sign;
      list.erase(0, there ? 1 : 0);
      return there;
    };
    excludes_ = takeOff('^');
    exact_ = takeOff('=');
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');)
      if (!name.empty())
        names_.push_back(name);
  }

  /// Selects from `all`, the interfaces that are up, and keeps their order. An
  /// Interface has a `name` and a flag `loopback`.
  template <typename Interface>
  std::vector<Interface> select(const std::vector<Interface> &all) const {
    const auto those = [&all](const auto &condition) {
      std::vector<Interface> some;
      std::copy_if(all.begin(), all.end(), std::back_inserter(some), condition);
      return some;
    };
    // A user who excludes names does not want loopback either.
    if (!names_.empty())
      return those([this](const Interface &one) {
        return excludes_ ? !names(one.name) && !one.loopback : names(one.name);
      });
    std::vector<Interface> usual = those([](const Interface &one) {
      return !one.loopback && !begins(one.name, "docker") &&
             !begins(one.name, "virbr");
    });
    if (usual.empty())
      usual = those([](const Interface &one) { return !one.loopback; });
    return usual.empty() ? all : usual;
  }

private:
  static bool begins(const std::string &name, const std::string &prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
  }
  bool names(const std::string &name) const {
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string &want) {
                         return exact_ ? name == want : begins(name, want);
                       });
  }

  std::vector<std::string> names_;
  bool excludes_ = false, exact_ = false;
};

/// Sets `silence` to BLINK_HEARTBEAT_MS if that is set. Errors: the value is
/// not a time from 20 to 3600000 ms.
inline Status readSilence(std::chrono::milliseconds &silence) {
  const char *text = std::getenv("BLINK_HEARTBEAT_MS");
  if (!text || !*text)
    return {};
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end || value < 20 || value > 3600 * 1000)
    return {blinkInvalidArgument, "BLINK_HEARTBEAT_MS is `", text,
            "`: expected 20 to 3600000, the milliseconds of silence after "
            "which a rank or connection counts as lost"};
  silence = std::chrono::milliseconds(value);
  return {};
}

/// Sets `part` to BLINK_LEAST_RATE, a fraction of the rate that a schedule
/// plans, if that is set. Errors: the value is not a number from 0 to 1.
inline Status readLeastRate(double &part) {
  const char *text = std::getenv("BLINK_LEAST_RATE");
  if (!text || !*text)
    return {};
  char *end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end || !(value >= 0 && value <= 1))
    return {blinkInvalidArgument, "BLINK_LEAST_RATE is `", text,
            "`: expected 0 to 1, the part of its planned rate that a full "
            "connection to another server must carry; 0 is any"};
  part = value;
  return {};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_NETWORKSETTINGS_H
