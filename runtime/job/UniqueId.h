//===- UniqueId.h - what is in a unique id ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_UNIQUEID_H
#define BLINK_RUNTIME_JOB_UNIQUEID_H

#include "runtime/job/LocalSocket.h"
#include "runtime/job/control/Secret.h"
#include "runtime/job/control/TcpSocket.h"

namespace blink::runtime {

/// The 128 bytes of a blinkUniqueId: where the process that made it listens,
/// for processes of its host and of others, and a secret, which proves that a
/// process has the id.
struct IdContent {
  char magic[8];
  unsigned char name[8]; ///< of the socket for processes of the same host
  Secret secret;
  NetworkPlace place; ///< for processes of other hosts; count 0: none
  char reserved[4];
  char spare[BLINK_UNIQUE_ID_SPARE];

  /// The key of the socket for processes of the same host.
  OfferKey localKey() const;
  /// hideSecret() takes the secret out of the id. deriveSecret() puts it in
  /// again for ranks that know `parent`, the secret of the job that the new one
  /// is made from. To everyone else the id is of no use.
  void hideSecret() { secret = {}; }
  void deriveSecret(const Secret &parent);
};
static_assert(sizeof(IdContent) == sizeof(blinkUniqueId));

/// Makes a new name and secret, and no place. Errors: system error.
Status makeContent(IdContent &content);

/// Errors: `id` is not an id.
Status readId(const blinkUniqueId &id, IdContent &content);
blinkUniqueId idOf(const IdContent &content);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_UNIQUEID_H
