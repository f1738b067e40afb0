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

/// What must be the same on all ranks. Plain data: it is also how a rank tells
/// the others what it is at, in shared memory.
struct CallKind {
  sched::Collective collective = sched::Collective::allreduce;
  blinkDataType_t type = blinkInt8;
  blinkRedOp_t op = blinkSum; ///< blinkSum where nothing is reduced
  int32_t root = 0;           ///< 0 where the collective has none
  uint64_t count = 0;         ///< elements of a block

  bool operator==(const CallKind &other) const;
  bool operator!=(const CallKind &other) const { return !(*this == other); }
  std::string describe() const; ///< "allreduce of 5 float32 with sum"
  uint64_t hash() const;        ///< differs, but for 2^-24, where kinds differ
};

/// The error of ranks that are in different calls; `how` says where and which.
Status callsDiffer(const std::string &how);
/// "the ranks' calls differ: rank 0 has allreduce of 5 float32 with sum, rank 1
/// has `what`"
Status callsDiffer(int rank, const CallKind &kind, int other,
                   const std::string &what);

/// What a rank multiplies its input by where the operator is kPreMulSum.
struct Scalar {
  const void *place = nullptr; ///< read when the call runs; null: it is `bits`
  uint64_t bits = 0;           ///< an element of the type, in the low end
};

struct Call {
  CallKind kind;
  int rank = 0;
  const void *send = nullptr;
  void *recv = nullptr;
  blinkStream_t stream = nullptr;
  /// Of a message (sendrecv): the other rank. One buffer is null, but for a
  /// message of a rank to itself. Else -1.
  int peer = -1;
  Scalar scalar;
  // Set by prepare():
  const ProgramPlan *program = nullptr;
  uint64_t sendBytes = 0; ///< of the buffer, on ranks that use it
  uint64_t recvBytes = 0;

  /// S as for algbw: all blocks.
  uint64_t bytes() const { return std::max(sendBytes, recvBytes); }
  const VariantPlan &variant() const { return program->variantFor(bytes()); }
  /// `borrowed`: readers look at the writers' buffers, on all ranks.
  /// `mostChunk`: bytes that no chunk has more than; a multiple of 64.
  CallShape shape(const VariantPlan &variant, bool borrowed,
                  uint32_t mostChunk = UINT32_MAX) const;

  bool isMessage() const { return peer >= 0; }
  static constexpr int kCollectives = 0; ///< their queue
  /// Messages of a rank that follow each other, and calls of collectives, have
  /// one number: those of others may pass them.
  int queue() const {
    return isMessage() ? 1 + 2 * peer + int(send == nullptr) : kCollectives;
  }
  /// Above all numbers of queues of a rank.
  static int numQueues(const Plan &plan) {
    return plan.numMessageTrees != 0 ? 1 + 2 * plan.numRanks : 1;
  }

  /// Judges the arguments against `plan`. Errors: invalid argument; invalid
  /// usage if no program fits.
  Status prepare(const Plan &plan);
  /// Microseconds that the call, once prepared, takes by the schedule's model
  /// of time: 0 of what passes no link. Errors: invalid usage if the schedule
  /// does not say.
  Status estimate(double &microseconds) const;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_CALL_H
