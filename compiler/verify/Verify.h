//===- Verify.h - proof that a schedule is right ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks the bytes that will run. Uses nothing but these bytes, and no code
// that had a part in making them: no GLPK, no packing, no dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_VERIFY_H
#define BLINK_COMPILER_VERIFY_VERIFY_H

#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink {

/// One property that was proved, or was not.
struct Check {
  std::string name; ///< stable key: "paths", "result", ...
  bool ok = false;
  std::string detail; ///< a sentence; on failure, where and why
  size_t variant = 0; ///< on failure, the one that fails
};

/// The costs of a fold for its lane.
struct StepCosts {
  double step = 0; ///< microseconds
  double rate = 0; ///< GB/s that a lane moves, half of what it loads and
                   ///< stores with slots; 0: unlimited
};

struct VerifyOptions {
  StepCosts simple, lowLatency; ///< of the protocols
  bool times = false;           ///< fills VerifyReport::times
  double queueBytes = 0;        ///< most that a link's queue holds; 0: any
};

/// The proved time of the largest message of a variant, or of 256 MiB.
struct RangeTime {
  uint64_t bytes = 0;
  double pace = 0;         ///< the part of its links' rate that lanes keep
  double microseconds = 0; ///< within which it ends
  double rate() const { return double(bytes) / microseconds * 1e-3; } ///< GB/s
};

struct VerifyReport {
  bool ok = false;  ///< all checks passed
  double links = 0; ///< GB/s, recomputed from shares, paths and bandwidths
  double pace = 0;  ///< the part of it that lanes keep; 0 on a deadlock
  double algbw = 0; ///< GB/s, links x pace
  double bound = 0; ///< GB/s, recomputed from the certificate's prices
  /// The order of sums in all trees of all variants, whatever the file states.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Whether that order also holds for types of 8 and 16 bits. These are
  /// rounded once (Accumulation::f32), or whenever they leave a step; in that
  /// case the same steps must add up all elements.
  bool orderOfNarrow = false;
  std::vector<RangeTime>
      times; ///< by variant, if asked for; none on a deadlock
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
///   pace         the part of that rate that lanes keep if they take their
///                steps in order, and the circle of steps that costs the rest;
///                if asked for, also the time of the largest message of each
///                variant, with filling and draining; omitted on a deadlock
///   queues       if channels leave their machine: the most that their windows
///                let wait in front of a link is no more than the options say
///   certificate  re-priced, the bound is as stated, and the rate not above it
/// Details count steps from 0 within their lane. `file` must have passed
/// sched::openAnySchedule. In symmetric variants only the representatives are
/// judged, in the time that they take, and everything else follows. Messages
/// about these may name trees and places by other numbers than in full.
/// Certificates of more than 4,096 ranks are re-priced if the ranks are alike
/// (AlikeRanks.h), and fail otherwise.
VerifyReport verifyProgram(const sched::Schedule &file,
                           const sched::Program &program,
                           const VerifyOptions &options = {});

/// Returns the GB/s that the links sustain for messages whose elements have
/// `elementBytes` bytes, if partial sums travel as the program's Accumulation
/// says.
double narrowRateOf(const sched::Schedule &file, const sched::Program &program,
                    unsigned elementBytes);

/// Returns only the pace, for a program that has been verified.
double paceOf(const sched::Schedule &file, const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_VERIFY_VERIFY_H
