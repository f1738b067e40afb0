//===- ChunkChoice.h - the slots of a schedule's channels -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_CHUNKCHOICE_H
#define BLINK_COMPILER_PLAN_CHUNKCHOICE_H

#include "compiler/plan/TimeModel.h"

namespace blink {

struct ChannelSlots {
  sched::ChunkSizes chunks; ///< of which the largest are as large as a slot
  uint32_t slots;           ///< of each channel
};

/// Chunks of `asked` bytes, or for 0 as chooseChunk says: small ones cost a
/// lane many overheads, large ones fill the pipeline late. kSlots of them for
/// each channel, or kFewSlots where it would be more than slotBytesOfRank:
/// with so many channels a lane comes to the next chunk of one only after those
/// of many others.
/// `small`: for messages of kSmallReferenceBytes (timeOfSmall).
ChannelSlots chooseSlots(const FoldProgram &program, uint32_t asked,
                         bool small = false);

/// Gives each channel slots, and windows to those that leave their machine.
///
/// A window is a chunk and as many more as the channel sends in two round trips
/// at the rate that its tree's share plans: enough for it to go on, and little
/// enough for the queues of a network. Since chunks are in proportion to
/// shares, so are windows in bytes, and a link whose queue serves bytes as they
/// come gives each channel the part that is planned, where TCP would give all
/// the same.
///
/// Channels that leave the machine, of a fold that writes several of these,
/// have twice as many slots, unless that is more than slotBytesOfRank: the
/// fold goes on while one of them is slow for a time.
void assignSlots(FoldProgram &program, ChannelSlots slots);

/// For a low_latency program of messages below `maxBytes`, whose words flow
/// through a fold one by one: there is nothing to tune. The largest fills two
/// chunks, for two slots; or one, where chunks cannot follow each other
/// closely. `asked`, unless 0, can only make them smaller.
ChannelSlots chooseSmallSlots(const FoldProgram &program, uint64_t maxBytes,
                              uint32_t asked);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_CHUNKCHOICE_H
