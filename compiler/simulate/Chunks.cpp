//===- Chunks.cpp - how a simulated message is cut ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/Chunks.h"

#include <cmath>

using namespace blink;

/// A share is not exact; its excess must not count as a chunk or a wave.
static constexpr double kRounding = 1e-9;

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
    cut.chunks = uint64_t(std::ceil(cut.bytes / cut.chunkBytes - kRounding));
    cut.waveBytes = cut.chunkBytes;
  }
  return trees;
}

bool TreeChunks::endsChunk(uint64_t wave) const {
  const double moved = double(wave % waves + 1) * waveBytes;
  return moved >= bytesOf(wave / waves) * (1 - kRounding);
}

void blink::keepRounds(std::vector<TreeChunks> &trees, uint64_t most) {
  for (TreeChunks &cut : trees) {
    cut.chunks = std::min(cut.chunks, most);
    cut.bytes = std::min(cut.bytes, double(most) * cut.chunkBytes);
  }
}

void blink::divideIntoWaves(std::vector<TreeChunks> &trees) {
  for (TreeChunks &cut : trees) {
    cut.waveBytes = std::min(cut.chunkBytes, double(sched::kWaveBytes));
    cut.waves = uint64_t(std::ceil(cut.chunkBytes / cut.waveBytes - kRounding));
  }
}

uint64_t blink::countFolds(const FoldProgram &program,
                           const std::vector<TreeChunks> &cuts) {
  uint64_t folds = 0;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds)
      folds += cuts[size_t(fold.tree)].chunks;
  return folds;
}
