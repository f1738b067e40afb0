//===- SmallVariants.cpp - variants for small messages --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SmallVariants.h"

#include "compiler/packing/pairs/PackPairs.h"
#include "compiler/plan/BoxTrees.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/SpreadTrees.h"
#include "schedules/ChunkSize.h"

#include <algorithm>

using namespace blink;

/// More of them have so many channels that nobody knows yet how engines bear
/// it.
static constexpr int kManyRanks = 128;

/// A message of fewer bytes fits into one packet between servers, of 1,500
/// bytes with all headers.
static constexpr uint64_t kPacket = 1280;

/// Whether large trees would cut messages that fit into a packet into many
/// more, whose cost to processors the model takes for free while links are
/// slower (docs/rationale.md, R324).
static bool cutsPackets(const PackingProblem &problem, const Packing &large,
                        const SmallVariants &variants) {
  constexpr size_t kMany = 2;
  return variants.protocol == Protocol::simple &&
         isRooted(problem.collective) && !isRouted(problem.collective) &&
         large.trees.size() > kMany && !variants.boxes &&
         variants.ranges.tree < kPacket;
}

/// Of what is for small messages: by the product of three times.
static bool isEarlier(const MessageTime &time, const MessageTime &other) {
  double quotient = 1;
  for (uint64_t bytes : {kSmallReferenceBytes / 64, kSmallReferenceBytes,
                         kSmallReferenceBytes * 8})
    quotient *= time.at(bytes) / other.at(bytes);
  return quotient < 1;
}

llvm::Expected<SmallVariants>
blink::chooseSmallVariants(const PackingProblem &problem, const Packing &large,
                           ScheduleLimits limits, ExchangeLimits ranks) {
  SmallVariants variants;
  if (leavesMachine(*problem.rankTopology))
    variants.protocol = Protocol::simple;
  const Protocol protocol = variants.protocol;
  // Each pair of ranks would have slots for the parts of its messages.
  const bool pairs = isPairwise(problem.collective);
  llvm::Expected<Packing> whole =
      pairs ? packNearestPairs(
                  problem, hopPrices(*problem.rankTopology, costsOf(protocol)))
            : packLatencyTrees(problem, protocol);
  if (!whole)
    return whole.takeError();
  llvm::Expected<TimedPacking> trees =
      spreadSmallTrees(problem, *whole, protocol, pairs ? 1 : limits.maxLanes);
  if (!trees)
    return trees.takeError();
  if (problem.collective == Collective::allreduce &&
      problem.rankTopology->numRanks() <= int(ranks.oneHop)) {
    llvm::Expected<std::optional<OneHop>> oneHop =
        packOneHop(*problem.rankTopology, protocol, limits.maxLanes);
    if (!oneHop)
      return oneHop.takeError();
    variants.oneHop = std::move(*oneHop);
  }
  // Over boxes data goes in fewer hops, and more of it at a time: what is
  // longer may be earlier by other trees.
  std::optional<TimedPacking> later;
  if (problem.rankTopology->numRanks() <= int(ranks.boxes)) {
    llvm::Expected<std::optional<Packing>> over = packBoxTrees(problem);
    if (!over)
      return over.takeError();
    if (*over) {
      llvm::Expected<TimedPacking> spread =
          spreadSmallTrees(problem, **over, protocol, limits.maxLanes);
      if (!spread)
        return spread.takeError();
      if (isEarlier(spread->time, trees->time)) {
        later = std::move(*trees);
        *trees = std::move(*spread);
      }
    }
    llvm::Expected<std::optional<BoxExchange>> boxes =
        packBoxExchange(problem, limits.maxLanes);
    if (!boxes)
      return boxes.takeError();
    if (*boxes && isEarlier((*boxes)->time, trees->time)) {
      later = *trees;
      variants.boxes = std::move(*boxes);
    }
  }
  llvm::Expected<FoldProgram> program =
      planForest(problem, large, Protocol::simple, limits.maxLanes);
  if (!program)
    return program.takeError();
  const MessageTime largeTime =
      cutShortMessages(timeOfLarge(*program, limits.chunkBytes));
  MessageTime mediumTime = largeTime;
  if (largeTime.flow.network && limits.chunkBytes == 0) {
    mediumTime = timeOfSmall(*program, Protocol::simple);
    variants.mediumEnd = endOfMedium(mediumTime, largeTime);
  }
  std::optional<MessageTime> oneHopTime;
  if (variants.oneHop)
    oneHopTime = variants.oneHop->time;
  std::optional<MessageTime> laterTime;
  if (later && problem.rankTopology->numRanks() <= kManyRanks)
    laterTime = later->time;
  variants.ranges = chooseRanges(
      oneHopTime, variants.boxes ? variants.boxes->time : trees->time,
      variants.mediumEnd > 0 ? mediumTime : largeTime, laterTime);
  // What is routed is copied and no more. From here on the large variant writes
  // it where it belongs, for which the model of time charges readers too much.
  // Of many ranks' messages it charges one processor with all.
  if ((isRouted(problem.collective) && !pairs &&
       protocol == Protocol::low_latency) ||
      (problem.rankTopology->numRanks() > kManyRanks && !variants.boxes))
    variants.ranges.later = variants.ranges.tree =
        std::min(variants.ranges.tree, sched::kDirectBytes);
  if (cutsPackets(problem, large, variants) && !later) {
    llvm::Expected<Packing> packet =
        packLatencyTrees(problem, protocol, kPacket);
    if (!packet)
      return packet.takeError();
    trees->packing = std::move(*packet);
    variants.ranges.later = variants.ranges.tree = kPacket;
  }
  variants.trees = std::move(trees->packing);
  if (later)
    variants.later = std::move(later->packing);
  return variants;
}
