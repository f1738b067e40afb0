//===- GrowFaster.h - grown trees where they are faster ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_GROWFASTER_H
#define BLINK_COMPILER_PASSES_GROWFASTER_H

#include "compiler/packing/SelectTrees.h"

namespace blink {

/// Of a broadcast or reduce over more than 16 ranks whose optimum is `optimum`
/// GB/s, the fastest of growForests and growOverBoxes, whole or, of up to 512
/// ranks, with each tree in two parts, by the model of time, if it is faster
/// than `selected`: by 2 % in the geometric mean over messages of 1, 16, 64 and
/// 256 MiB and 1 GiB, and for that slower by a tenth at most. Where nothing is
/// selected the first of them takes its place, which may be as fast. Of forests
/// within 0.5 % the one whose pipeline is full first, for lanes are estimates,
/// and that is not. Else no trees, and for all other problems. Its rate is the
/// optimum, of more ranks than 512 a twentieth less where none is grown with it
/// and there is slack; and trees of one weight are fair (FairRate.h).
llvm::Expected<Packing> growFaster(const PackingProblem &problem,
                                   const Packing *selected, double optimum,
                                   const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_GROWFASTER_H
