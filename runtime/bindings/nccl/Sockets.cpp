//===- Sockets.cpp - TCP for a few bytes ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Sockets.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace blink::nccl {
namespace {

using Clock = std::chrono::steady_clock;

/// An address of either family.
struct Name {
  sockaddr_storage storage{};

  explicit Name(const SocketAddress &address) {
    if (address.isV6) {
      auto &v6 = reinterpret_cast<sockaddr_in6 &>(storage);
      v6.sin6_family = AF_INET6;
      v6.sin6_port = address.port;
      std::memcpy(&v6.sin6_addr, address.bytes, sizeof(v6.sin6_addr));
    } else {
      auto &v4 = reinterpret_cast<sockaddr_in &>(storage);
      v4.sin_family = AF_INET;
      v4.sin_port = address.port;
      std::memcpy(&v4.sin_addr, address.bytes, sizeof(v4.sin_addr));
    }
  }
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&storage);
  }
  socklen_t size() const {
    return storage.ss_family == AF_INET6 ? sizeof(sockaddr_in6)
                                         : sizeof(sockaddr_in);
  }
};

bool isUsable(const ifaddrs &interface) {
  if (!interface.ifa_addr || !(interface.ifa_flags & IFF_UP))
    return false;
  const int family = interface.ifa_addr->sa_family;
  if (family == AF_INET6) { // only addresses that are valid on other hosts
    const auto *v6 = reinterpret_cast<sockaddr_in6 *>(interface.ifa_addr);
    return !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
  }
  return family == AF_INET;
}

SocketAddress addressOf(const sockaddr *name) {
  SocketAddress address;
  address.isV6 = name->sa_family == AF_INET6;
  if (address.isV6)
    std::memcpy(address.bytes,
                &reinterpret_cast<const sockaddr_in6 *>(name)->sin6_addr, 16);
  else
    std::memcpy(address.bytes,
                &reinterpret_cast<const sockaddr_in *>(name)->sin_addr, 4);
  return address;
}

/// Returns false if there is no such interface.
bool findInterface(SocketAddress &address) {
  const char *wanted = std::getenv("NCCL_SOCKET_IFNAME");
  wanted = wanted ? wanted : "";
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return false;
  const ifaddrs *best = nullptr;
  for (const ifaddrs *one = all; one; one = one->ifa_next) {
    if (!isUsable(*one) ||
        std::strncmp(one->ifa_name, wanted, std::strlen(wanted)) != 0)
      continue;
    const bool loop = (one->ifa_flags & IFF_LOOPBACK) != 0;
    if (!best || ((best->ifa_flags & IFF_LOOPBACK) != 0 && !loop))
      best = one;
  }
  if (best)
    address = addressOf(best->ifa_addr);
  freeifaddrs(all);
  return best != nullptr;
}

/// Signals of the application do not end the wait early.
bool waitFor(int file, short events, std::chrono::milliseconds limit) {
  pollfd waiting{file, events, 0};
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    const int ready = poll(&waiting, 1, int(limit.count()));
    if (ready >= 0 || errno != EINTR)
      return ready == 1;
    limit = std::max(std::chrono::duration_cast<std::chrono::milliseconds>(
                         end - Clock::now()),
                     std::chrono::milliseconds(0));
  }
}

} // namespace

Socket &Socket::operator=(Socket &&other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Socket::~Socket() {
  if (file_ >= 0)
    close(file_);
}

std::string Socket::listen(SocketAddress &address) {
  if (!findInterface(address))
    return "no network interface is up, or none is called as "
           "NCCL_SOCKET_IFNAME says";
  const Name name(address);
  *this = Socket(socket(name.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (file_ < 0 || bind(file_, name.get(), name.size()) != 0 ||
      ::listen(file_, SOMAXCONN) != 0 ||
      getsockname(file_, reinterpret_cast<sockaddr *>(&bound), &size) != 0)
    return std::string("cannot listen for other ranks: ") +
           std::strerror(errno);
  address.port = address.isV6
                     ? reinterpret_cast<sockaddr_in6 &>(bound).sin6_port
                     : reinterpret_cast<sockaddr_in &>(bound).sin_port;
  return "";
}

Socket Socket::accept(std::chrono::milliseconds limit) const {
  if (!waitFor(file_, POLLIN, limit))
    return {};
  return Socket(accept4(file_, nullptr, nullptr, SOCK_CLOEXEC));
}

bool Socket::connect(const SocketAddress &address, Clock::time_point deadline) {
  const Name name(address);
  do {
    *this = Socket(socket(name.storage.ss_family,
                          SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (file_ < 0)
      return false;
    if (::connect(file_, name.get(), name.size()) == 0)
      return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    int error = errno;
    socklen_t size = sizeof(error);
    if (error == EINPROGRESS && left.count() > 0 &&
        waitFor(file_, POLLOUT, left))
      getsockopt(file_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0)
      return true;
    poll(nullptr, 0, 10); // the listener may be there soon
  } while (Clock::now() < deadline);
  return false;
}

bool Socket::send(const void *bytes, size_t size) const {
  const char *next = static_cast<const char *>(bytes);
  while (size != 0) {
    if (!waitFor(file_, POLLOUT, std::chrono::seconds(2)))
      return false;
    const ssize_t sent = ::send(file_, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    next += sent;
    size -= size_t(sent);
  }
  return true;
}

bool Socket::receive(void *bytes, size_t size,
                     std::chrono::milliseconds limit) const {
  const Clock::time_point end = Clock::now() + limit;
  char *next = static_cast<char *>(bytes);
  while (size != 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0 || !waitFor(file_, POLLIN, left))
      return false;
    const ssize_t received = recv(file_, next, size, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    next += received;
    size -= size_t(received);
  }
  return true;
}

} // namespace blink::nccl
