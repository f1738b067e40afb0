//===- BetterForest.h - the better of two forests ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_BETTERFOREST_H
#define BLINK_COMPILER_PASSES_BETTERFOREST_H

#include "compiler/passes/TimedForest.h"

namespace blink {

/// A forest whose links keep so much of its rate comes before all that keep
/// less.
inline constexpr double kKept = 0.97;

/// Short messages may take so many times as long, unless forests are asked for
/// for the sake of their rate.
inline constexpr double kLittleSlower = 1.02;

/// Whether `forest` is better than `other`. For long messages that is the one
/// which keeps its rate, if the other does not or has noticeably less, unless
/// it takes noticeably longer; of two such the faster one; of equally fast ones
/// that of the higher rate, however little, or with which short messages are
/// faster. Unless short messages take longer, or for a higher rate `slower`
/// times as long, on average, or one of them far longer. If they are far
/// faster, also one that keeps less of its rate, but takes long messages no
/// longer.
llvm::Expected<bool> isBetter(TimedForest &forest, TimedForest &other,
                              double slower);

/// The same of a forest that slots may keep from its rate, which is simulated
/// as far as that matters. Afterwards it keeps what that says; where it would
/// not be better even if it kept all, nobody knows what it does.
llvm::Expected<bool> isBetterSimulated(TimedForest &forest, TimedForest &other,
                                       double slower);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_BETTERFOREST_H
