//===- TimeModel.h - how long messages take, roughly ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A message of S bytes takes
//
//     T(S) = start + S x max(wire / rate, 1 / lane)
//
// `rate` is what the links sustain (rateOfShares), `lane` what one lane can
// move. `start` is when the last
// rank would have a message of no size: on the slowest way through a tree, each
// hop takes the latencies of its links and `step`; where a fold reads or writes
// several channels, each after the first waits `child` longer. That is the
// postal model (Bar-Noy and Kipnis, 1992; LogP, Culler et al., 1993) over the
// links of the machine. That a lane runs its folds one by one is not in it.
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
  double lane;  ///< GB/s that the variant's lanes move; 0: enough
};

constexpr ProtocolCosts costsOf(Protocol protocol) {
  // `simple` polls a tag, reads, and fences before it sets the next one;
  // `low_latency` polls the data, which comes with as many bytes of flags.
  // The latter's one lane a direction is what limits it on fast links; the many
  // lanes of the former do not.
  return protocol == Protocol::low_latency ? ProtocolCosts{1, 0.25, 2, 16}
                                           : ProtocolCosts{2, 0.25, 1, 0};
}

/// Prices of links that make a path between two ranks cost what a hop over it
/// takes, in microseconds: a link's latency, and half a step for each GPU at
/// its ends, so that a path over a relay costs a step more.
std::vector<double> hopPrices(const Fabric &fabric, ProtocolCosts costs);

/// `start` of the slowest tree of `packing`, in microseconds.
double startOf(const PackingProblem &problem, const Packing &packing,
               Protocol protocol);

/// T(S), in microseconds.
struct MessageTime {
  double start;
  double perByte;
};
MessageTime timeOf(const PackingProblem &problem, const Packing &packing,
                   Protocol protocol);

/// The size in bytes from which `large` is faster,
///
///     (large.start - small.start) / (small.perByte - large.perByte),
///
/// as the nearest power of two from 4 KiB to 256 KiB.
uint64_t crossingSize(MessageTime small, MessageTime large);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TIMEMODEL_H
