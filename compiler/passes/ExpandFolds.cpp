//===- ExpandFolds.cpp - collective-expand-folds --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns forests into schedules without lanes. ExpandForest.h in compiler/plan
// makes the folds.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_EXPANDFOLDSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Returns the symbols of the forest's trees; for a chain also the rank at its
/// far end.
std::vector<std::string> namesOf(collective::ForestOp forest,
                                 const FoldProgram &program) {
  std::vector<std::string> trees = readNames(forest), names;
  for (const FoldProgram::Tree &tree : program.trees) {
    names.push_back(trees[tree.origin]);
    if (isRouted(program.collective))
      names.back() += "." + std::to_string(tree.block % program.numRanks);
  }
  return names;
}

struct ExpandFolds : impl::ExpandFoldsPassBase<ExpandFolds> {
  LogicalResult expand(collective::ForestOp forest) {
    auto from = problemFromIR(forest, getAnalysis<PeerLimits>());
    if (failed(from))
      return failure();
    Shares shares = readShares(forest);
    llvm::Expected<FoldProgram> program = expandForest(
        (*from)->problem, readForest(forest, **from).packing, &shares);
    if (!program)
      return forest.emitError(toString(program.takeError()));
    buildSchedule(forest, (*from)->machine, *program,
                  namesOf(forest, *program));
    forest.erase();
    return success();
  }

  void runOnOperation() override {
    markAnalysesPreserved<PeerLimits>();
    for (auto forest : llvm::make_early_inc_range(
             getOperation().getOps<collective::ForestOp>()))
      if (failed(expand(forest)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
