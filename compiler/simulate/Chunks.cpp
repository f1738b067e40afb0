//===- Chunks.cpp - how a simulated message is cut ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/Chunks.h"

#include <cmath>

using namespace blink;

std::vector<TreeChunks> blink::cutTrees(const FoldProgram &program,
                                        sched::ChunkSizes sizes, double bytes,
                                        bool whole) {
  constexpr double kGranule = 64;
  const double largest = largestShare(program) * bytes;
  const double chunk =
      whole ? sizes.bytes
            : double(sched::chunkBytesOfCall(sizes, uint64_t(largest)));
  const double rounds = std::max(1.0, std::ceil(largest / chunk));
  std::vector<TreeChunks> trees;
  for (const FoldProgram::Tree &tree : program.trees) {
    TreeChunks &cut = trees.emplace_back();
    cut.bytes = bytes * tree.share;
    cut.chunkBytes = std::min(
        chunk,
        std::max(1.0, std::ceil(cut.bytes / rounds / kGranule)) * kGranule);
    // A share is not exact; its excess must not count as a chunk.
    cut.chunks = uint64_t(std::ceil(cut.bytes / cut.chunkBytes - 1e-9));
  }
  return trees;
}

uint64_t blink::countFolds(const FoldProgram &program,
                           const std::vector<TreeChunks> &cuts) {
  uint64_t folds = 0;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds)
      folds += cuts[size_t(fold.tree)].chunks;
  return folds;
}
