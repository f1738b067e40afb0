//===- LocalSocket.h - sockets between processes of a machine ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Sockets for messages and files, with names that are in no file system, for
// processes of one user.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_LOCALSOCKET_H
#define BLINK_RUNTIME_JOB_LOCALSOCKET_H

#include "runtime/Status.h"
#include "runtime/job/Descriptor.h"

#include <chrono>
#include <cstdint>

namespace blink::runtime {

/// The name of a socket that listens. Others can see it.
struct SocketName {
  char letters[32];
};

/// By which others find a listener and prove that they may: for memory that
/// nobody else sees. Zero: none.
struct OfferKey {
  SocketName name;
  char secret[64]; ///< they cannot see this
};

/// "what: the system's words", by errno.
Status systemError(const std::string &what);

/// Whether the secret is that of the key. Takes the same time wherever the
/// difference is.
bool isSecretOf(const OfferKey &key, const char *secret);

/// A new name, and a new secret. Errors: system error.
Status makeOfferKey(OfferKey &key);
/// "0123cdef..."
SocketName nameFrom(const unsigned char *bytes, size_t size);
/// A socket that listens at the key's name. Errors: system error.
Status listenAt(const SocketName &name, Descriptor &socket);
/// Both of these.
Status listenLocally(OfferKey &key, Descriptor &socket);
/// A socket that is connected to the listener at `name`; none, with errno, if
/// there is none.
Descriptor connectLocally(const SocketName &name);

/// Whether the other end runs as the same user, and as which process.
bool sameUser(int socket, uint64_t *process = nullptr);

/// Until when sending and receiving wait at most; each from now on.
void setTimeout(int socket, std::chrono::steady_clock::time_point deadline);

/// Sends a message, and a file with it unless that is -1. Receives one of just
/// that many bytes, and the file that comes with it, if any. `flags`: of
/// sendmsg and recvmsg. False, with errno, if it does not work.
bool sendMessage(int socket, const void *message, size_t bytes, int file = -1,
                 int flags = 0);
bool receiveMessage(int socket, void *message, size_t bytes, Descriptor &file,
                    int flags = 0);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_LOCALSOCKET_H
