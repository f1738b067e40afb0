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

/// Which interfaces a setting in the manner of NCCL_SOCKET_IFNAME means:
/// "eth,ib" those whose names begin so, "^docker,lo" all but those, "=eth0"
/// just that one; "" all but loopback.
class InterfaceFilter {
public:
  explicit InterfaceFilter(const std::string &setting);
  bool takes(const std::string &name, bool loopback) const;

private:
  std::vector<std::string> names_;
  bool excludes_ = false, exact_ = false;
};

struct Interface {
  std::string name;
  HostAddress address;
  bool loopback = false;
};

/// Interfaces that are up and have an address that means something elsewhere,
/// one address each, IPv4 before IPv6, as BLINK_SOCKET_IFNAME says; where it
/// says nothing and there is no other, loopback. Errors: the setting takes
/// none; system error.
Status findInterfaces(std::vector<Interface> &interfaces);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_INTERFACES_H
