//===- Headroom.h - links that need not be full -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// An optimal packing fills the links that its certificate prices; others may be
// full as well, by the way. Between servers that costs: what leaves a NIC
// shares it by the transport's rules, not by the trees' weights, and where the
// NIC is full a channel to a slower server gets less than it needs. Some room
// on the links that are not scarce takes nothing from the rate.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_HEADROOM_H
#define BLINK_COMPILER_PACKING_SELECT_HEADROOM_H

#include "compiler/packing/Packing.h"

namespace blink {

/// What a packing should use at most of each link of the topology, in GB/s: its
/// bandwidth; nine tenths of it for network links without a price.
std::vector<double> bandwidthsWithHeadroom(const PackingProblem &problem,
                                           const PackingCertificate &proof);

/// Whether each link has as much left as `bandwidths` leaves it.
bool keepsHeadroom(const PackingProblem &problem, const Packing &packing,
                   const std::vector<double> &bandwidths);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_HEADROOM_H
