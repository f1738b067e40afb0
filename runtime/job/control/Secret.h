//===- Secret.h - what only the ranks of a job know -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A secret never crosses a network. A process that has it answers a challenge
// with a keyed hash (HMAC-SHA-256, RFC 2104). Each secret derived from it
// serves one purpose.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_SECRET_H
#define BLINK_RUNTIME_JOB_CONTROL_SECRET_H

#include "runtime/Status.h"

#include <array>
#include <initializer_list>
#include <string_view>

namespace blink::runtime {

using Digest = std::array<unsigned char, 32>;

/// 32 random bytes that cannot be guessed.
struct Secret {
  Digest bytes{};

  /// Returns the keyed hash of the concatenated parts.
  Digest sign(std::initializer_list<std::string_view> parts) const;
  /// Returns another secret, for `purpose`.
  Secret derive(std::string_view purpose) const { return {sign({purpose})}; }
};

/// Returns whether both are equal; takes the same time wherever they differ.
bool sameDigest(const unsigned char *a, const unsigned char *b, size_t bytes);

inline std::string_view viewOf(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

/// Fills `bytes` with random data that cannot be guessed. Errors: system error.
Status fillRandom(void *bytes, size_t size);

/// Checks that secrets can sign; to be called before they do. Errors: the
/// library that is missing.
Status checkSigning();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_SECRET_H
