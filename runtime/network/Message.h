//===- Message.h - the messages of a connection -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every message is one active message: this header, and the bytes if it is a
// chunk.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_MESSAGE_H
#define BLINK_RUNTIME_NETWORK_MESSAGE_H

#include <cstdint>

namespace blink::runtime::network {

enum class MessageKind : uint8_t {
  hello = 1, ///< the first; its sender receives what comes from now on
  chunk,
  credit,    ///< a credit only
  heartbeat, ///< sent if there is nothing else to send
  goodbye,   ///< the last: the end of the connection is not a failure
};

/// Lies in the memory of both ends in the same form: both are little-endian, or
/// neither.
struct MessageHeader {
  /// The receiver's key. A sender that does not know it belongs to no job of
  /// the receiver.
  uint64_t key;
  uint16_t rank, nic; ///< the sender's
  uint32_t sequence;  ///< number of the message among those of the connection
                      ///< in this direction
  MessageKind kind;
  uint8_t padding;
  uint16_t window;     ///< chunk: the sender's; says how soon it needs credits
  uint32_t ring;       ///< chunk: TransportRing::between
  uint64_t tag;        ///< chunk: as in ChunkMessage, like the next ones
  uint64_t offset;     ///< chunk: as in ChunkMessage; heartbeat: bytes of
                       ///< chunks that have come
  uint32_t slot;       ///< chunk: as in ChunkMessage
  uint32_t creditRing; ///< the ring of which `credit` chunks have been read; or
                       ///< kNone
  uint64_t credit;

  static constexpr uint32_t kNone = ~0u;
};
static_assert(sizeof(MessageHeader) == 56, "no padding");

/// How to reach a rank over one NIC; followed by `bytes` bytes of UCX's
/// address.
struct AddressHeader {
  uint64_t key;
  uint16_t nic;
  uint16_t bytes;
  uint32_t padding;
};

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_MESSAGE_H
