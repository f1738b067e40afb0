//===- Interfaces.h - the networks this host is on --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_INTERFACES_H
#define BLINK_RUNTIME_JOB_CONTROL_INTERFACES_H

#include "runtime/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace blink::runtime {

/// An address that means the same on all hosts: IPv6, or IPv4 as
/// ::ffff:10.0.0.1.
struct HostAddress {
  std::array<unsigned char, 16> bytes{};

  bool isV4() const;
  std::string text() const;
  /// With a port, as the system takes it.
  socklen_t fill(sockaddr_storage &name, uint16_t port) const;
  static HostAddress of(const sockaddr *name);
  bool operator==(const HostAddress &other) const {
    return bytes == other.bytes;
  }
};

struct Interface {
  std::string name;
  HostAddress address;
  bool loopback = false;
};

/// Interfaces that are up and have an address that means something elsewhere,
/// one address each, IPv4 before IPv6, that BLINK_SOCKET_IFNAME means
/// (InterfaceFilter). Errors: it means none; system error.
Status findInterfaces(std::vector<Interface> &interfaces);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_INTERFACES_H
