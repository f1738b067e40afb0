//===- BetterForest.h - the better of two forests ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_BETTERFOREST_H
#define BLINK_COMPILER_PASSES_BETTERFOREST_H

#include "compiler/passes/TimedForest.h"

namespace blink {

/// A forest whose links keep at least this part of its rate is preferred to all
/// forests that keep less of theirs.
inline constexpr double kKept = 0.97;

/// Short messages may take this many times as long, unless forests are sought
/// for the sake of their rate.
inline constexpr double kLittleSlower = 1.02;

/// Returns true if `forest` is better than `other`. For long messages, the
/// better forest is the one that keeps its rate if the other does not, or whose
/// rate is noticeably higher, unless it takes noticeably longer. Of two such
/// forests the faster one is better; of two equally fast ones, the one with the
/// higher rate, however little, or with the faster short messages. In all these
/// cases its short messages must not take longer on average, or for a higher
/// rate not `slower` times as long, and none of them far longer. A forest whose
/// short messages are far faster is better even if it keeps less of its rate,
/// provided that long messages do not take noticeably longer.
llvm::Expected<bool> isBetter(TimedForest &forest, TimedForest &other,
                              double slower);

/// Like isBetter, for a `forest` whose slots may prevent it from keeping its
/// whole rate: finds the part that it keeps by simulation, as far as the answer
/// depends on it. Afterwards `forest` keeps the part found, or 0 (unknown) if
/// it would not be better even if it kept its whole rate.
llvm::Expected<bool> isBetterSimulated(TimedForest &forest, TimedForest &other,
                                       double slower);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_BETTERFOREST_H
