//===- ChunkChoice.cpp - the slots of a schedule's channels ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/ChunkChoice.h"

#include "schedules/Collectives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <algorithm>
#include <cmath>

using namespace blink;

static constexpr double kLargestChunk = 1 << 20;
static constexpr uint32_t kLowLatencySlots = 2;
// Of a sendrecv, with few slots: a rank has such rings with each other one.
static constexpr uint32_t kPairChunk = 64 << 10;

ChannelSlots blink::chooseSlots(const FoldProgram &program, uint32_t asked) {
  if (isPairwise(program.collective)) // one hop has no pipeline to fill
    return {asked ? asked : kPairChunk, kFewSlots};
  ChunkFlow flow = timeOf(program, Protocol::simple, asked).flow;
  bool many = flow.channels * kSlots * flow.chunkBytes > kSlotBytesOfRank;
  return {flow.chunkBytes, many ? kFewSlots : kSlots};
}

/// Whether some lane begins the route of a tree's data and reads more of it
/// further on: the lane begins a chunk only after that of others has come.
static bool takesTurns(const FoldProgram &program) {
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const std::vector<size_t> &lane : rank.lanes) {
      llvm::SmallSet<int, 8> begun;
      for (size_t place : lane) {
        const FoldProgram::Fold &fold = rank.folds[place];
        if (llvm::none_of(rank.sourcesOf(fold),
                          [](auto operand) { return operand.isChannel(); }))
          begun.insert(fold.tree);
        else if (begun.contains(fold.tree))
          return true;
      }
    }
  return false;
}

ChannelSlots blink::chooseSmallSlots(const FoldProgram &program,
                                     uint64_t maxBytes, uint32_t asked) {
  uint32_t chunks = takesTurns(program) ? 1 : kLowLatencySlots;
  double lines =
      std::ceil(double(maxBytes) * largestShare(program) / chunks / 16);
  auto bytes = uint32_t(std::clamp(lines * 16, 16.0, kLargestChunk));
  return {asked == 0 ? bytes : std::min(bytes, asked), kLowLatencySlots};
}
