//===- TcpSocket.cpp - listening and connecting between hosts -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/TcpSocket.h"

#include "runtime/job/LocalSocket.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

Status readPortRange(unsigned &first, unsigned &last) {
  first = last = 0;
  const char *text = std::getenv("BLINK_PORT_RANGE");
  char rest;
  if (text && (std::sscanf(text, "%u-%u%c", &first, &last, &rest) != 2 ||
               first == 0 || first > last || last > 65535))
    return {blinkInvalidArgument, "BLINK_PORT_RANGE is '" + std::string(text) +
                                      "', expected two ports as in "
                                      "40000-40100"};
  return {};
}

Descriptor listenAt(int family, uint16_t port) {
  Descriptor socket(
      ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket)
    return socket;
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_storage name{};
  socklen_t size = sizeof(sockaddr_in);
  if (family == AF_INET6) {
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    size = sizeof(sockaddr_in6);
    reinterpret_cast<sockaddr_in6 &>(name).sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in &>(name).sin_port = htons(port);
  }
  name.ss_family = sa_family_t(family);
  if (bind(socket.get(), reinterpret_cast<sockaddr *>(&name), size) != 0 ||
      listen(socket.get(), SOMAXCONN) != 0) {
    const int error = errno;
    socket = Descriptor();
    errno = error;
  }
  return socket;
}

uint16_t portOf(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  getsockname(socket, reinterpret_cast<sockaddr *>(&name), &size);
  return ntohs(name.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 &>(name).sin6_port
                   : reinterpret_cast<sockaddr_in &>(name).sin_port);
}

/// False, with errno: the port is taken.
bool listenAtPort(uint16_t port, bool v4, bool v6, Listener &listener) {
  if (v4) {
    listener.v4 = listenAt(AF_INET, port);
    if (!listener.v4)
      return false;
    port = portOf(listener.v4.get());
  }
  if (v6) {
    listener.v6 = listenAt(AF_INET6, port);
    if (!listener.v6)
      return false;
    port = portOf(listener.v6.get());
  }
  listener.place.port = port;
  return true;
}

} // namespace

std::string NetworkPlace::text() const {
  if (count == 0)
    return "nowhere";
  const std::string address = addresses[0].text();
  return (addresses[0].isV4() ? address : "[" + address + "]") + ":" +
         std::to_string(port);
}

Status listenOnNetwork(Listener &listener) {
  unsigned first, last;
  Status status = readPortRange(first, last);
  std::vector<Interface> interfaces;
  if (status.ok())
    status = findInterfaces(interfaces);
  if (!status.ok())
    return status;
  bool v4 = false, v6 = false;
  listener.place.count = 0;
  for (const Interface &interface : interfaces) {
    if (listener.place.count == NetworkPlace::kMost)
      break;
    listener.place.addresses[listener.place.count++] = interface.address;
    (interface.address.isV4() ? v4 : v6) = true;
  }
  // Any port may be free in one family and taken in the other.
  constexpr unsigned kTries = 16;
  const unsigned count = first == 0 ? kTries : last - first + 1;
  for (unsigned i = 0; i < count; ++i)
    if (listenAtPort(uint16_t(first == 0 ? 0 : first + i), v4, v6, listener))
      return {};
  if (first == 0)
    return systemError("cannot listen for other servers");
  return Status(blinkSystemError,
                "cannot listen at any port of "
                "BLINK_PORT_RANGE, ",
                first, " to ", last, ": ", std::strerror(errno));
}

Descriptor acceptFrom(const Listener &listener) {
  for (const Descriptor *socket : {&listener.v4, &listener.v6})
    if (*socket)
      if (Descriptor client(accept4(socket->get(), nullptr, nullptr,
                                    SOCK_CLOEXEC | SOCK_NONBLOCK));
          client) {
        const int on = 1;
        setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        return client;
      }
  return Descriptor();
}

Descriptor beginConnecting(const HostAddress &address, uint16_t port) {
  sockaddr_storage name;
  const socklen_t size = address.fill(name, port);
  Descriptor socket(
      ::socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket)
    return socket;
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(socket.get(), reinterpret_cast<sockaddr *>(&name), size) != 0 &&
      errno != EINPROGRESS)
    return Descriptor();
  return socket;
}

int finishConnecting(int socket) {
  pollfd ready{socket, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1)
    return 0;
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 ? 1 : -1;
}

Status connectWith(const NetworkPlace &place, Clock::time_point deadline,
                   const std::function<Status()> &ended, Descriptor &socket) {
  constexpr std::chrono::milliseconds kTry{1000}, kPause{20};
  int error = EHOSTUNREACH;
  for (;;) {
    for (size_t i = 0; i < place.count && i < NetworkPlace::kMost; ++i) {
      socket = beginConnecting(place.addresses[i], place.port);
      const Clock::time_point end = std::min(deadline, Clock::now() + kTry);
      int state = socket ? 0 : -1;
      while (state == 0 && Clock::now() < end) {
        pollfd ready{socket.get(), POLLOUT, 0};
        poll(&ready, 1, int(kPause.count()));
        state = finishConnecting(socket.get());
        if (Status why = ended ? ended() : Status(); !why.ok())
          return why;
      }
      if (state == 1)
        return {};
      error = state == 0 ? ETIMEDOUT : errno;
    }
    socket = Descriptor();
    if (Status why = ended ? ended() : Status(); !why.ok())
      return why;
    if (Clock::now() >= deadline)
      return Status(blinkRemoteError, "cannot connect with ", place.text(),
                    ": ", std::strerror(error));
    poll(nullptr, 0, int(kPause.count()));
  }
}

} // namespace blink::runtime
