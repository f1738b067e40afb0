//===- TimeModel.h - how long messages take, roughly ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A message of S bytes takes
//
//     T(S) = start + S x wire / rate
//
// `rate` is what the links sustain (rateOfShares). `start` is when the last
// rank would have a message of no size: on the slowest way through a tree, each
// hop takes the latencies of its links and `step`; where a fold reads or writes
// several channels, each after the first waits `child` longer. That is the
// postal model (Bar-Noy and Kipnis, 1992; LogP, Culler et al., 1993) over the
// links of the machine. What lanes and buffers cost is not in it.
//
// The constants are estimates for GPUs of the last years, no measurements. They
// weigh hops against children and choose sizes; no proof rests on them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TIMEMODEL_H
#define BLINK_COMPILER_PACKING_TIMEMODEL_H

#include "compiler/packing/Packing.h"

namespace blink {

using sched::Protocol;

struct ProtocolCosts {
  double step;  ///< microseconds to notice a chunk and start on it
  double child; ///< microseconds that each further channel of a fold waits
  double wire;  ///< bytes on the links for each byte of data
};

constexpr ProtocolCosts costsOf(Protocol protocol) {
  // `simple` polls a tag, reads, and fences before it sets the next one;
  // `low_latency` polls the data, which comes with as many bytes of flags.
  return protocol == Protocol::low_latency ? ProtocolCosts{1, 0.25, 2}
                                           : ProtocolCosts{2, 0.25, 1};
}

/// Prices of links that make a path between two ranks cost what a hop over it
/// takes, in microseconds: a link's latency, and half a step for each GPU at
/// its ends, so that a path over a relay costs a step more.
std::vector<double> hopPrices(const Fabric &fabric, ProtocolCosts costs);

/// `start` of the slowest tree of `packing`, in microseconds.
double startOf(const PackingProblem &problem, const Packing &packing,
               Protocol protocol);

/// The size in bytes from which the second way is faster,
///
///     (start2 - start1) / (wire1 / rate1 - wire2 / rate2),
///
/// as the nearest power of two from 4 KiB to 256 KiB. Starts in microseconds,
/// `perByte` = wire / rate in microseconds a byte.
struct Way {
  double start;
  double perByte;
};
uint64_t crossingSize(Way small, Way large);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TIMEMODEL_H
