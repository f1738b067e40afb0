//===- LaneCosts.h - what lanes of a device cost ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A file of costs is JSON, with comments:
//
//   {"format": "blink-costs", "version": 1, "device": "H100 SXM",
//    "simple":      {"step_us": 2, "lane_gbps": 50},
//    "low_latency": {"step_us": 0.25, "lane_gbps": 16}}
//
// Either protocol may also have "notice_us", the time in which a waiting lane
// notices a chunk, and "gap_us", the time of a fold for each further channel.
//
// If costs depend on the size of messages, as on hosts, whose caches hold small
// ones, a protocol may have a list of rows, ascending by "bytes". Costs of a
// host, as `blink-perf --calibrate` measures them, also have
//
//   "host": {"processors": 2, "call_us": 0.7, "notice_us": 0.15,
//            "switch_us": 0.5, "borrow_bytes": 16385}
//
// and a row may say how fast folds are that reduce: "reduce_gbps".
//
// "network_us" is the additional cost of a chunk of a network channel at either
// end. Without it NetworkCosts.h derives the cost from the network's latency.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_LANECOSTS_H
#define BLINK_COMPILER_SIMULATE_LANECOSTS_H

#include "compiler/plan/FoldProgram.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace blink {

struct SimulationOptions;

struct LaneCosts {
  double step = 0;       ///< microseconds of a fold
  double rate = 0;       ///< GB/s that a lane moves; 0: unlimited
  double reduceRate = 0; ///< of folds that reduce; 0: the same
  double notice = 0;     ///< microseconds; see SimulationOptions
  double gap = 0;        ///< microseconds; see SimulationOptions
};

/// The threads of a host that drive ranks, one for each rank.
struct HostCosts {
  unsigned processors = 1;  ///< shared by the threads
  double call = 0;          ///< microseconds around a call
  double notice = 0;        ///< microseconds until others see a fold's end
  double turn = 0;          ///< microseconds to change to another thread
  uint64_t borrowBytes = 0; ///< least size of calls that borrow buffers
};

struct DeviceCosts {
  /// Costs for messages of this size. Smaller ones have the costs of the first
  /// row; between two rows costs are interpolated by the logarithm of the size.
  struct Row {
    double bytes = 0;
    LaneCosts costs;
  };

  std::string device;
  std::vector<Row> simple, lowLatency; ///< ascending, at least one
  std::optional<HostCosts> host;
  std::optional<double> network; ///< microseconds for a chunk at either end

  /// Returns the cost of each channel of `program`: 0 for those that stay on a
  /// machine.
  std::vector<double> enginesOf(const FoldProgram &program) const;
  LaneCosts of(sched::Protocol protocol, uint64_t bytes) const;
  /// Adds to `options` the costs of lanes that run `program` for a message of
  /// `bytes`. The step is added to the step cost that `options` has; the other
  /// costs are replaced.
  void addTo(SimulationOptions &options, const FoldProgram &program,
             sched::Protocol protocol, uint64_t bytes) const;
};

/// Returns the estimates of the model of time (TimeModel.h).
DeviceCosts modelCosts();

/// Errors: of syntax; keys that are missing, unknown or present twice, with
/// their place; a number that is out of range; sizes that do not ascend.
llvm::Expected<DeviceCosts> parseCosts(llvm::StringRef text,
                                       llvm::StringRef fileName);

/// Returns the costs in the file at `path`; "-" is standard input, "model"
/// stands for modelCosts().
llvm::Expected<DeviceCosts> costsAt(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_LANECOSTS_H
