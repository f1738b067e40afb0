//===- SmallVariants.cpp - variants for small messages --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SmallVariants.h"

#include "compiler/packing/pairs/PackPairs.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/SpreadTrees.h"

using namespace blink;

llvm::Expected<SmallVariants>
blink::chooseSmallVariants(const PackingProblem &problem, const Packing &large,
                           ScheduleLimits limits, unsigned maxOneHopRanks) {
  constexpr Protocol kProtocol = Protocol::low_latency;
  // Each pair of ranks would have slots for the parts of its messages.
  const bool pairs = isPairwise(problem.collective);
  llvm::Expected<Packing> whole =
      pairs ? packNearestPairs(
                  problem, hopPrices(*problem.rankTopology, costsOf(kProtocol)))
            : packLatencyTrees(problem, kProtocol);
  if (!whole)
    return whole.takeError();
  llvm::Expected<TimedPacking> trees =
      spreadSmallTrees(problem, *whole, kProtocol, pairs ? 1 : limits.maxLanes);
  if (!trees)
    return trees.takeError();
  SmallVariants variants;
  variants.trees = std::move(trees->packing);
  if (problem.collective == Collective::allreduce &&
      problem.rankTopology->numRanks() <= int(maxOneHopRanks)) {
    llvm::Expected<std::optional<OneHop>> oneHop =
        packOneHop(*problem.rankTopology, kProtocol, limits.maxLanes);
    if (!oneHop)
      return oneHop.takeError();
    variants.oneHop = std::move(*oneHop);
  }
  llvm::Expected<FoldProgram> program =
      planForest(problem, large, Protocol::simple, limits.maxLanes);
  if (!program)
    return program.takeError();
  std::optional<MessageTime> oneHopTime;
  if (variants.oneHop)
    oneHopTime = variants.oneHop->time;
  variants.ranges =
      chooseRanges(oneHopTime, trees->time,
                   timeOf(*program, Protocol::simple, limits.chunkBytes));
  return variants;
}
