//===- ShortTimes.h - what short messages take ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_SHORTTIMES_H
#define BLINK_COMPILER_SIMULATE_SHORTTIMES_H

#include "compiler/plan/FoldProgram.h"
#include "schedules/ChunkSize.h"

#include "llvm/Support/Error.h"

#include <array>

namespace blink {

/// Sizes of short messages for which forests for large messages are used as
/// well.
inline constexpr std::array<uint64_t, 4> kShortSizes = {256 << 10, 1 << 20,
                                                        4 << 20, 16 << 20};

/// Returns how many folds shortTime simulates, or waves of folds (Chunks.h); a
/// millisecond suffices for a thousand or more.
double simulatedFolds(const FoldProgram &program, sched::ChunkSizes chunks,
                      uint64_t bytes, sched::Protocol protocol);
/// The number of these up to which several simulations are no burden.
inline constexpr double kSoonSimulated = 16384;

/// Returns the microseconds that a short message of `bytes` takes by `program`,
/// which has lanes and slots. The message is simulated at modelCosts
/// (LaneCosts.h), because most of the time passes while pipelines fill, and the
/// model of time overestimates that. An incastTime (NetworkCosts.h) is added,
/// because links that are shared as fluids do not show it.
llvm::Expected<double>
shortTime(const FoldProgram &program, sched::ChunkSizes chunks, uint64_t bytes,
          sched::Protocol protocol = sched::Protocol::simple);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SHORTTIMES_H
