//===- Bandwidth.h - how fast the links let a schedule go -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_BANDWIDTH_H
#define BLINK_COMPILER_VERIFY_BANDWIDTH_H

#include "compiler/verify/PathRules.h"

namespace blink::verify {

struct Bandwidth {
  double algbw;        ///< GB/s; infinite when no link carries anything
  uint32_t bottleneck; ///< the link that sets it, the first of equals
};

/// What each link carries per byte of S in the fluid limit: for S bytes, tree t
/// of a block moves share(t) x S / (number of blocks) over each link of each of
/// its channels. Of a sendrecv the most that any of its blocks, each on its
/// own, brings; of a symmetric variant what its own trees bring.
/// `partialSums`: of types whose partial sums take so many times their bytes.
std::vector<double> linkLoads(const TopologyView &machine,
                              const Semantics &semantics,
                              const sched::Variant &variant,
                              double partialSums = 1);
/// The rate that such loads allow: that of the link with the least bandwidth
/// for what it carries per byte.
Bandwidth rateOf(const TopologyView &machine, const std::vector<double> &loads);

/// Equal but for the rounding of two ways to compute one number: within 1e-9
/// relative. Infinities equal themselves; NaN equals nothing.
bool nearlyEqual(double a, double b);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_BANDWIDTH_H
