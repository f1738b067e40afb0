//===- LocalSocket.h - sockets between processes of a machine ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Sockets between processes of one user, which carry messages and files. Their
// names are in no file system.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_LOCALSOCKET_H
#define BLINK_RUNTIME_JOB_LOCALSOCKET_H

#include "runtime/Status.h"
#include "runtime/job/Descriptor.h"

#include <chrono>
#include <cstdint>

namespace blink::runtime {

/// The name of a listening socket. Other processes can see it.
struct SocketName {
  char letters[32];
};

/// By which other processes find a listener and prove that they may use it. To
/// be kept in memory that no stranger sees. All zero: no listener.
struct OfferKey {
  SocketName name;
  char secret[64]; ///< other processes cannot see it
};

/// Returns "what: the system's words", the latter for errno.
Status systemError(const std::string &what);

/// Whether `secret` is the key's secret. Takes the same time wherever they
/// differ.
bool isSecretOf(const OfferKey &key, const char *secret);

/// Makes a new name and a new secret. Errors: system error.
Status makeOfferKey(OfferKey &key);
/// Returns the bytes in hexadecimal, "0123cdef...", filled up with zeros.
SocketName nameFrom(const unsigned char *bytes, size_t size);
/// Makes a socket that listens at `name`. Errors: system error.
Status listenAt(const SocketName &name, Descriptor &socket);
/// Calls makeOfferKey() and listenAt().
Status listenLocally(OfferKey &key, Descriptor &socket);
/// Returns a socket that is connected to the listener at `name`; an empty one,
/// with errno set, if there is no listener.
Descriptor connectLocally(const SocketName &name);

/// Returns whether the other end runs as the same user, and sets *process to
/// its process id.
bool sameUser(int socket, uint64_t *process = nullptr);

/// Limits the time that each later send or receive on `socket` may wait, to
/// what remains until `deadline` at the time of this call.
void setTimeout(int socket, std::chrono::steady_clock::time_point deadline);

/// sendMessage sends a message, and a file with it unless that is -1.
/// receiveMessage receives a message of exactly that many bytes, and the file
/// that comes with it, if any. `flags`: as for sendmsg and recvmsg. Both return
/// false, with errno set, on failure.
bool sendMessage(int socket, const void *message, size_t bytes, int file = -1,
                 int flags = 0);
bool receiveMessage(int socket, void *message, size_t bytes, Descriptor &file,
                    int flags = 0);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_LOCALSOCKET_H
