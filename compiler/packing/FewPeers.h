//===- FewPeers.h - the optimum of many ranks, by few pairs -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_FEWPEERS_H
#define BLINK_COMPILER_PACKING_FEWPEERS_H

#include "compiler/packing/PackTrees.h"
#include "compiler/topology/symmetry/NetworkPeers.h"

namespace blink {

/// What may be lost of a rate that is the same but for rounding.
inline constexpr double kSameRate = 1 - 1e-6;

/// How many others across the network a rank may be limited to: no fewer than
/// leave two hops between any two servers, and twice and four times as many,
/// beside those of its own server.
std::vector<int> fewPeers(const NetworkPeers &peers);

/// As packTrees, of all ranks; of thousands on a network by the problem of few
/// peers, where its prices prove that no packing whatever its peers is faster.
llvm::Expected<PackedTrees> packManyRanks(const PackingProblem &problem,
                                          const SolveWatcher &watcher = nullptr,
                                          double slack = 0);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_FEWPEERS_H
