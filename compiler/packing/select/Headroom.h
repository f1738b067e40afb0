//===- Headroom.h - links that need not be full -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// An optimal packing fills the links that its certificate prices; other links
// may happen to be full as well. Between servers that is costly: flows that
// leave a NIC share it by the transport's rules, not by the trees' weights, and
// if the NIC is full, a channel to a slower server gets less than it needs.
// Keeping some room on links that are not scarce takes nothing from the rate.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_HEADROOM_H
#define BLINK_COMPILER_PACKING_SELECT_HEADROOM_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Returns the load that a packing should not exceed on each link of the
/// topology, in GB/s: the link's bandwidth, or nine tenths of it for network
/// links without a price.
std::vector<double> bandwidthsWithHeadroom(const PackingProblem &problem,
                                           const PackingCertificate &proof);

/// Returns true if no link carries more than its entry in `bandwidths`.
bool keepsHeadroom(const PackingProblem &problem, const Packing &packing,
                   const std::vector<double> &bandwidths);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_HEADROOM_H
