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
// and may say in either what a lane that waits takes to notice a chunk,
// "notice_us", and a fold for each further channel, "gap_us".
//
// Where costs depend on the size of messages, as on hosts, whose caches hold
// small ones, there may be several of either, ascending by "bytes". Costs of a
// host, as `blink-perf --calibrate` measures them, also have
//
//    "host": {"processors": 2, "call_us": 0.7, "notice_us": 0.15,
//             "switch_us": 0.5, "borrow_bytes": 16385}
//
// and may say in a row how fast folds are that reduce: "reduce_gbps".
//
// What a chunk of a network channel costs either end on top is "network_us";
// without it what NetworkCosts.h makes of the network's latency.
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
  double rate = 0;       ///< GB/s that a lane moves; 0: without limit
  double reduceRate = 0; ///< of folds that reduce; 0: the same
  double notice = 0;     ///< microseconds; see SimulationOptions
  double gap = 0;        ///< likewise
};

/// Threads of a host that drive ranks, one each.
struct HostCosts {
  unsigned processors = 1; ///< that they share
  double call = 0;         ///< microseconds around a call
  double notice = 0; ///< microseconds until a fold's end is seen elsewhere
  double turn = 0;   ///< microseconds until a processor has another thread
  uint64_t borrowBytes = 0; ///< calls from which on buffers are borrowed
};

struct DeviceCosts {
  /// Of messages of this size; below, the first's; between two, by the
  /// logarithm of the size.
  struct Row {
    double bytes = 0;
    LaneCosts costs;
  };

  std::string device;
  std::vector<Row> simple, lowLatency; ///< ascending, at least one
  std::optional<HostCosts> host;
  std::optional<double> network; ///< microseconds for a chunk at either end

  /// Of each channel of `program`: 0 of those that stay on a machine.
  std::vector<double> enginesOf(const FoldProgram &program) const;
  LaneCosts of(sched::Protocol protocol, uint64_t bytes) const;
  /// To `options` what lanes cost that run `program` for a message of `bytes`:
  /// a fold's step comes on top of what they have.
  void addTo(SimulationOptions &options, const FoldProgram &program,
             sched::Protocol protocol, uint64_t bytes) const;
};

/// The estimates of the model of time (TimeModel.h).
DeviceCosts modelCosts();

/// Errors: of syntax, and keys that are missing, unknown or twice there, with
/// their place; a number that is out of range; sizes that do not ascend.
llvm::Expected<DeviceCosts> parseCosts(llvm::StringRef text,
                                       llvm::StringRef fileName);

/// Of the file at `path`, where "-" is standard input and "model" modelCosts().
llvm::Expected<DeviceCosts> costsAt(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_LANECOSTS_H
