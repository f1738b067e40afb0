//===- Launch.h - what a kernel is told -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs that the host side fills and that lanes on a device read.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LAUNCH_H
#define BLINK_RUNTIME_CUDA_LAUNCH_H

#include "runtime/core/Program.h"
#include "runtime/core/TraceEvent.h"
#include "runtime/flight/FlightPage.h"

namespace blink::runtime {

/// The most ranks of one device that a kernel runs together, so that all their
/// lanes are resident at the same time.
inline constexpr uint32_t kMaxLaunchRanks = 32;
/// The most operands of a step that a lane can hold.
inline constexpr uint32_t kMaxOperands = 256;

/// A rank tells the other end of a channel where its buffer is by one word: 0
/// if that end cannot reach it, or its address. If addresses differ between the
/// two ends, the high bits hold the number of a window (a registered buffer)
/// plus 1, and the low kOffsetBits an offset in it.
inline constexpr unsigned kOffsetBits = 48;
inline constexpr uint64_t kOffsetMask = (uint64_t(1) << kOffsetBits) - 1;

/// A lane's end of a ring, in the memory of the lane's device. Only that lane
/// writes it, and kernels on one communicator follow each other.
struct DeviceRingEnd {
  uint64_t number; ///< number of the next chunk
  uint64_t credit; ///< writers: `freed` as last seen
  uint64_t swept;  ///< the chunk before which all lines were last rewritten
  uint32_t layout; ///< writers: the variant of the last chunk, plus 1
  uint32_t padding;
};

/// A channel as one of its ends sees it, with addresses that this end's device
/// can use.
struct DeviceChannel {
  static constexpr uint32_t kNotDirect = ~0u;

  char *slots;     ///< in the reader's memory, or staged in the host's
  uint64_t *full;  ///< one tag for each slot, in the same memory
  uint64_t *freed; ///< in the writer's memory, or staged in the host's
  /// A pointer and its tag, in the memory of the end that receives them. If the
  /// channel may be direct, the writer receives the address of the reader's
  /// output; if it may be borrowed, the reader receives that of the writer's
  /// input.
  uint64_t *ptrExchange;
  /// A table by number of the addresses at which the other end's process has
  /// mapped this rank's windows, or 0. Null if addresses of this process are
  /// valid there.
  const uint64_t *windows;
  DeviceRingEnd *end;
  /// Bytes of all low-latency lines of the ring, for all variants.
  uint64_t lineBytes;
  uint32_t numSlots;
  /// Distance between slots. It is the same for all calls of a variant,
  /// whatever the size of their chunks, so that the chunks of two calls lie in
  /// the same slots.
  uint32_t slotBytes;
  /// The block of the reader's output that the chunk ends up in, if the writer
  /// may write it there; else kNotDirect.
  uint32_t directBlock;
  /// Whether the reader may read the chunk in the writer's input.
  bool borrowed;
  /// Whether the reader of a direct channel does nothing more with the chunk.
  /// Then one tag for the last chunk of a call is all it needs.
  bool quiet;
};

/// How an operand of a call is reached.
enum class Way : uint8_t {
  none,    ///< not at all: the data is there already
  buffer,  ///< at `base`: the rank's own input or output
  slots,   ///< in the ring's slots
  direct,  ///< at `base`: the reader's output, where the writer stores
  borrowed ///< at `base`: the writer's input, where the reader loads
};

/// An operand of a step. The host fills in the first part. A lane fills in the
/// rest for each call, in a copy in shared memory if that fits.
struct alignas(16) LaneOperand {
  DeviceChannel channel; ///< if the operand is a channel
  uint32_t index;        ///< block or channel number
  uint32_t step;         ///< number of the step in the lane
  OperandKind kind;
  bool partial; ///< whether its chunks are of VariantPlan::partial

  Way way;
  uint32_t slot;       ///< slot of chunk `number`
  uint32_t postedSlot; ///< slot of chunk `posted`
  char *base;          ///< address of the tree's first element
  uint64_t number;     ///< number of the next chunk to wait for
  /// Number of the next chunk to announce to the other end.
  uint64_t posted;
  uint64_t credit; ///< writers: `freed` as last seen
  /// Writers: what `freed` must reach before the first chunk is written.
  uint64_t drained;
  uint64_t swept; ///< as in DeviceRingEnd
};

/// The place of a step's chunks if the switch works for its tree
/// (SwitchMemory.h). Chunk c of a call is in slot c modulo `slots`, whatever
/// the rings of its channels count. All slots are free when a call begins: no
/// rank ends the call before without all its results, and the root has no
/// result without the contributions of all ranks. Within a call the rings tell
/// which rank has read which chunk. The slots are as far apart as those of the
/// channels.
struct SwitchStep {
  char *own;      ///< slots in the rank's own part
  char *all;      ///< of the root: these slots in all parts; else null
  char *results;  ///< of the root: slots of results in all parts
  uint32_t slots; ///< number of slots; no channel of the tree has more
  uint32_t padding;
};

/// A step of a lane, filled in like LaneOperand.
struct alignas(16) LaneStep {
  enum Posts : uint8_t { never, once, always };

  TreeShare share;
  uint32_t operandsBegin; ///< index in the lane's operands
  uint16_t sources;
  uint16_t destinations;
  bool completes;

  Posts posts;        ///< whether tags follow the chunks, behind a fence
  uint16_t delay;     ///< rounds; see LaneCursor.h
  ElementRange range; ///< elements of the tree
  uint64_t chunks;    ///< number of the tree's chunks
  /// In device memory; null: no switch works for its tree.
  const SwitchStep *inSwitch;
  uint64_t turns;      ///< chunks, or 0 if the step moves nothing in this call
  uint32_t chunkBytes; ///< bytes of a chunk of the tree
  /// What the destinations need in this call: the union of these bits.
  uint32_t needs;
  static constexpr uint32_t kMoves = 1;     ///< the chunks move
  static constexpr uint32_t kPostsOnce = 2; ///< a tag follows the last chunk
  static constexpr uint32_t kPostsEach = 4; ///< a tag follows each chunk

  BLINK_HOST_DEVICE uint32_t numOperands() const {
    return uint32_t(sources) + destinations;
  }
};

/// A lane in the memory of its device.
struct LaneProgram {
  LaneStep *steps;
  LaneOperand *operands; ///< operands of all steps, in their order
  uint32_t numSteps;
  uint32_t numOperands;
};

/// Why a lane gave up; in memory that the host reads.
struct LaneReport {
  enum Reason : uint64_t { none, timeOut, otherCall, twoCalls, aborted };
  /// Stored last, with release: the rest is valid once it is not `none`.
  uint64_t reason;
  uint64_t step;
  uint64_t channel;
  uint64_t reading;
  uint64_t expected;
  uint64_t seen;
};

/// A channel of a program, as notes name it.
struct DeviceChannelNote {
  uint32_t peer;   ///< the rank at its other end
  uint32_t number; ///< the channel's number: VariantPlan::channelNumber
};

/// The places at which lanes of a program note what they are at
/// (flight/FlightPage.h).
struct DeviceNotes {
  // Members in device memory:
  uint64_t *calls; ///< counters of each queue; see LaneNotes.h
  const DeviceChannelNote *channels;
  /// For each channel: nanoseconds waited in this program's calls that are not
  /// in `sums` yet.
  uint64_t *waited;
  uint64_t *sums; ///< nanoseconds waited for each peer
  // Members in host memory:
  uint64_t *waits; ///< copy of `sums`
  DeviceCallRecord *records;
  DeviceLaneRecord *lanes;
  uint32_t numLanes; ///< lanes that have records
  /// Queues that have records, and LaunchedRank::queue of the first of them.
  uint32_t numQueues, firstQueue;
  uint32_t kept; ///< records of each queue, a power of two

  BLINK_HOST_DEVICE bool hasRecord(uint32_t queue) const {
    return queue - firstQueue < numQueues;
  }
  BLINK_HOST_DEVICE DeviceCallRecord &recordOf(uint32_t queue,
                                               uint64_t number) const {
    return records[(queue - firstQueue) * kept + (number & (kept - 1))];
  }
};

/// A rank's program of a variant, in the memory of its device. Its lanes follow
/// it in memory.
struct DeviceProgram {
  uint64_t *abortHere; ///< the rank's abort word, in device memory
  uint64_t *abortJob;  ///< the job's abort word, in host memory
  /// One word for each lane: 1 while a block runs it.
  uint32_t *busy;
  LaneReport *reports; ///< one for each lane, in host memory
  LaneTrace *traces;   ///< one for each lane, in host memory; or null
  DeviceNotes notes;
  uint64_t timeoutNanoseconds;
  uint64_t numLanes;

  BLINK_HOST_DEVICE const LaneProgram *lanes() const {
    return reinterpret_cast<const LaneProgram *>(this + 1);
  }
};

/// The part of a launch that describes the call, without the rank's buffers.
struct LaunchedCall {
  CallShape shape;
  uint64_t signature;
  uint32_t what; ///< packLaunched(), for notes
  /// For notes: the number of the launch among those of this process; 0 in a
  /// graph.
  uint32_t launch;
  uint32_t layout; ///< of the variant: its number plus 1
  bool lowLatency; ///< whether the protocol is low_latency
  bool direct;     ///< slots are skipped if channels are direct or borrowed
  bool scales;     ///< inputs are multiplied; then sendPtr is 0
  bool inSwitch;   ///< switches work for the trees that have them
};

/// The rank that a lane plays.
struct LaunchedRank {
  const DeviceProgram *program;
  const char *send;
  char *recv;
  uint64_t sendPtr; ///< where readers find `send`
  uint64_t recvPtr; ///< where writers find `recv`
  /// If `scales`: the address of the scalar; null: it is scalarBits.
  const void *scalar;
  uint64_t scalarBits;
  uint32_t firstBlock; ///< each lane of the rank is one block, from this one on
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
  LaunchedRank rank;  ///< firstBlock: that of its queue
  uint32_t firstLane; ///< of its program, which has one lane for each tree
  uint16_t numLanes;  ///< lanes that it needs
  uint16_t next;      ///< the next message of its queue in this launch, or kMax
};

/// The parameter of the kernel of messages: ends of several messages, which all
/// proceed at the same time.
struct MessageLaunch {
  static constexpr uint32_t kMax = 31;

  uint32_t numMessages;
  uint32_t turns; ///< how many lanes of a message a block runs one by one
  LaunchedMessage messages[kMax];

  /// Returns the first message of the queue that `block` belongs to. Further
  /// messages of a queue have the same firstBlock and come later in `messages`.
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
