//===- Ring.h - the protocol of a ring of slots -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A ring carries the chunks of a channel from one writing lane to one reading
// lane. Chunks are numbered from 0 since the communicator was made, and the
// numbers never go back: neither launches nor collectives reset them.
//
//   writer                                      reader
//   wait until chunk n fits: freed > n - slots
//   fill slot n % slots
//   full[n % slots] = tag(n), release   ----->  wait until full == tag(n)
//                                               read the slot
//   sees freed, acquire                 <-----  freed = n + 1, release
//
// `full` is in the reader's memory and `freed` in the writer's, so each end
// polls its own memory. Each word has one writer. Release and acquire suffice:
// a lane waits for one word at a time only, and no decision depends on the
// order of two. test/models/ring.pml is a model of this protocol, which spin
// checks.
//
// Rings outlive calls, and variants with other slots use the same memory: the
// first chunk of another layout waits until the ring is empty.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_RING_H
#define BLINK_RUNTIME_CORE_RING_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// Tags of full slots. The low bits hold the chunk's number + 1, so that zeroed
/// memory is no tag. Above them is the call's signature, which tells a reader
/// whether the writer is in the same collective. Tags are compared for
/// equality. The low bits wrap after 2^40 chunks. That does no harm if slots
/// are filled in turn; a slot that only some variants use would have to lie
/// idle for an exact multiple of 2^40 chunks to be mistaken.
inline constexpr unsigned kNumberBits = 40;
inline constexpr uint64_t kNumberMask = (uint64_t(1) << kNumberBits) - 1;

BLINK_HOST_DEVICE constexpr uint64_t makeTag(uint64_t number,
                                             uint64_t signature) {
  return ((number + 1) & kNumberMask) | signature << kNumberBits;
}
/// Whether the slot with `tag` holds chunk `number`, whatever the call.
BLINK_HOST_DEVICE constexpr bool holdsChunk(uint64_t tag, uint64_t number) {
  return ((tag ^ (number + 1)) & kNumberMask) == 0;
}

/// Returns the value that `freed` must reach before chunk `number` may be
/// written into a ring of `slots` slots. If the layout changes, all chunks
/// before it must have been freed.
BLINK_HOST_DEVICE constexpr uint64_t
freedNeeded(uint64_t number, uint32_t slots, bool newLayout) {
  if (newLayout)
    return number;
  return number + 1 > slots ? number + 1 - slots : 0;
}

/// The part of a call's hash that fits into a tag.
BLINK_HOST_DEVICE constexpr uint64_t signatureBits(uint64_t hash) {
  return hash >> kNumberBits;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_RING_H
