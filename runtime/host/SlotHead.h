//===- SlotHead.h - the head of a slot on the host --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_SLOTHEAD_H
#define BLINK_RUNTIME_HOST_SLOTHEAD_H

#include <cstdint>

namespace blink::runtime {

/// The head of a slot, in a cache line of its own.
struct alignas(64) SlotHead {
  static constexpr uint64_t kSmall = 48;
  static constexpr uint64_t kInPool = uint64_t(1) << 63; ///< no address has it

  uint64_t full; ///< tag of the chunk that the slot holds (core/Ring.h)
  /// The chunk's place. 0: in the slot. With kInPool: in another slot, at the
  /// rest of the word in the pool. With WindowPlace::kBit: in a window of the
  /// writer. Else: at this address of the writer.
  uint64_t address;
  /// The slot of small chunks, so that one line carries everything.
  char small[kSmall];
};

/// The memory that both ends of a ring share, or one end and its transport.
struct RingMemory {
  SlotHead *heads = nullptr;
  char *slots = nullptr;
  uint64_t *freed = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_SLOTHEAD_H
