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
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_LANECOSTS_H
#define BLINK_COMPILER_SIMULATE_LANECOSTS_H

#include "schedules/schedule_generated.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace blink {

struct LaneCosts {
  double step = 0; ///< microseconds of a fold
  double rate = 0; ///< GB/s that a lane moves; 0: without limit
};

struct DeviceCosts {
  std::string device;
  LaneCosts simple, lowLatency;

  const LaneCosts &of(sched::Protocol protocol) const {
    return protocol == sched::Protocol::low_latency ? lowLatency : simple;
  }
};

/// The estimates of the model of time (TimeModel.h).
DeviceCosts modelCosts();

/// Errors: of syntax, and keys that are missing, unknown or twice there, with
/// their place; a number that is negative.
llvm::Expected<DeviceCosts> parseCosts(llvm::StringRef text,
                                       llvm::StringRef fileName);

/// Of the file at `path`, where "-" is standard input and "model" modelCosts().
llvm::Expected<DeviceCosts> costsAt(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_LANECOSTS_H
