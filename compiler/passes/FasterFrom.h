//===- FasterFrom.h - the size at which a variant takes over ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_FASTERFROM_H
#define BLINK_COMPILER_PASSES_FASTERFROM_H

#include "compiler/plan/FoldProgram.h"
#include "schedules/schedule_generated.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>

namespace blink {

/// A program with lanes that is a variant for these sizes.
struct RangedProgram {
  FoldProgram program;
  sched::Protocol protocol = sched::Protocol::simple;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes; ///< exclusive
};

/// Returns the size from which on `large` should be used instead of `small`,
/// whose range ends where that of `large` begins, by the model of time. Looks
/// among comparedSizes() near there for the first one from which on `large` is
/// no slower in simulations with the costs of the model, because the model
/// overestimates what pipelines take to fill. If the size lies far from there,
/// nearer ones are bisected, as if one of the variants was the faster one below
/// it and the other one above it. Both ranges keep some size. The size is at
/// most four times the given one, or what the model says if that is beyond
/// comparedSizes(). Returns nothing if the model says that `large` is slower at
/// all sizes up to 4 GiB, and `small` has the same rate. The size is no larger
/// than the given one if the protocols differ: GPUs have shown that low_latency
/// was used for too large messages (docs/gpu-results.md). The given size is
/// returned if it is none of comparedSizes(), or if it takes more than
/// kSoonSimulated. `chunkBytes` is that which the user asks for, or 0. Errors:
/// lanes that wait in a circle.
llvm::Expected<std::optional<uint64_t>>
fasterFrom(RangedProgram small, RangedProgram large, uint32_t chunkBytes);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_FASTERFROM_H
