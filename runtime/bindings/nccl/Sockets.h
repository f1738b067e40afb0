//===- Sockets.h - TCP for a few bytes --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_SOCKETS_H
#define BLINK_RUNTIME_BINDINGS_NCCL_SOCKETS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace blink::nccl {

/// Where a socket listens, in a form that is the same on all hosts.
struct SocketAddress {
  uint16_t isV6 = 0;
  uint16_t port = 0; ///< in network byte order
  unsigned char bytes[16] = {};
};

/// A TCP socket. Every wait has a time limit.
class Socket {
public:
  Socket() = default;
  Socket(Socket &&other) noexcept : file_(other.file_) { other.file_ = -1; }
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();

  bool isOpen() const { return file_ >= 0; }

  /// Listens on the first interface that is up and whose name begins with
  /// NCCL_SOCKET_IFNAME, if that is set; loopback only if there is no other.
  /// Returns "" or what is wrong.
  std::string listen(SocketAddress &address);
  /// Returns a closed socket if no connection comes within `limit`.
  Socket accept(std::chrono::milliseconds limit) const;
  /// Tries until `deadline`.
  bool connect(const SocketAddress &address,
               std::chrono::steady_clock::time_point deadline);
  /// Send or receive all of the bytes; return false on failure.
  bool send(const void *bytes, size_t size) const;
  bool receive(
      void *bytes, size_t size,
      std::chrono::milliseconds limit = std::chrono::milliseconds(2000)) const;

private:
  explicit Socket(int file) : file_(file) {}
  int file_ = -1;
};

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_SOCKETS_H
