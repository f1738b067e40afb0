//===- LocalSocket.cpp - sockets between processes of a machine -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/LocalSocket.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKind = SOCK_SEQPACKET | SOCK_CLOEXEC;
constexpr std::chrono::seconds kMostConnecting{10};

/// Repeats a call that a signal interrupts, for no longer than the socket's
/// limit of time (`which`) in all.
template <typename Call>
ssize_t untilDone(int socket, int which, const Call &call) {
  const Clock::time_point begin = Clock::now();
  ssize_t result = call();
  if (result >= 0 || errno != EINTR)
    return result;
  timeval limit{};
  socklen_t size = sizeof(limit);
  getsockopt(socket, SOL_SOCKET, which, &limit, &size);
  const auto most = std::chrono::seconds(limit.tv_sec) +
                    std::chrono::microseconds(limit.tv_usec);
  const bool isLimited = most.count() != 0;
  while (result < 0 && errno == EINTR) {
    if (isLimited && Clock::now() - begin >= most) {
      errno = EAGAIN;
      break;
    }
    if (isLimited)
      setTimeout(socket, begin + most);
    result = call();
  }
  return result;
}

sockaddr_un addressOf(const SocketName &name, socklen_t &length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The first byte is 0: an abstract name, which is no file.
  std::memcpy(address.sun_path + 1, name.letters, sizeof(name.letters));
  length = offsetof(sockaddr_un, sun_path) + 1 + sizeof(name.letters);
  return address;
}

/// Fills `bytes` with random data that cannot be guessed. Returns false on
/// failure.
template <typename Bytes> bool fillRandom(Bytes &bytes) {
  return getrandom(&bytes, sizeof(bytes), 0) == ssize_t(sizeof(bytes));
}

} // namespace

Status systemError(const std::string &what) {
  return {blinkSystemError, what + ": " + std::strerror(errno)};
}

bool isSecretOf(const OfferKey &key, const char *secret) {
  unsigned difference = 0;
  for (size_t i = 0; i < sizeof(key.secret); ++i)
    difference |= static_cast<unsigned char>(key.secret[i] ^ secret[i]);
  return difference == 0;
}

SocketName nameFrom(const unsigned char *bytes, size_t size) {
  SocketName name;
  for (size_t i = 0; i < sizeof(name.letters) / 2; ++i) {
    const unsigned char byte = i < size ? bytes[i] : 0;
    name.letters[2 * i] = "0123456789abcdef"[byte >> 4];
    name.letters[2 * i + 1] = "0123456789abcdef"[byte & 15];
  }
  return name;
}

Status makeOfferKey(OfferKey &key) {
  unsigned char random[sizeof(key.name.letters) / 2];
  if (!fillRandom(key.secret) || !fillRandom(random))
    return systemError("cannot get random bytes");
  key.name = nameFrom(random, sizeof(random));
  return {};
}

Status listenAt(const SocketName &name, Descriptor &socket) {
  socket = Descriptor(::socket(AF_UNIX, kKind, 0));
  socklen_t length;
  const sockaddr_un address = addressOf(name, length);
  if (!socket ||
      bind(socket.get(), reinterpret_cast<const sockaddr *>(&address),
           length) != 0 ||
      listen(socket.get(), 128) != 0)
    return systemError("cannot listen for the other ranks");
  return {};
}

Status listenLocally(OfferKey &key, Descriptor &socket) {
  const Status status = makeOfferKey(key);
  return status.ok() ? listenAt(key.name, socket) : status;
}

Descriptor connectLocally(const SocketName &name) {
  Descriptor socket(::socket(AF_UNIX, kKind, 0));
  socklen_t length;
  const sockaddr_un address = addressOf(name, length);
  if (socket) // for a listener that is stopped and has no room for more
    setTimeout(socket.get(), Clock::now() + kMostConnecting);
  if (socket && untilDone(socket.get(), SO_SNDTIMEO, [&] {
                  return connect(socket.get(),
                                 reinterpret_cast<const sockaddr *>(&address),
                                 length);
                }) == 0)
    return socket;
  const int error = errno;
  socket = Descriptor();
  errno = error;
  return Descriptor();
}

bool sameUser(int socket, uint64_t *process) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  const bool known =
      getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  if (process)
    *process = uint64_t(peer.pid);
  return known && peer.uid == geteuid();
}

void setTimeout(int socket, std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - Clock::now());
  const auto ms = std::max<int64_t>(left.count(), 1); // 0 would be no limit
  timeval limit{ms / 1000, ms % 1000 * 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

namespace {

/// A message with room for one file beside it.
struct Envelope {
  iovec data;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};

  Envelope(void *bytes, size_t count) : data{bytes, count} {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
  }
};

} // namespace

bool sendMessage(int socket, const void *message, size_t bytes, int file,
                 int flags) {
  Envelope envelope(const_cast<void *>(message), bytes);
  if (file >= 0) {
    cmsghdr *header = CMSG_FIRSTHDR(&envelope.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof(int));
  } else {
    envelope.message.msg_control = nullptr;
    envelope.message.msg_controllen = 0;
  }
  return untilDone(socket, SO_SNDTIMEO, [&] {
           return sendmsg(socket, &envelope.message, flags | MSG_NOSIGNAL);
         }) == ssize_t(bytes);
}

bool receiveMessage(int socket, void *message, size_t bytes, Descriptor &file,
                    int flags) {
  Envelope envelope(message, bytes);
  const ssize_t received = untilDone(socket, SO_RCVTIMEO, [&] {
    return recvmsg(socket, &envelope.message, flags | MSG_CMSG_CLOEXEC);
  });
  const cmsghdr *header =
      received >= 0 ? CMSG_FIRSTHDR(&envelope.message) : nullptr;
  if (header && header->cmsg_type == SCM_RIGHTS) {
    int number;
    std::memcpy(&number, CMSG_DATA(header), sizeof(int));
    file = Descriptor(number);
  }
  return received == ssize_t(bytes);
}

} // namespace blink::runtime
