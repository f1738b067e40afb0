//===- MachineLimits.h - limits on a machine's numbers ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The ranges that readers of topologies and schedules accept, far beyond any
// machine on both sides. Within them sums and quotients keep enough digits to
// pack trees, and no time or rate overflows a double.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_MACHINELIMITS_H
#define BLINK_SCHEDULES_MACHINELIMITS_H

#include <cstddef>
#include <cstdint>

namespace blink::sched {

/// Bandwidth of a link in one direction, in GB/s, and the range as text for
/// errors.
inline constexpr double kLeastBandwidth = 1e-3, kMostBandwidth = 1e6;
inline constexpr char kBandwidthRange[] = "0.001 to 1000000 GB/s";
/// Latency of a link in microseconds; the least is 0.
inline constexpr double kMostLatency = 1e6;
inline constexpr char kLatencyRange[] = "0 to 1000000 us";
/// The most parallel links that a topology file may write as one.
inline constexpr double kMostParallelLinks = 65536;
/// Limits of one machine. Bundles number nodes with 16 bits and need one more
/// value.
inline constexpr size_t kMostNodes = 65534, kMostLinks = size_t(1) << 21;
/// Bytes of an id or a name, each of which occurs in many messages and reports.
inline constexpr size_t kMostNameBytes = 255;

constexpr bool isBandwidth(double gbps) {
  return gbps >= kLeastBandwidth && gbps <= kMostBandwidth; // false for NaN
}
constexpr bool isLatency(double microseconds) {
  return microseconds >= 0 && microseconds <= kMostLatency;
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_MACHINELIMITS_H
