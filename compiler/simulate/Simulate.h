//===- Simulate.h - a schedule, event by event ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_SIMULATE_H
#define BLINK_COMPILER_SIMULATE_SIMULATE_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/simulate/FoldLog.h"
#include "compiler/support/Infinity.h"
#include "schedules/ChunkSize.h"
#include "schedules/trace/ReplayTrace.h"

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
  /// GB/s of what a fold moves, half of what it loads and stores, that come on
  /// top; 0: moving costs nothing. From sched::kDirectBytes on without what
  /// zero copy spares, and folds that move nothing then cost nothing.
  double laneRate = 0;
  /// Microseconds until a fold that reads has noticed a chunk and begins to
  /// write. `stepCost` is part of it, what is more costs the lane nothing.
  /// Unless it is 0, the first fold of a lane takes no `stepCost`.
  double notice = 0;
  /// Microseconds until a fold looks at the next of several channels that it
  /// reads, or writes the next: its lane goes on meanwhile. And of its lane,
  /// once, for a passive fold.
  double gap = 0;
  /// Of each channel: microseconds of a lane for each chunk that it writes
  /// there, one after the other, or takes, as soon as it comes if the lane
  /// waits (NetworkCosts.h); empty: none.
  std::vector<double> engineCosts;
  /// How many times as long the folds of each rank take; empty: once.
  std::vector<double> slowness;
  /// Instead of the program's; empty: those. With planned shares a channel is
  /// slowed as much as the most overloaded of its links.
  std::vector<double> bandwidths;
  /// A message that takes longer is given up as soon as that is certain, since
  /// links that were busy from then on would: `microseconds` is that bound.
  double mostMicroseconds = kInfinity;
  bool details = false; ///< fills `details`
  /// Fills `events`, up to so many folds and as many transfers.
  uint64_t mostEvents = 0;
};

/// Where the time goes.
struct SimulationDetails {
  static constexpr size_t kSlices = 10; ///< of the time
  /// Of each link and slice the part of its bandwidth that it carried. What a
  /// chunk loads is spread evenly over the time in which it is sent.
  std::vector<std::vector<double>> linkUse;
  std::vector<LaneTimes> lanes;
  std::vector<CriticalPart> path;
};

/// What happened when, in nanoseconds; of each lane and channel in order.
struct SimulatedEvents {
  std::vector<sched::TracedFold> folds; ///< of variant 0
  /// Of chunks, or with fair shares of the parts of one that had one rate.
  std::vector<sched::TracedTransfer> transfers;
};

struct Simulation {
  double microseconds = 0; ///< until the last lane is done
  uint64_t folds = 0;      ///< that were run
  uint64_t chunks = 0;     ///< that were sent over channels
  /// Of each link the bytes that it carried, as a part of what it could have.
  std::vector<double> linkUse;
  SimulationDetails details;
  SimulatedEvents events;
};

/// A message of `bytes` (of the whole buffer) by `program`, which is in lanes,
/// in chunks as the runtime makes them of `chunks`. Every fold, slot and
/// transfer is an event: a lane takes its folds in rounds, in order, when their
/// chunks are there and slots known to be free; a channel transfers chunks one
/// after the other, each of which arrives its path's latency later; the news of
/// a free slot takes as long. Of a network channel no more than its window are
/// on their way, and with fair shares it has of a link what these are of all
/// that wait there: a queue serves bytes as they come. Buffers are nobody's
/// limit. No schedule that has passed `verify` stops; one that does is an
/// error.
///
/// A heap of events; with fair shares each start or end of transfers divides
/// anew the links that it can reach (FairShares.h). Up to a million chunks a
/// second.
llvm::Expected<Simulation> simulate(const FoldProgram &program,
                                    sched::Protocol protocol,
                                    sched::ChunkSizes chunks, uint64_t bytes,
                                    const SimulationOptions &options = {});

/// What is said of a schedule in which lanes wait in a circle.
llvm::Error lanesStop();

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SIMULATE_H
