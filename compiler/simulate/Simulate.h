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
#include <functional>
#include <vector>

namespace blink {

/// Called now and then with how many of all folds have run. May be empty.
using SimulationWatcher = std::function<void(uint64_t done, uint64_t all)>;
/// Folds between two calls: a fraction of a second.
inline constexpr uint64_t kFoldsBetweenCalls = 1 << 13;

/// The assumptions of a simulation.
struct SimulationOptions {
  /// If true, each channel has the rate that its tree's share plans for it at
  /// the rate that links sustain, whatever else goes on. Otherwise links share
  /// themselves fairly among the chunks on their way (FairShares.h).
  bool plannedShares = false;
  /// Microseconds that each fold takes of its lane.
  double stepCost = 0;
  /// GB/s at which a lane moves data, which takes additional time; a fold moves
  /// half of what it loads and stores. 0: moving costs nothing. From
  /// sched::kDirectBytes on zero copy saves moves, and folds that move nothing
  /// cost nothing.
  double laneRate = 0;
  /// Microseconds until a fold that reads has noticed a chunk and begins to
  /// write. `stepCost` is part of this time; the rest costs the lane nothing.
  /// Unless it is 0, the first fold of a lane takes no `stepCost`.
  double notice = 0;
  /// Microseconds between the channels of a fold that reads or writes several
  /// of them; the lane continues meanwhile. A passive fold costs its lane the
  /// same time once.
  double gap = 0;
  /// By channel, microseconds of a lane for each chunk: for those that it
  /// writes there, one after the other, and for those that it receives, as soon
  /// as they arrive if the lane is waiting (NetworkCosts.h). Empty: none.
  std::vector<double> engineCosts;
  /// The factor by which the folds of each rank take longer; empty: 1.
  std::vector<double> slowness;
  /// Bandwidths in place of the program's; empty: the program's. With planned
  /// shares a channel is slowed as much as the most overloaded of its links.
  std::vector<double> bandwidths;
  /// If not 0, the message ends after so many of its rounds.
  uint64_t mostRounds = 0;
  /// The simulation of a message that takes longer is given up as soon as that
  /// is certain, because links could not finish in time even if they were busy
  /// from then on. `microseconds` is then that lower bound.
  double mostMicroseconds = kInfinity;
  /// If not 0, a simulation that has more of FairShares::work() is given up,
  /// which is an error. Where all paths meet, each chunk may divide all links.
  uint64_t mostWork = 0;
  bool details = false; ///< fills `details`
  /// If not 0, fills `events` with up to this many folds and as many transfers.
  uint64_t mostEvents = 0;
  SimulationWatcher watcher;
};

/// How a message spends its time.
struct SimulationDetails {
  static constexpr size_t kSlices = 10; ///< of the time
  /// For each link and slice, the part of its bandwidth that it carried.
  std::vector<std::vector<double>> linkUse;
  std::vector<LaneTimes> lanes;
  std::vector<CriticalPart> path;
};

/// The events in nanoseconds, in order for each lane and channel.
struct SimulatedEvents {
  std::vector<sched::TracedFold> folds; ///< of variant 0
  /// Transfers of chunks or, with fair shares, of the parts of a chunk that had
  /// one rate.
  std::vector<sched::TracedTransfer> transfers;
};

struct Simulation {
  double microseconds = 0; ///< until the last lane is done
  uint64_t folds = 0;      ///< number that ran
  uint64_t chunks = 0;     ///< number sent over channels
  uint64_t work = 0;       ///< FairShares::work()
  /// For each link, the bytes that it carried as a part of what it could carry.
  std::vector<double> linkUse;
  SimulationDetails details;
  SimulatedEvents events;
};

/// Simulates a message of `bytes` (of the whole buffer) by `program`, which has
/// lanes, in chunks as the runtime makes them from `chunks`. Every fold, slot
/// and transfer is an event. A lane takes its folds in rounds, in order, when
/// their chunks are there and slots are known to be free. A channel transfers
/// chunks one after the other, each of which arrives its path's latency later;
/// the news of a free slot takes as long. A network channel has no more than
/// its window on its way. With fair shares its part of a link is its part of
/// all chunks that wait there, because a queue serves bytes in the order of
/// arrival. The memory of buffers is no limit. No schedule that has passed
/// `verify` stops. Errors: a schedule that stops; more work than allowed.
///
/// The events are in a heap. With fair shares each start or end of transfers
/// newly divides the links that it can reach (FairShares.h). Simulates up to a
/// million chunks a second.
llvm::Expected<Simulation> simulate(const FoldProgram &program,
                                    sched::Protocol protocol,
                                    sched::ChunkSizes chunks, uint64_t bytes,
                                    const SimulationOptions &options = {});

/// Returns the error for a schedule in which lanes wait in a circle.
llvm::Error lanesStop();

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SIMULATE_H
