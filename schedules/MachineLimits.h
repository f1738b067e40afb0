//===- MachineLimits.h - what numbers of a machine may be -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The ranges that readers of topologies and schedules hold numbers to, far on
// either side of any machine. Within them sums and quotients keep enough digits
// to pack trees, and no time or rate is beyond a double.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_MACHINELIMITS_H
#define BLINK_SCHEDULES_MACHINELIMITS_H

#include <cstddef>
#include <cstdint>

namespace blink::sched {

/// Of a link, in one direction: GB/s, and for messages.
inline constexpr double kLeastBandwidth = 1e-3, kMostBandwidth = 1e6;
inline constexpr char kBandwidthRange[] = "0.001 to 1000000 GB/s";
/// Microseconds of a link; the least is 0.
inline constexpr double kMostLatency = 1e6;
inline constexpr char kLatencyRange[] = "0 to 1000000 us";
/// Parallel links that a topology file may write as one.
inline constexpr double kMostParallelLinks = 65536;
/// Of one machine. Bundles have 16-bit numbers for nodes, and need one more.
inline constexpr size_t kMostNodes = 65534, kMostLinks = size_t(1) << 21;
/// Bytes of an id or a name: each stands in many messages and reports.
inline constexpr size_t kMostNameBytes = 255;

constexpr bool isBandwidth(double gbps) {
  return gbps >= kLeastBandwidth && gbps <= kMostBandwidth; // no NaN
}
constexpr bool isLatency(double microseconds) {
  return microseconds >= 0 && microseconds <= kMostLatency;
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_MACHINELIMITS_H
