//===- NetworkTest.cpp - schedules that leave their machine ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/SmallVariants.h"
#include "compiler/plan/SpreadTrees.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

namespace {

FoldProgram planOf(const RankTopology &servers, Collective collective) {
  PackingProblem problem{&servers, collective, 0};
  PackedTrees packed = valueOf(packTrees(problem));
  Packing selected = valueOf(selectTrees(problem, packed, {}));
  return valueOf(
      planForest(problem, selected, Protocol::simple, /*maxLanes=*/16));
}

uint32_t chunkOf(double bandwidth, int numServers = 4,
                 Collective collective = Collective::allgather) {
  const RankTopology topology =
      serversOf(std::vector<double>(size_t(numServers), bandwidth));
  return chooseSlots(planOf(topology, collective), 0).chunks.bytes;
}

} // namespace

TEST_CASE("windows are what a channel sends in two round trips and a chunk") {
  FoldProgram program = planOf(serversOf({1, 1, 1, 1}), Collective::allgather);
  // Each rank sends a quarter of the buffer to each of three others over 1
  // GB/s, so a channel has a third of that: a chunk of 16 KiB takes 49 us, and
  // two round trips take 2 x 2 x 24 us.
  assignSlots(program, {16 << 10, 4});
  for (const FoldProgram::Channel &channel : program.channels) {
    CHECK(channel.slots == 4);
    CHECK(channel.window == 3);
  }
  assignSlots(program, {128 << 10, 4});
  CHECK(program.channels[0].window == kLeastWindow);
  assignSlots(program, {128 << 10, 2});
  CHECK(program.channels[0].window == 2); // no more than slots
  assignSlots(program, {4 << 10, 4});
  CHECK(program.channels[0].window == 4);
  assignSlots(program, {4 << 10, 64});
  CHECK(program.channels[0].window == 9);
  program.channels[0].kind = sched::ChannelKind::peer;
  assignSlots(program, {4 << 10, 64});
  CHECK(program.channels[0].window == 0);
}

TEST_CASE("a fold that cannot be taken apart has deeper rings") {
  // An inner rank of a tree reads one channel and writes two.
  FoldProgram program = planOf(serversOf({1, 1, 1, 1}), Collective::broadcast);
  assignSlots(program, {16 << 10, 4});
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      const auto to = rank.destinationsOf(fold);
      const long channels = llvm::count_if(
          to, [](const auto &operand) { return operand.isChannel(); });
      for (const FoldProgram::Operand &operand : to)
        if (operand.isChannel())
          CHECK(program.channels[size_t(operand.index)].slots ==
                (channels > 1 ? 8 : 4));
    }
}

TEST_CASE("an input that goes to several servers goes to each by itself") {
  const RankTopology topology = serversOf({1, 1, 1, 1});
  for (const FoldProgram::Rank &rank :
       planOf(topology, Collective::allgather).ranks) {
    int inputs = 0;
    for (const FoldProgram::Fold &fold : rank.folds)
      if (rank.sourcesOf(fold)[0].kind == sched::OperandKind::input) {
        ++inputs;
        CHECK(fold.destinations == 1);
      }
    CHECK(inputs == 4);
    CHECK(rank.lanes.size() == rank.folds.size());
  }
}

TEST_CASE("no two servers begin with the same one") {
  const FoldProgram program =
      planOf(serversOf({1, 1, 1, 1}), Collective::allreduce);
  for (int own = 0; own < 4; ++own) {
    CAPTURE(own);
    const FoldProgram::Rank &rank = program.ranks[size_t(own)];
    std::vector<int> others; // in the order of sending
    for (const std::vector<size_t> &lane : rank.lanes) {
      const FoldProgram::Fold &first = rank.folds[lane[0]];
      if (!rank.sourcesOf(first)[0].isChannel() && first.sources == 1)
        others.push_back(
            program.channels[rank.destinationsOf(first)[0].index].destination);
    }
    CHECK(others ==
          std::vector<int>{(own + 1) % 4, (own + 2) % 4, (own + 3) % 4});
  }
}

TEST_CASE("chunks between servers take their time on the wire") {
  // Half to all of a millisecond, in sizes that TCP sends as a segment.
  CHECK(chunkOf(0.025) == 16 << 10);
  CHECK(chunkOf(0.125) == 64 << 10);
  CHECK(chunkOf(1.25) == 128 << 10); // three others send two each
  CHECK(chunkOf(12.5) == 256 << 10);
  // Chunks are smaller if a tree's pipeline has to fill.
  CHECK(chunkOf(0.025, 8, Collective::broadcast) <= 16 << 10);
  CHECK(chunkOf(0.125, 8, Collective::broadcast) <= 64 << 10);
  // 63 others send two each at the same time: at most 512 KiB wait for a NIC.
  const RankTopology many = serversOf(std::vector<double>(64, 0.025));
  CHECK(mostMessage(planOf(many, Collective::allgather)) == 4 << 10);
}

TEST_CASE("what messages cost an engine") {
  const RankTopology near = serversOf({1, 1}, 2), far = serversOf({1, 1}, 500);
  auto cost = [](const RankTopology &topology) {
    const FoldProgram program = planOf(topology, Collective::broadcast);
    const std::vector<double> costs = engineCosts(program);
    REQUIRE(costs.size() == 1);
    // The load that lanes share: all of it for TCP, and little of it for less.
    CHECK(busiestEngine(program) ==
          doctest::Approx(costs[0] * costs[0] / kMostEngine));
    CHECK(costs[0] == engineCost(topology, Path(program.paths.begin(),
                                                program.paths.end())));
    return costs[0];
  };
  CHECK(cost(near) == 2); // half of 4 us
  CHECK(cost(far) == 15); // the maximum
  CHECK(leavesMachine(near));
  const RankTopology local = rankTopologyOf(shippedTopology("dgx1"));
  CHECK(!leavesMachine(local));
  CHECK(busiestEngine(planOf(local, Collective::broadcast)) == 0);
}

TEST_CASE("last chunks of many senders are late") {
  const RankTopology eight = serversOf(std::vector<double>(8, 0.05));
  const FoldProgram star = planOf(eight, Collective::allgather);
  // Each rank reads an eighth of the buffer from each of seven others, so six
  // of these eighths meet the seventh, and half of them are late.
  const double incast = incastOf(star);
  CHECK(incast == doctest::Approx(6.0 / 2 / 8 / 50));
  // An allreduce makes the same hops up and down.
  CHECK(incastOf(planOf(eight, Collective::allreduce)) ==
        doctest::Approx(2 * incast));
  CHECK(incastOf(planOf(serversOf(std::vector<double>(8, 0.05), 1),
                        Collective::allgather)) == 0); // RDMA
  CHECK(incastOf(planOf(rankTopologyOf(shippedTopology("dgx1")),
                        Collective::allgather)) == 0);
  CHECK(incastOf(planOf(serversOf({1, 1}), Collective::allgather)) == 0);

  // A round moves a chunk of each eighth. The first 20 KiB are in order.
  constexpr uint32_t kChunk = 16 << 10;
  constexpr uint64_t kRound = 8 * kChunk;
  CHECK(incastTime(star, kChunk, kRound) == 0);
  CHECK(incastTime(star, kChunk, kRound + kRound / 4) == 0);
  CHECK(incastTime(star, kChunk, 8 * kRound) ==
        doctest::Approx(incast * kRound * (1 - 20.0 / 128)));
  CHECK(timeOfLarge(star, kChunk).incastAt(8 * kRound) ==
        doctest::Approx(incastTime(star, kChunk, 8 * kRound)));
  // A single chunk is never more than its message.
  CHECK(incastTime(star, 64 << 10, 8 << 18) ==
        doctest::Approx(incast * (8 << 16) * (1 - 20.0 / 256)));
  CHECK(incastTime(star, 64 << 10, 8 << 15) ==
        doctest::Approx(incast * (8 << 15) * (1 - 20.0 / 32)));
}

TEST_CASE("small messages between servers go by simple, a hop up to KiB") {
  PackingProblem problem;
  auto smallOf = [&](const RankTopology &topology) {
    problem = {&topology, Collective::allreduce, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    return valueOf(chooseSmallVariants(
        problem, valueOf(selectTrees(problem, packed, {})), {}, {}));
  };
  const RankTopology four = serversOf({1.25, 1.25, 1.25, 1.25}, 12.5);
  const SmallVariants small = smallOf(four);
  CHECK(small.protocol == Protocol::simple);
  // One hop saves 25 us and a step, but sends 2.5 times as much: 27 us more for
  // 22 KB at 1.25 GB/s.
  CHECK(small.ranges.oneHop >= 8 << 10);
  CHECK(small.ranges.oneHop <= 64 << 10);
  CHECK(smallOf(rankTopologyOf(shippedTopology("a100-nv4"))).protocol ==
        Protocol::low_latency);
}

TEST_CASE("a message that fits into a packet is not cut into many") {
  auto smallOf = [&](const RankTopology &topology, Collective collective) {
    const PackingProblem problem{&topology, collective, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    return valueOf(chooseSmallVariants(
        problem, valueOf(selectTrees(problem, packed, {})), {}, {}));
  };
  // At 25 MB/s, 1 KiB takes 41 us. There are six large trees.
  const RankTopology eight = serversOf(std::vector<double>(8, 0.025));
  for (Collective collective : {Collective::broadcast, Collective::reduce}) {
    const SmallVariants small = smallOf(eight, collective);
    CHECK(small.ranges.tree == 1280);
    CHECK(small.ranges.later == 1280);
    REQUIRE(small.trees.trees.size() == 1);
    // Until a rank can send again, another rank can make a hop.
    const Tree &tree = small.trees.trees[0];
    const auto &edges = collective == Collective::reduce ? tree.up : tree.down;
    CHECK(llvm::count_if(edges, [&](const auto &edge) {
            return edge.from == 0 || edge.to == 0;
          }) == 3);
  }
  // Two trees are not many.
  const RankTopology four = serversOf(std::vector<double>(4, 0.0125));
  CHECK(smallOf(four, Collective::broadcast).ranges.tree == 384);
  // Scattered blocks go to each rank separately.
  CHECK(smallOf(eight, Collective::scatter).ranges.tree != 1280);
  CHECK(smallOf(eight, Collective::allreduce).ranges.tree == 640);
}

TEST_CASE("many channels are not written again for smaller chunks") {
  const RankTopology servers = serversOf(std::vector<double>(160, 0.125));
  const PackingProblem problem{&servers, Collective::broadcast, 0};
  const Packing one = valueOf(packTrees(problem)).packing;
  REQUIRE(one.trees.size() == 1);
  auto mediumEnd = [&](unsigned copies) {
    Packing large = one;
    large.trees.assign(copies, one.trees[0]);
    for (Tree &tree : large.trees)
      tree.weight /= copies;
    VariantLimits limits;
    limits.repeatedChannels = 1000;
    return valueOf(chooseSmallVariants(problem, large, {}, limits)).mediumEnd;
  };
  CHECK(mediumEnd(6) == 16 << 20); // 954 channels
  CHECK(mediumEnd(7) == 0);        // 1,113
}

TEST_CASE("small trees between servers are not split for little") {
  const RankTopology four = serversOf(std::vector<double>(4, 0.025));
  const PackingProblem problem{&four, Collective::allgather, 0};
  const Packing whole = valueOf(packLatencyTrees(problem, Protocol::simple));
  const TimedPacking small =
      valueOf(spreadSmallTrees(problem, whole, Protocol::simple, 16));
  CHECK(small.packing.trees.size() == 4);
}

TEST_CASE("trees keep their weights where only a network is full") {
  // NICs of two speeds give trees of one unit and of eight units.
  const RankTopology mixed = serversOf({1, 2, 1, 2, 1, 2, 1, 2});
  const FoldProgram program = planOf(mixed, Collective::allreduce);
  CHECK(program.trees.size() == 8);
}
