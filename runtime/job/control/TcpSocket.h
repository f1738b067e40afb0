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
#include <string>
#include <vector>

namespace blink::runtime {

/// Where somebody listens: at one port of several addresses, in the order in
/// which to try them. Plain: it is a part of ids and messages.
struct NetworkPlace {
  static constexpr size_t kMost = 3;

  uint16_t port = 0;
  uint16_t count = 0;
  HostAddress addresses[kMost];

  /// Whether it is one: it may have come from outside.
  bool valid() const { return port != 0 && count != 0 && count <= kMost; }
  std::string text() const; ///< "10.0.0.1:4711"
};

/// A socket for each address, all at one port.
struct Listener {
  std::vector<Descriptor> sockets;
  NetworkPlace place;
};

/// Listens at the addresses of findInterfaces(), and no others, at a port of
/// BLINK_PORT_RANGE ("40000-40100") or any. Errors: the range is not one, or
/// all of it in use; as findInterfaces.
Status listenOnNetwork(Listener &listener);

/// Takes somebody who has connected, without waiting; or nobody. `exhausted`:
/// since the process may have no more descriptors, or the system no memory.
Descriptor acceptFrom(const Listener &listener, bool &exhausted);

/// Begins to connect with an address; none if that cannot be begun.
Descriptor beginConnecting(const HostAddress &address, uint16_t port);
/// Whether it is connected by now; -1: it will not be, with errno.
int finishConnecting(int socket);

/// Connects with an address before `end`. No socket: nobody answers there, and
/// `why`. Errors: `ended`, asked now and then.
Status connectWith(const HostAddress &address, uint16_t port,
                   std::chrono::steady_clock::time_point end,
                   const std::function<Status()> &ended, Descriptor &socket,
                   std::string &why);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_TCPSOCKET_H
