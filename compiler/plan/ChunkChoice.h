//===- ChunkChoice.h - the slots of a program's channels --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_CHUNKCHOICE_H
#define BLINK_COMPILER_PLAN_CHUNKCHOICE_H

#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

struct ChannelSlots {
  sched::ChunkSizes chunks; ///< the largest chunk fills a slot
  uint32_t slots;           ///< of each channel
};

/// Returns chunks of `asked` bytes or, if that is 0, of what timeOfLarge
/// chooses: small chunks cost a lane many overheads, large ones fill the
/// pipeline late. Each channel gets kSlots slots, or kFewSlots if kSlots would
/// take more than slotBytesOfRank. Fewer slots suffice then: with so many
/// channels a lane returns to one of them only after the chunks of many others.
/// `small`: for messages of kSmallReferenceBytes (timeOfSmall). A sendrecv,
/// which has no pipeline, gets kFewSlots and by default 64 KiB.
ChannelSlots chooseSlots(const FoldProgram &program, uint32_t asked,
                         bool small = false);

/// Gives each channel its slots, and a window to each channel that leaves its
/// machine.
///
/// A window is one chunk and as many more as the channel sends in two round
/// trips at the rate that is planned for its tree's share: enough to keep the
/// channel busy, and little enough for the queues of a network. Chunks are in
/// proportion to shares, hence so are windows in bytes, and a link whose queue
/// serves bytes in the order of arrival gives each channel its planned part.
/// TCP would give every channel the same part.
///
/// If one fold writes several channels that leave the machine, these have twice
/// as many slots, unless that takes more than slotBytesOfRank: the fold can
/// then go on while one of them is slow for a time.
void assignSlots(FoldProgram &program, ChannelSlots slots);

/// Returns the slots of a low_latency program for messages below `maxBytes`.
/// Its lines flow through a fold in waves, so there is nothing to tune: the
/// largest message fills one chunk, and a second slot is for the next call.
/// `asked`, unless 0, can only make chunks smaller.
ChannelSlots chooseSmallSlots(const FoldProgram &program, uint64_t maxBytes,
                              uint32_t asked);

/// What a variant is for.
struct VariantUse {
  sched::Protocol protocol;
  std::optional<uint64_t> maxBytes; ///< exclusive; none: large messages
  uint64_t minBytes = 0;
};

/// Returns the slots of a variant: chooseSmallSlots or chooseSlots. In one
/// machine they are no larger than the largest message needs.
ChannelSlots chooseSlotsFor(const FoldProgram &program, VariantUse use,
                            uint32_t asked);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_CHUNKCHOICE_H
