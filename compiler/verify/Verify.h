//===- Verify.h - proof that a schedule is right ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges the bytes that run, with nothing else at hand and with no code that
// had a part in making them: no GLPK, no packing, no dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_VERIFY_H
#define BLINK_COMPILER_VERIFY_VERIFY_H

#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink {

/// One thing that was proved, or was not.
struct Check {
  std::string name; ///< stable key: "paths", "result", ...
  bool ok = false;
  std::string detail; ///< a sentence; on failure where and why
  size_t variant = 0; ///< on failure: which one it is about
};

/// What a fold costs its lane.
struct StepCosts {
  double step = 0; ///< microseconds
  double rate = 0; ///< GB/s that a lane moves, half of what it loads and
                   ///< stores with slots; 0: without limit
};

struct VerifyOptions {
  StepCosts simple, lowLatency; ///< of the protocols
  bool times = false;           ///< fills VerifyReport::times
  double queueBytes = 0; ///< in front of a link that a network has; 0: any
};

/// What is proved of the largest message of a variant, or of 256 MiB.
struct RangeTime {
  uint64_t bytes = 0;
  double pace = 0;         ///< the part of its links' rate that lanes keep
  double microseconds = 0; ///< within which it is over
  double rate() const { return double(bytes) / microseconds * 1e-3; } ///< GB/s
};

struct VerifyReport {
  bool ok = false;  ///< all checks passed
  double links = 0; ///< GB/s, recomputed from shares, paths and bandwidths
  double pace = 0;  ///< the part of it that lanes keep; 0 if they stop
  double algbw = 0; ///< GB/s, both
  double bound = 0; ///< GB/s, recomputed from the certificate's prices
  /// Of sums, in all trees of all variants, whatever the file says.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Whether that holds for types of 8 and 16 bits, too: they are rounded once
  /// (Accumulation::f32), or where they leave a step, and then all elements are
  /// added by the same steps.
  bool orderOfNarrow = false;
  std::vector<RangeTime>
      times; ///< of each variant, if asked; none if lanes stop
  std::vector<Check> checks;
};

/// Proves, for every variant of `program`:
///   paths        every channel's path is one the runtime can drive
///   result       every rank ends with every contribution exactly once, in the
///                same order on all ranks (symbolic execution)
///   in-place     the result stands when input and output are one buffer
///   progress     no deadlock, for any number of chunks and the declared slots
///   bandwidth    the links sustain the rate the file states, to 1e-9 relative,
///                with the last variant: the one for messages without a limit
///   pace         the part of that rate that lanes keep which take their steps
///                in order, and the circle of steps that costs the rest; with
///                filling and draining, if asked, the time of the largest
///                message of each variant; not asked of lanes that stop
///   queues       where channels leave their machine: what their windows let
///                wait in front of a link, at most, is no more than options say
///   certificate  re-priced, the bound is as stated, and the rate not above it
/// Details count steps from 0 within their lane. `file` must have passed
/// sched::openAnySchedule: of symmetric variants representatives are judged, in
/// the time that they take, and all else follows. What is wrong with those is
/// said of trees and places that are not always those in full. Certificates of
/// more than 4,096 ranks are re-priced where these are alike (AlikeRanks.h),
/// and fail otherwise.
VerifyReport verifyProgram(const sched::Schedule &file,
                           const sched::Program &program,
                           const VerifyOptions &options = {});

/// GB/s of a message whose elements have so many bytes that the links sustain
/// where what the program adds of it travels as its Accumulation says.
double narrowRateOf(const sched::Schedule &file, const sched::Program &program,
                    unsigned elementBytes);

/// The pace alone, of a program that has been verified.
double paceOf(const sched::Schedule &file, const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_VERIFY_VERIFY_H
