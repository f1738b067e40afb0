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

namespace blink::runtime {

/// Ranks of one device that a kernel runs together, so that their lanes are
/// resident at the same time.
inline constexpr uint32_t kMaxLaunchRanks = 32;
/// Operands of a step that a lane can hold.
inline constexpr uint32_t kMaxOperands = 256;

/// Where a reader's output is, as it tells writers: 0, nowhere they can write;
/// in one process its address; across processes a window of its (a registered
/// buffer) above an offset. Where a writer's input is, as it tells readers: its
/// address.
inline constexpr unsigned kOffsetBits = 56;
inline constexpr uint64_t kOffsetMask = (uint64_t(1) << kOffsetBits) - 1;

/// A lane's end of a ring, in the memory of the lane's device. Written by that
/// lane alone; kernels on one communicator follow each other.
struct DeviceRingEnd {
  uint64_t number; ///< of the next chunk
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
  /// Two words, a place and its tag; with the writer. Of a call the channel is
  /// direct in, the reader's output; of one it is lent in, the writer's input.
  uint64_t *place;
  /// Writers: where the reader's windows are, in this process; null if both are
  /// in one.
  const uint64_t *windows;
  DeviceRingEnd *end;
  uint32_t numSlots;
  /// The block of the reader's output where the chunk ends up, if the writer
  /// may put it there itself; or kNotDirect.
  uint32_t directBlock;
  /// Whether the reader, of the same process and on the same device, may read
  /// the writer's input itself.
  bool lent;
};

/// Why a lane gave up, in memory that the host reads.
struct LaneReport {
  enum Reason : uint64_t { none, timeOut, otherCall, aborted };
  uint64_t reason; ///< stored last, with release
  uint64_t step;
  uint64_t channel;
  uint64_t reading;
  uint64_t expected;
  uint64_t seen;
};

/// A rank's program of a variant, in the memory of its device.
struct DeviceProgram {
  RankCode code;
  const TreeShare *trees;
  const DeviceChannel *channels; ///< by number; those of other ranks are empty
  uint64_t *abortHere;           ///< of the rank, in device memory
  uint64_t *abortJob;            ///< of the job, in host memory
  LaneReport *reports;           ///< of each lane, in host memory
  LaneTrace *traces;             ///< of each lane, in host memory; or null
};

/// The parameter of the kernel.
struct Launch {
  struct Rank {
    const DeviceProgram *program;
    const char *send;
    char *recv;
    uint64_t place;      ///< of `recv`, for writers
    uint32_t firstBlock; ///< the blocks of a rank are its lanes
  };

  CallShape shape;
  uint64_t signature;
  uint64_t timeoutNanoseconds;
  uint32_t layout; ///< of the variant
  uint32_t numRanks;
  bool lowLatency; ///< the protocol
  bool direct;     ///< slots are skipped where channels are direct or lent
  Rank ranks[kMaxLaunchRanks];
};
static_assert(sizeof(Launch) <= 4096, "the limit for kernel parameters");

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LAUNCH_H
