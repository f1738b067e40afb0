//===- Simulate.h - a schedule, event by event ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_SIMULATE_H
#define BLINK_COMPILER_SIMULATE_SIMULATE_H

#include "compiler/plan/FoldProgram.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace blink {

/// What a simulation takes for granted.
struct SimulationOptions {
  /// Each channel goes at the rate that its tree's share plans for it at the
  /// rate that links sustain, whatever else goes on. Else links share
  /// themselves fairly among the chunks on their way (FairShares.h).
  bool plannedShares = false;
  /// Microseconds of its lane that each fold takes.
  double stepCost = 0;
};

struct Simulation {
  double microseconds = 0; ///< until the last lane is done
  uint64_t folds = 0;      ///< that were run
  uint64_t chunks = 0;     ///< that were sent over channels
  /// Of each link the bytes that it carried, as a part of what it could have.
  std::vector<double> linkUse;
};

/// A message of `bytes` (of the whole buffer) by `program`, which is in lanes,
/// in chunks as the runtime makes them of `chunkBytes`. Every fold, slot and
/// transfer is an event: a lane takes its folds in rounds, in order, when their
/// chunks are there and slots known to be free; a channel transfers chunks one
/// after the other, each of which arrives its path's latency later; the news of
/// a free slot takes as long. Buffers are nobody's limit. No schedule that has
/// passed `verify` stops; one that does is an error.
///
/// A heap of events; with fair shares each start or end of transfers divides
/// the links anew.
llvm::Expected<Simulation> simulate(const FoldProgram &program,
                                    sched::Protocol protocol,
                                    uint32_t chunkBytes, uint64_t bytes,
                                    const SimulationOptions &options = {});

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SIMULATE_H
