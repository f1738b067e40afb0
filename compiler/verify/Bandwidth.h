//===- Bandwidth.h - the rate that the links allow --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_BANDWIDTH_H
#define BLINK_COMPILER_VERIFY_BANDWIDTH_H

#include "compiler/verify/PathRules.h"

namespace blink::verify {

struct Bandwidth {
  double algbw;        ///< GB/s; infinite if no link carries anything
  uint32_t bottleneck; ///< the link that limits it; the first on a tie
};

/// Returns what each link carries per byte of S in the fluid limit: for S
/// bytes, tree t of a block moves share(t) x S / (number of blocks) over each
/// link of each of its channels. For a sendrecv, it is the most that any single
/// block brings; for a symmetric variant, what the trees that it lists bring.
/// `partialSums` is the factor by which partial sums take more bytes than the
/// type.
std::vector<double> linkLoads(const TopologyView &machine,
                              const Semantics &semantics,
                              const sched::Variant &variant,
                              double partialSums = 1);
/// Returns the rate that such loads allow: that of the link with the least
/// bandwidth per byte that it carries.
Bandwidth rateOf(const TopologyView &machine, const std::vector<double> &loads);

/// Returns true if the numbers are equal except for the rounding of two ways to
/// compute them: within 1e-9 relative. Infinities equal themselves; NaN equals
/// nothing.
bool nearlyEqual(double a, double b);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_BANDWIDTH_H
