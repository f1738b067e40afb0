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

/// An address that means the same on all hosts: an IPv6 address, or an IPv4
/// address as ::ffff:10.0.0.1.
struct HostAddress {
  std::array<unsigned char, 16> bytes{};

  bool isV4() const;
  std::string text() const;
  /// Sets `name` to the address with a port, in the system's form; returns its
  /// size.
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

/// Finds the interfaces that are up, have an address that is valid on other
/// hosts, and are selected by BLINK_SOCKET_IFNAME (InterfaceFilter); one
/// address each, IPv4 rather than IPv6. Errors: it selects none; system error.
Status findInterfaces(std::vector<Interface> &interfaces);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_INTERFACES_H
