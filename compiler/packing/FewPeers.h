//===- FewPeers.h - optima of many ranks, by few pairs ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_FEWPEERS_H
#define BLINK_COMPILER_PACKING_FEWPEERS_H

#include "compiler/packing/PackTrees.h"
#include "compiler/topology/symmetry/NetworkPeers.h"

namespace blink {

/// Rates whose ratio is at least this are equal up to rounding.
inline constexpr double kSameRate = 1 - 1e-6;

/// Up to this many ranks, packing over all pairs of a fabric without nics is
/// fast.
inline constexpr int kSoon = 512;

/// Returns the limits to try on the number of peers that a rank reaches across
/// the network: those of its own server plus the least number (at least 8) that
/// leaves at most two hops between any two servers, then plus twice and four
/// times as many.
std::vector<int> fewPeers(const NetworkPeers &peers);

/// Like packTrees, with all ranks as peers. For more than kMostUnlimited ranks
/// on a network it solves the problem with few peers instead, and keeps the
/// result if its prices prove that no packing, whatever its peers, is faster.
llvm::Expected<PackedTrees> packManyRanks(const PackingProblem &problem,
                                          const SolveWatcher &watcher = nullptr,
                                          double slack = 0);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_FEWPEERS_H
