//===- Launch.h - what a kernel is told -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs between the host side, which fills them, and lanes on a device,
// which read them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LAUNCH_H
#define BLINK_RUNTIME_CUDA_LAUNCH_H

#include "runtime/core/Program.h"
#include "runtime/core/TraceEvent.h"
#include "runtime/flight/FlightPage.h"

namespace blink::runtime {

/// Ranks of one device that a kernel runs together, so that their lanes are
/// resident at the same time.
inline constexpr uint32_t kMaxLaunchRanks = 32;
/// Operands of a step that a lane can hold.
inline constexpr uint32_t kMaxOperands = 256;

/// Where a buffer is, as its rank posts it to the other end of a channel: 0,
/// nowhere that end can reach; else its address, or, where the ends' addresses
/// differ, a window (a registered buffer) above an offset.
inline constexpr unsigned kOffsetBits = 48;
inline constexpr uint64_t kOffsetMask = (uint64_t(1) << kOffsetBits) - 1;

/// A lane's end of a ring, in the memory of the lane's device. Written by that
/// lane alone; kernels on one communicator follow each other.
struct DeviceRingEnd {
  uint64_t number; ///< of the next chunk
  uint64_t credit; ///< writers: `freed` as last seen
  uint64_t swept;  ///< the chunk before which all lines were last written
  uint32_t layout; ///< writers: the variant of the last chunk, plus 1
  uint32_t padding;
};

/// A channel as one of its ends sees it: addresses that the end's device can
/// use.
struct DeviceChannel {
  static constexpr uint32_t kNotDirect = ~0u;

  char *slots;     ///< with the reader
  uint64_t *full;  ///< tags, one a slot; with the reader
  uint64_t *freed; ///< with the writer
  /// Two words, a pointer and its tag, with the end that receives it: of a
  /// channel that may be direct the writer, which gets the address of the
  /// reader's output; of a channel that may be borrowed the reader, which gets
  /// that of the writer's input.
  uint64_t *ptrExchange;
  /// Where the other end's process has this rank's windows, by number, or 0;
  /// null if addresses of here are good there.
  const uint64_t *windows;
  DeviceRingEnd *end;
  uint64_t lineBytes; ///< of the ring's low-latency lines, all variants'
  uint32_t numSlots;
  /// Distance of slots: the same for all calls of a variant, however large
  /// their chunks are, so that the chunks of two calls lie in the same slots.
  uint32_t slotBytes;
  /// The block of the reader's output where the chunk ends up, if the writer
  /// may put it there itself; or kNotDirect.
  uint32_t directBlock;
  /// Whether the reader may read the writer's input itself.
  bool borrowed;
  /// Whether the reader of a direct channel does nothing else with the chunk:
  /// one tag for the last chunk of a call is all it needs.
  bool quiet;
};

/// How an operand of a call is reached.
enum class Way : uint8_t {
  none,    ///< not at all: what would be copied there is there
  buffer,  ///< at `base`: the rank's own input or output
  slots,   ///< in the ring's slots
  direct,  ///< at `base`: the reader's output, which the writer writes
  borrowed ///< at `base`: the writer's input, which the reader reads
};

/// An operand of a step. The host fills in the first part; a lane works on a
/// copy in shared memory, if it fits, and fills in the rest for each call.
struct alignas(16) LaneOperand {
  DeviceChannel channel; ///< if it is one
  uint32_t index;        ///< block or channel number
  uint32_t step;         ///< of the lane's
  OperandKind kind;
  bool partial; ///< whether its chunks are of VariantPlan::partial

  Way way;
  uint32_t slot;       ///< of chunk `number`
  uint32_t postedSlot; ///< of chunk `posted`
  char *base;          ///< where the tree's first element is
  uint64_t number;     ///< of the next chunk to wait for
  uint64_t posted;     ///< of the next chunk that the other end will hear of
  uint64_t credit;     ///< writers: `freed` as last seen
  uint64_t drained;    ///< writers: what `freed` must have reached before any
  uint64_t swept;      ///< as of DeviceRingEnd
};

/// Of a step of a tree for which the switch works, where its chunks are
/// (SwitchMemory.h): chunk c of a call in slot c modulo slots, however the
/// rings of its channels count. All slots are free when a call begins: no rank
/// ends the call before without all results, no root has one without what all
/// ranks give, and within a call the rings tell who has read what. Slots have
/// the distance of those of the channels.
struct SwitchStep {
  char *own;      ///< slots in the rank's own part
  char *all;      ///< of the root: the same in all parts; else null
  char *results;  ///< of the root: slots of results in all parts
  uint32_t slots; ///< at least as many as those of any of its channels
  uint32_t padding;
};

/// A step of a lane, likewise.
struct alignas(16) LaneStep {
  enum Posts : uint8_t { never, once, always };

  TreeShare share;
  uint32_t operandsBegin; ///< in the lane's operands
  uint16_t sources;
  uint16_t destinations;
  bool completes;

  Posts posts;                ///< whether tags of chunks follow a fence
  uint16_t delay;             ///< rounds, LaneCursor.h
  ElementRange range;         ///< of the tree
  uint64_t chunks;            ///< of the tree
  const SwitchStep *inSwitch; ///< in device memory; null: none works for it
  uint64_t turns;      ///< chunks, or 0 if the step moves nothing in this call
  uint32_t chunkBytes; ///< of the tree

  BLINK_HOST_DEVICE uint32_t numOperands() const {
    return uint32_t(sources) + destinations;
  }
};

/// A lane as it lies in the memory of its device.
struct LaneProgram {
  LaneStep *steps;
  LaneOperand *operands; ///< of all steps, in their order
  uint32_t numSteps;
  uint32_t numOperands;
};

/// Why a lane gave up, in memory that the host reads.
struct LaneReport {
  enum Reason : uint64_t { none, timeOut, otherCall, twoCalls, aborted };
  uint64_t reason; ///< stored last, with release
  uint64_t step;
  uint64_t channel;
  uint64_t reading;
  uint64_t expected;
  uint64_t seen;
};

/// Of a channel of a program.
struct DeviceChannelNote {
  uint32_t peer;   ///< its other end
  uint32_t number; ///< VariantPlan::channelNumber
};

/// Where lanes of a program say what they are at (flight/FlightPage.h), in host
/// memory unless said otherwise.
struct DeviceNotes {
  // In device memory:
  uint64_t *calls; ///< of each queue: LaneNotes.h
  const DeviceChannelNote *channels;
  uint64_t *waited; ///< for each channel, in this program's calls: what
                    ///< `sums` lack
  uint64_t *sums;   ///< for each peer
  // In host memory:
  uint64_t *waits; ///< as `sums`
  DeviceCallRecord *records;
  DeviceLaneRecord *lanes;
  uint32_t numLanes;              ///< that have records
  uint32_t numQueues, firstQueue; ///< likewise; LaunchedRank::queue of the
                                  ///< first one
  uint32_t kept;                  ///< records of a queue, a power of two

  BLINK_HOST_DEVICE bool hasRecord(uint32_t queue) const {
    return queue - firstQueue < numQueues;
  }
  BLINK_HOST_DEVICE DeviceCallRecord &recordOf(uint32_t queue,
                                               uint64_t number) const {
    return records[(queue - firstQueue) * kept + (number & (kept - 1))];
  }
};

/// A rank's program of a variant, in the memory of its device; its lanes follow
/// it.
struct DeviceProgram {
  uint64_t *abortHere; ///< of the rank, in device memory
  uint64_t *abortJob;  ///< of the job, in host memory
  /// Of each lane: 1 while a block runs it.
  uint32_t *busy;
  LaneReport *reports; ///< of each lane, in host memory
  LaneTrace *traces;   ///< of each lane, in host memory; or null
  DeviceNotes notes;
  uint64_t timeoutNanoseconds;
  uint64_t numLanes;

  BLINK_HOST_DEVICE const LaneProgram *lanes() const {
    return reinterpret_cast<const LaneProgram *>(this + 1);
  }
};

/// What a lane is told of its call, but for the rank's buffers.
struct LaunchedCall {
  CallShape shape;
  uint64_t signature;
  uint32_t what;   ///< packLaunched(), for notes
  uint32_t launch; ///< its number among those of this process, for notes; 0: a
                   ///< graph's
  uint32_t layout; ///< of the variant
  bool lowLatency; ///< the protocol
  bool direct;     ///< slots are skipped where channels are direct or borrowed
  bool scales;     ///< inputs are multiplied: sendPtr is 0
  bool inSwitch;   ///< switches work for trees that have them
};

/// The rank that a lane plays.
struct LaunchedRank {
  const DeviceProgram *program;
  const char *send;
  char *recv;
  uint64_t sendPtr;   ///< of `send`, for readers
  uint64_t recvPtr;   ///< of `recv`, for writers
  const void *scalar; ///< if `scales`: where it is; null: it is scalarBits
  uint64_t scalarBits;
  uint32_t firstBlock; ///< the blocks of a rank are its lanes
  uint32_t queue;      ///< Call::queue()
};

/// The parameter of the kernels of collectives.
struct Launch : LaunchedCall {
  using Rank = LaunchedRank;

  uint32_t numRanks;
  Rank ranks[kMaxLaunchRanks];
};
static_assert(sizeof(Launch) <= 4096, "the limit for kernel parameters");

/// One end of a message.
struct LaunchedMessage {
  LaunchedCall call;
  LaunchedRank rank;  ///< firstBlock: of its queue
  uint32_t firstLane; ///< of its program, one a tree
  uint16_t numLanes;  ///< that it needs
  uint16_t next;      ///< of its queue, in the same launch; or kMax
};

/// The parameter of the kernel of messages: ends of several, which all go on at
/// the same time.
struct MessageLaunch {
  static constexpr uint32_t kMax = 31;

  uint32_t numMessages;
  LaunchedMessage messages[kMax];

  /// The first message of the queue that the block is of. Others of a queue
  /// have its first block, and stand behind.
  BLINK_HOST_DEVICE uint32_t firstOf(uint32_t block) const {
    uint32_t first = 0;
    for (uint32_t m = 1; m < numMessages; ++m)
      if (messages[m].rank.firstBlock <= block &&
          messages[m].rank.firstBlock > messages[first].rank.firstBlock)
        first = m;
    return first;
  }
};
static_assert(sizeof(MessageLaunch) <= 4096, "the limit for kernel parameters");

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LAUNCH_H
