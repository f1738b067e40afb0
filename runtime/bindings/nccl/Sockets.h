//===- Sockets.h - TCP, for a few bytes -------------------------*- C++ -*-===//
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

/// Where a socket listens, in bytes that mean the same on all hosts.
struct SocketAddress {
  uint16_t isV6 = 0;
  uint16_t port = 0; ///< in the order of the network
  unsigned char bytes[16] = {};
};

/// A TCP socket. Every wait has a limit.
class Socket {
public:
  Socket() = default;
  Socket(Socket &&other) noexcept : file_(other.file_) { other.file_ = -1; }
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();

  bool isOpen() const { return file_ >= 0; }

  /// Listens on the first interface that is up and no loopback, or whose name
  /// begins as NCCL_SOCKET_IFNAME says. "" or what is wrong.
  std::string listen(SocketAddress &address);
  /// None if nobody has come.
  Socket accept(std::chrono::milliseconds limit) const;
  /// Tries until `deadline`.
  bool connect(const SocketAddress &address,
               std::chrono::steady_clock::time_point deadline);
  /// All of the bytes, or false.
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
