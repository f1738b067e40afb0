//===- Message.h - what goes over a connection ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every message is one active message: this header, and of chunks the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_MESSAGE_H
#define BLINK_RUNTIME_NETWORK_MESSAGE_H

#include <cstdint>

namespace blink::runtime::network {

enum class MessageKind : uint8_t {
  hello = 1, ///< the first; its sender hears what comes from now on
  chunk,
  credit,    ///< nothing but that
  heartbeat, ///< when there is nothing else to say
  goodbye,   ///< the last: the end of the connection is none by failure
};

/// As it lies in the memory of both ends, which are alike: what is little
/// endian here is so there.
struct MessageHeader {
  /// The receiver's. Who does not know it is of no job that the receiver has.
  uint64_t key;
  uint16_t rank, nic; ///< the sender's
  uint32_t sequence;  ///< of the connection's messages in this direction
  MessageKind kind;
  uint8_t padding;
  uint16_t window;     ///< chunk: the sender's, so how soon it needs credits
  uint32_t ring;       ///< chunk: TransportRing::between
  uint64_t tag;        ///< chunk: as in ChunkMessage, like what follows
  uint64_t offset;     ///< chunk; heartbeat: bytes of chunks that have come
  uint32_t slot;       ///< chunk
  uint32_t creditRing; ///< of which `credit` have been read; or kNone
  uint64_t credit;

  static constexpr uint32_t kNone = ~0u;
};
static_assert(sizeof(MessageHeader) == 56, "no padding");

/// How a rank is reached over one NIC, followed by `bytes` of UCX's address.
struct AddressHeader {
  uint64_t key;
  uint16_t nic;
  uint16_t bytes;
  uint32_t padding;
};

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_MESSAGE_H
