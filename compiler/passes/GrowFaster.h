//===- GrowFaster.h - grown trees if they are faster ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_GROWFASTER_H
#define BLINK_COMPILER_PASSES_GROWFASTER_H

#include "compiler/packing/SelectTrees.h"

namespace blink {

/// For a broadcast or reduce over more than 16 ranks whose optimum is `optimum`
/// GB/s: returns the fastest forest of growForests and growOverBoxes by the
/// model of time, if it is faster than `selected`. Up to 512 ranks, the same
/// forests with each tree in two parts compete, too. Faster means by 2 % in the
/// geometric mean over messages of 1, 16, 64 and 256 MiB and 1 GiB, and at most
/// a tenth slower for 1 GiB. If nothing is selected, the first grown forest
/// takes its place, and forests that are as fast qualify. Among forests within
/// 0.5 % of the fastest, the one whose pipeline fills first is taken, because
/// the times of lanes are estimates and the fill is not. Returns no trees in
/// all other cases and for all other problems. The forest's rate is the
/// optimum. For more than 512 ranks it may be a twentieth (or `options.slack`,
/// if that is more) less, if no forest is grown at the optimum and there is
/// slack. If growOverBoxes finds none and there is slack, the result competes
/// with growThroughBoxes, whose fastest must be faster by 5 %: its rate may be
/// a quarter less than the optimum, but then 1 GiB may take a twentieth longer
/// and no more. Trees of one weight are fair (FairRate.h).
llvm::Expected<Packing> growFaster(const PackingProblem &problem,
                                   const Packing *selected, double optimum,
                                   const SelectOptions &options);

/// For an allreduce, allgather or reducescatter whose optimum is `optimum`
/// GB/s: returns the fastest of packOverBoxes, compared with `selected` in the
/// same way, except that it must be faster by 5 %, and 1 GiB at most 2 %
/// slower. Its rate may be a twentieth less than the optimum, or a tenth (or
/// `options.slack`, if that is more) if 1 GiB is 5 % faster; if there is no
/// slack, it is the optimum. If no forest has that rate, because GPUs of a box
/// are not all joined, forests over trees of the box (BoxForests.h) are tried.
/// Their rate may be a fifth less, on the same terms. Its ranks may have peers
/// beyond the limit of `problem`.
llvm::Expected<Packing> fasterOverBoxes(const PackingProblem &problem,
                                        const Packing &selected, double optimum,
                                        const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_GROWFASTER_H
