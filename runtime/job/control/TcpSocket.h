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

/// Where a process listens: at one port of several addresses, in the order in
/// which to try them. A plain struct, because it is a part of ids and messages.
struct NetworkPlace {
  static constexpr size_t kMost = 3;

  uint16_t port = 0;
  uint16_t count = 0;
  HostAddress addresses[kMost];

  /// Whether this is a usable place; it may have come from outside.
  bool valid() const { return port != 0 && count != 0 && count <= kMost; }
  std::string text() const; ///< "10.0.0.1:4711"
};

/// A socket for each address, all with the same port.
struct Listener {
  std::vector<Descriptor> sockets;
  NetworkPlace place;
};

/// Listens at the addresses of findInterfaces(), and no others, at a port in
/// BLINK_PORT_RANGE ("40000-40100"), or any port if that is not set. Errors:
/// the range is not valid, or all of it is in use; as findInterfaces.
Status listenOnNetwork(Listener &listener);

/// Accepts a connection without waiting; returns an empty descriptor if there
/// is none. `exhausted` is set if that may be because the process has no more
/// descriptors, or the system no memory.
Descriptor acceptFrom(const Listener &listener, bool &exhausted);

/// Begins to connect to an address; returns an empty descriptor if that cannot
/// be begun.
Descriptor beginConnecting(const HostAddress &address, uint16_t port);
/// Returns 1 if the socket is connected by now, 0 if not yet, and -1, with
/// errno set, if it cannot be.
int finishConnecting(int socket);

/// Connects to an address before `end`. If there is no answer, `socket` is
/// empty, and `why` is set. Errors: that of `ended`, which is called now and
/// then.
Status connectWith(const HostAddress &address, uint16_t port,
                   std::chrono::steady_clock::time_point end,
                   const std::function<Status()> &ended, Descriptor &socket,
                   std::string &why);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_TCPSOCKET_H
