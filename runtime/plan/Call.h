//===- Call.h - one rank's call of a collective -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_CALL_H
#define BLINK_RUNTIME_PLAN_CALL_H

#include "runtime/plan/Plan.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>

namespace blink::runtime {

/// The description of a call that must be the same on all ranks. Plain data,
/// since ranks also tell each other by it in shared memory which call they are
/// at.
struct CallKind {
  sched::Collective collective = sched::Collective::allreduce;
  blinkDataType_t type = blinkInt8;
  blinkRedOp_t op = blinkSum; ///< blinkSum if nothing is reduced
  int32_t root = 0;           ///< 0 if the collective has none
  uint64_t count = 0;         ///< elements of a block

  bool operator==(const CallKind &other) const;
  bool operator!=(const CallKind &other) const { return !(*this == other); }
  /// Returns e.g. "allreduce of 5 float32 with sum".
  std::string describe() const;
  /// Returns a hash. Its 24 high bits, which tags keep, are equal for different
  /// kinds with probability 2^-24.
  uint64_t hash() const;
};

/// Returns the error of ranks that are in different calls; `how` says which
/// ranks and calls.
Status callsDiffer(const std::string &how);
/// Returns the error "the ranks' calls differ: rank 0 has allreduce of 5
/// float32 with sum, rank 1 has `what`".
Status callsDiffer(int rank, const CallKind &kind, int other,
                   const std::string &what);

/// The number that a rank multiplies its input by if the operator is
/// kPreMulSum.
struct Scalar {
  const void *place = nullptr; ///< read when the call runs; null: use `bits`
  /// An element of the type, in the low-order bytes.
  uint64_t bits = 0;
};

struct Call {
  CallKind kind;
  int rank = 0;
  const void *send = nullptr;
  void *recv = nullptr;
  blinkStream_t stream = nullptr;
  /// The other rank of a message (sendrecv); -1 for collectives. One buffer of
  /// a message is null, unless the rank sends to itself.
  int peer = -1;
  Scalar scalar;
  // Set by prepare():
  const ProgramPlan *program = nullptr;
  uint64_t sendBytes = 0; ///< bytes of the buffer, on ranks that use it
  uint64_t recvBytes = 0;

  /// S as for algbw: the bytes of all blocks.
  uint64_t bytes() const { return std::max(sendBytes, recvBytes); }
  const VariantPlan &variant() const { return program->variantFor(bytes()); }
  /// Returns the shape of the call. `borrowed`: readers use the writers'
  /// buffers, on all ranks. `mostChunk`: the most bytes of a chunk, a multiple
  /// of 64.
  CallShape shape(const VariantPlan &variant, bool borrowed,
                  uint32_t mostChunk = UINT32_MAX) const;

  bool isMessage() const { return peer >= 0; }
  static constexpr int kCollectives = 0; ///< the queue of collectives
  /// The number of the call's queue. Calls of one queue follow each other;
  /// calls of other queues may overtake them. Collectives have one queue, and a
  /// rank's messages have one for each peer and direction.
  int queue() const {
    return isMessage() ? 1 + 2 * peer + int(send == nullptr) : kCollectives;
  }
  /// A rank's queues have numbers below this.
  static int numQueues(const Plan &plan) {
    return plan.numMessageTrees != 0 ? 1 + 2 * plan.numRanks : 1;
  }

  /// Checks the arguments against `plan`, and finds the program. Errors:
  /// invalid argument; invalid usage if no program fits.
  Status prepare(const Plan &plan);
  /// Sets the microseconds that the prepared call takes by the schedule's model
  /// of time; 0 if nothing passes a link. Errors: invalid usage if the schedule
  /// has no times.
  Status estimate(double &microseconds) const;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_CALL_H
