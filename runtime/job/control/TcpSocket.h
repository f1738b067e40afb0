//===- TcpSocket.h - listening and connecting between hosts -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_TCPSOCKET_H
#define BLINK_RUNTIME_JOB_CONTROL_TCPSOCKET_H

#include "runtime/job/Descriptor.h"
#include "runtime/job/control/Interfaces.h"

#include <chrono>
#include <functional>

namespace blink::runtime {

/// Where somebody listens: at one port of several addresses, in the order in
/// which to try them. Plain: it is a part of ids and messages.
struct NetworkPlace {
  static constexpr size_t kMost = 3;

  uint16_t port = 0;
  uint16_t count = 0;
  HostAddress addresses[kMost];

  std::string text() const; ///< "10.0.0.1:4711"
};

/// Sockets of both families at one port.
struct Listener {
  Descriptor v4, v6; ///< one of them may be none
  NetworkPlace place;
};

/// Listens at all addresses of findInterfaces(), at a port of BLINK_PORT_RANGE
/// ("40000-40100") or any. Errors: the range is not one, or all of it in use;
/// as findInterfaces.
Status listenOnNetwork(Listener &listener);

/// Takes somebody who has connected, without waiting; or nobody.
Descriptor acceptFrom(const Listener &listener);

/// Begins to connect with an address; none if that cannot be begun.
Descriptor beginConnecting(const HostAddress &address, uint16_t port);
/// Whether it is connected by now; -1: it will not be, with errno.
int finishConnecting(int socket);

/// Connects with the first address that answers, trying again until the
/// deadline. Errors: none does; `ended`, asked now and then.
Status connectWith(const NetworkPlace &place,
                   std::chrono::steady_clock::time_point deadline,
                   const std::function<Status()> &ended, Descriptor &socket);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_TCPSOCKET_H
