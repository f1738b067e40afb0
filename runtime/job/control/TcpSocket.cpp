//===- TcpSocket.cpp - listening and connecting between hosts -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/TcpSocket.h"

#include "runtime/job/LocalSocket.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads BLINK_PORT_RANGE; 0 to 0 means any port.
Status readPortRange(unsigned &first, unsigned &last) {
  first = last = 0;
  const char *text = std::getenv("BLINK_PORT_RANGE");
  if (!text || !*text)
    return {};
  const char *end = text + std::strlen(text);
  const auto one = std::from_chars(text, end, first);
  const bool dash = one.ec == std::errc() && one.ptr != end && *one.ptr == '-';
  const auto two = std::from_chars(dash ? one.ptr + 1 : end, end, last);
  if (two.ec == std::errc() && two.ptr == end && first != 0 && first <= last &&
      last <= 65535)
    return {};
  return {blinkInvalidArgument, "BLINK_PORT_RANGE is `", text,
          "`, expected two ports as in 40000-40100"};
}

Descriptor listenAt(const HostAddress &address, uint16_t port) {
  sockaddr_storage name;
  const socklen_t size = address.fill(name, port);
  Descriptor socket(
      ::socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket)
    return socket;
  // Connections of a job that has ended must not keep its port in use.
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
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

/// Listens at the first few addresses where that is possible; an address that
/// was just configured may not be usable yet. Returns false, with errno set, if
/// the port is taken or there is no such address.
bool listenAtPort(uint16_t port, const std::vector<Interface> &interfaces,
                  Listener &listener) {
  listener = Listener();
  NetworkPlace &place = listener.place;
  for (const Interface &interface : interfaces) {
    if (place.count == NetworkPlace::kMost)
      break;
    Descriptor socket = listenAt(interface.address, port);
    if (!socket && errno == EADDRNOTAVAIL)
      continue;
    if (!socket)
      return false;
    place.port = port = portOf(socket.get());
    place.addresses[place.count++] = interface.address;
    listener.sockets.push_back(std::move(socket));
  }
  return place.count != 0;
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
  // A port that is free at one address may be taken at another.
  constexpr unsigned kTries = 16;
  const unsigned count = first == 0 ? kTries : last - first + 1;
  for (unsigned i = 0; i < count; ++i)
    if (listenAtPort(uint16_t(first == 0 ? 0 : first + i), interfaces,
                     listener))
      return {};
  if (first == 0)
    return systemError("cannot listen for other servers");
  return Status(blinkSystemError,
                "cannot listen at any port of "
                "BLINK_PORT_RANGE, ",
                first, " to ", last, ": ", std::strerror(errno));
}

Descriptor acceptFrom(const Listener &listener, bool &exhausted) {
  exhausted = false;
  for (const Descriptor &socket : listener.sockets) {
    Descriptor client(
        accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) {
      const int on = 1;
      setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      return client;
    }
    exhausted |= errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                 errno == ENOMEM;
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

Status connectWith(const HostAddress &address, uint16_t port,
                   Clock::time_point end, const std::function<Status()> &ended,
                   Descriptor &socket, std::string &why) {
  constexpr int kPause = 20; // ms, between calls of `ended`
  socket = beginConnecting(address, port);
  int state = socket ? 0 : -1, error = errno;
  while (state == 0 && Clock::now() < end) {
    pollfd ready{socket.get(), POLLOUT, 0};
    poll(&ready, 1, kPause);
    state = finishConnecting(socket.get());
    error = errno;
    if (Status over = ended ? ended() : Status(); !over.ok())
      return over;
  }
  if (state != 1) {
    why = std::strerror(state == 0 ? ETIMEDOUT : error);
    socket = Descriptor();
  }
  return {};
}

} // namespace blink::runtime
