//===- TimeModel.h - how long messages take, roughly ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A message of S bytes takes
//
//     T(S) = start + S x max(wire / rate, moves / lane)
//
// `rate` is what the links sustain (rateOfShares), `lane` what one lane can
// move, and `moves` how often the busiest lane moves the buffer: a byte read
// from one channel and written to another is moved once, and a lane that sends
// it to seven channels and reads seven others moves it seven times. `start` is
// when the last rank would have a message of no size: on the slowest way
// through a tree, each hop takes the latencies of its links and `step`; where a
// fold reads or writes several channels, each after the first waits `child`
// longer. That is the postal model (Bar-Noy and Kipnis, 1992; LogP, Culler et
// al., 1993) over the links of the machine. That a lane runs its folds one by
// one is not in `start`.
//
// The constants are estimates for GPUs of the last years, no measurements. They
// weigh hops against children and choose sizes; no proof rests on them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TIMEMODEL_H
#define BLINK_COMPILER_PACKING_TIMEMODEL_H

#include "compiler/packing/Packing.h"

#include <optional>

namespace blink {

using sched::Protocol;

struct ProtocolCosts {
  double step;  ///< microseconds to notice a chunk and start on it
  double child; ///< microseconds that each further channel of a fold waits
  double wire;  ///< bytes on the links for each byte of data
  double lane;  ///< GB/s that one lane moves; 0: there are lanes enough
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

/// The formula at the top: `rate` in GB/s, `moves` at least 1.
MessageTime messageTime(ProtocolCosts costs, double start, double rate,
                        double moves);

/// The size in bytes from which `large` is faster,
///
///     (large.start - small.start) / (small.perByte - large.perByte),
///
/// as the nearest power of two from 4 KiB to 256 KiB.
uint64_t crossingSize(MessageTime small, MessageTime large);

/// Where the ways for small messages end, in bytes: the first is for sizes
/// below `oneHop`, the second from there to below `tree`. Empty ranges, of one
/// that is nowhere the fastest, begin and end at the same size.
struct SmallRanges {
  uint64_t oneHop = 0;
  uint64_t tree = 0;
};

/// Which of three ways is the fastest for which sizes. `oneHop`, if there is
/// one, must start earlier than `tree` to have any; its sizes end at a power of
/// two from 256 bytes to 256 KiB. The others meet at their crossingSize.
SmallRanges chooseRanges(const std::optional<MessageTime> &oneHop,
                         MessageTime tree, MessageTime large);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TIMEMODEL_H
