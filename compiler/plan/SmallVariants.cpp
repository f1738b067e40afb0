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

/// Most ranks for which later trees are used, and for which small trees may
/// take messages from kDirectBytes on. With more ranks there are so many
/// channels that it is not yet known how engines cope with them.
static constexpr int kManyRanks = 128;

/// A message of fewer bytes fits into one packet between servers, which has
/// 1,500 bytes including all headers.
static constexpr uint64_t kPacket = 1280;

/// Returns true if large trees would cut messages that fit into a packet into
/// many more messages. The model does not count what these cost processors
/// while links are slower (docs/rationale.md, R324).
static bool cutsPackets(const PackingProblem &problem, const Packing &large,
                        const SmallVariants &variants) {
  constexpr size_t kMany = 2;
  return variants.protocol == Protocol::simple &&
         isRooted(problem.collective) && !isRouted(problem.collective) &&
         large.trees.size() > kMany && !variants.boxes &&
         variants.ranges.tree < kPacket;
}

/// Returns true if `time` beats `other` for small messages: compares the
/// product of the times at three sizes.
static bool isEarlier(const MessageTime &time, const MessageTime &other) {
  double quotient = 1;
  for (uint64_t bytes : {kSmallReferenceBytes / 64, kSmallReferenceBytes,
                         kSmallReferenceBytes * 8})
    quotient *= time.at(bytes) / other.at(bytes);
  return quotient < 1;
}

llvm::Expected<SmallVariants>
blink::chooseSmallVariants(const PackingProblem &problem, const Packing &large,
                           ScheduleLimits limits, VariantLimits most) {
  SmallVariants variants;
  if (leavesMachine(*problem.rankTopology))
    variants.protocol = Protocol::simple;
  const Protocol protocol = variants.protocol;
  // With several lanes each pair of ranks would have slots for the parts of its
  // messages.
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
      problem.rankTopology->numRanks() <= int(most.oneHop)) {
    llvm::Expected<std::optional<OneHop>> oneHop =
        packOneHop(*problem.rankTopology, protocol, limits.maxLanes);
    if (!oneHop)
      return oneHop.takeError();
    variants.oneHop = std::move(*oneHop);
  }
  // Over boxes data makes fewer hops, but more of it moves at a time: other
  // trees may be earlier for longer messages.
  std::optional<TimedPacking> later;
  if (problem.rankTopology->numRanks() <= int(most.boxes)) {
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
  if (largeTime.flow.network && limits.chunkBytes == 0 &&
      program->channels.size() <= most.repeatedChannels) {
    mediumTime = timeOfSmall(*program, Protocol::simple);
    mediumTime.flow.incast = largeTime.flow.incast;
    variants.mediumEnd = endOfMedium(mediumTime, largeTime);
  }
  // Short messages do not meet. So small variants are chosen without incasts,
  // which count where their sizes end.
  trees->time.flow.incast = trees->incast;
  std::optional<MessageTime> oneHopTime;
  if (variants.oneHop)
    oneHopTime = variants.oneHop->time;
  std::optional<MessageTime> laterTime;
  if (later && problem.rankTopology->numRanks() <= kManyRanks)
    laterTime = later->time;
  variants.ranges = chooseRanges(
      oneHopTime, variants.boxes ? variants.boxes->time : trees->time,
      variants.mediumEnd > 0 ? mediumTime : largeTime, laterTime);
  // Routed data is only copied. From kDirectBytes on the large variant writes
  // it straight into the output, but the model of time charges readers too much
  // for that. And for the messages of many ranks, the model charges one
  // processor with all of them.
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
