//===- Secret.cpp - what only the ranks of a job know ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Secret.h"

#include "runtime/Fork.h"
#include "runtime/job/LocalSocket.h"

#include <atomic>
#include <dlfcn.h>
#include <string>
#include <sys/random.h>

namespace blink::runtime {
namespace {

/// libsodium's int crypto_auth_hmacsha256(out, in, inlen, key).
using SignFunction = int (*)(unsigned char *, const unsigned char *,
                             unsigned long long, const unsigned char *);

SignFunction findSignFunction() {
  for (const char *name : {"libsodium.so.26", "libsodium.so.23"})
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return reinterpret_cast<SignFunction>(
          dlsym(library, "crypto_auth_hmacsha256"));
  return nullptr;
}

/// Loaded when a job needs it, because jobs on one host do without. Null if the
/// library is missing. A child that is forked meanwhile finds the linker's
/// table complete, and the lock free.
SignFunction signFunction() {
  static std::atomic<SignFunction> found{nullptr};
  if (const SignFunction function = found.load(std::memory_order_acquire))
    return function;
  static ForkSafeMutex &mutex = *new ForkSafeMutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const SignFunction function = findSignFunction();
  found.store(function, std::memory_order_release);
  return function;
}

} // namespace

Digest Secret::sign(std::initializer_list<std::string_view> parts) const {
  std::string text;
  for (std::string_view part : parts)
    text.append(part);
  Digest digest{};
  signFunction()(digest.data(),
                 reinterpret_cast<const unsigned char *>(text.data()),
                 text.size(), bytes.data());
  return digest;
}

Status checkSigning() {
  if (signFunction())
    return {};
  return {blinkSystemError,
          "ranks of several servers prove who they are with libsodium, which "
          "cannot be loaded: install it (Debian: libsodium23)"};
}

bool sameDigest(const unsigned char *a, const unsigned char *b, size_t bytes) {
  unsigned difference = 0;
  for (size_t i = 0; i < bytes; ++i)
    difference |= unsigned(a[i] ^ b[i]);
  return difference == 0;
}

Status fillRandom(void *bytes, size_t size) {
  if (getrandom(bytes, size, 0) != ssize_t(size))
    return systemError("cannot get random bytes");
  return {};
}

} // namespace blink::runtime
