//===- Secret.h - what the ranks of a job know, and nobody else -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A secret never crosses a network: who has it answers a challenge with a keyed
// hash of it (HMAC-SHA-256, RFC 2104), and what is derived from it serves one
// purpose each.
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

/// 32 bytes that nobody can guess.
struct Secret {
  Digest bytes{};

  /// The keyed hash of the parts, one behind the other.
  Digest sign(std::initializer_list<std::string_view> parts) const;
  /// Another secret, for `purpose`.
  Secret derive(std::string_view purpose) const { return {sign({purpose})}; }
};

/// Whether both are the same, in the same time wherever they differ.
bool sameDigest(const unsigned char *a, const unsigned char *b, size_t bytes);

inline std::string_view viewOf(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

/// Bytes that nobody can guess. Errors: system error.
Status fillRandom(void *bytes, size_t size);

/// Whether secrets can sign: before they do. Errors: it says what is missing.
Status checkSigning();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_SECRET_H
