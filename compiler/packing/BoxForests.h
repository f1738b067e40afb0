//===- BoxForests.h - few trees of one box of a pod -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_BOXFORESTS_H
#define BLINK_COMPILER_PACKING_BOXFORESTS_H

#include "compiler/packing/SelectTrees.h"

namespace blink {

/// Returns packings of an allgather of the first of the equal boxes (Boxes.h)
/// alone, in ranks and links of the whole machine: for each of `rates`, in
/// GB/s, one of few trees with at least that rate, unless the box's links allow
/// less or it is the one before. packOverBoxes joins the trees over boxes.
/// Returns none if boxes have one rank, or if a box alone has no packing: ranks
/// may reach each other only over the network. Of `options`, keepGoing counts.
std::vector<Packing> boxForests(const RankTopology &rankTopology,
                                const std::vector<double> &rates,
                                const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_BOXFORESTS_H
