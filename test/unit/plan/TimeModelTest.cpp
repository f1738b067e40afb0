//===- TimeModelTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The time model, compared with numbers found by hand.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimeModel.h"
#include "compiler/packing/Packing.h"
#include "compiler/plan/LatencyTree.h"
#include "schedules/ChunkSize.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

constexpr uint64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;

/// Sets the lanes to the same with zero copy and without: all folds move
/// something, the whole buffer once at `rate` GB/s.
void setLanes(MessageTime &time, double folds, double rate = 50) {
  time.flow.slots = time.flow.direct = {folds, 0};
  time.flow.lanes = {{1, folds, folds}};
  time.flow.laneRate = rate;
}

/// Returns GPUs a, b, c, ..., each joined to the next one or to all others.
RankTopology gpus(int n, bool all, double bandwidth) {
  std::string nodes, links;
  auto name = [](int gpu) { return std::string(1, char('a' + gpu)); };
  for (int gpu = 0; gpu < n; ++gpu) {
    nodes +=
        (gpu ? "," : "") + (R"({"id": ")" + name(gpu)) + R"(", "kind": "gpu"})";
    for (int to = gpu + 1; to < (all ? n : std::min(n, gpu + 2)); ++to)
      links += (links.empty() ? "" : ",") + (R"({"from": ")" + name(gpu)) +
               R"(", "to": ")" + name(to) + R"(", "bandwidth": )" +
               std::to_string(bandwidth) +
               R"(, "latency": 0.5, "kind": "nvlink"})";
  }
  return rankTopologyOf(makeTopology(nodes, links));
}

MessageTime timeInLanes(const PackingProblem &problem, const Packing &packing,
                        Protocol protocol, unsigned maxLanes,
                        uint32_t chunkBytes = 0) {
  return timeOf(valueOf(planForest(problem, packing, protocol, maxLanes)),
                protocol, chunkBytes);
}

MessageTime smallTime(const RankTopology &rankTopology, Collective collective,
                      unsigned maxLanes = 16) {
  PackingProblem problem{&rankTopology, collective, 0};
  Packing packing = valueOf(packLatencyTrees(problem, Protocol::low_latency));
  return timeInLanes(problem, packing, Protocol::low_latency, maxLanes);
}

double nanosecondsPerByte(const RankTopology &rankTopology,
                          Collective collective, unsigned maxLanes = 16) {
  return smallTime(rankTopology, collective, maxLanes).gapPerByte * 1000;
}

} // namespace

TEST_CASE("into what chunks a call is cut") {
  auto chunk = [](uint64_t chunkBytes, uint64_t treeBytes) {
    return sched::chunkBytesOfCall(chunkBytes, treeBytes);
  };
  CHECK(chunk(kMiB, 0) == 64 * kKiB);
  CHECK(chunk(16 * kKiB, 0) == 16 * kKiB);
  CHECK(chunk(16 * kKiB, 100 * kMiB) == 16 * kKiB);
  CHECK(chunk(kMiB, 256 * kKiB - 64) == 64 * kKiB);
  // Four chunks of a quarter, rounded up to 64 bytes, plus 64.
  CHECK(chunk(kMiB, kMiB) == 256 * kKiB + 64);
  CHECK(chunk(kMiB, 16 * kMiB) == kMiB);
  // The limits are those of the variant.
  auto least = [](uint64_t treeBytes, uint32_t bytes, uint32_t chunks) {
    return sched::chunkBytesOfCall({64 * kKiB, bytes, chunks}, treeBytes);
  };
  CHECK(least(256 * kKiB, 64, 1) == 64 * kKiB);
  CHECK(least(256 * kKiB, 8 * kKiB, 16) == 16 * kKiB + 64);
  CHECK(least(256 * kKiB, 8 * kKiB, 64) == 8 * kKiB);
  CHECK(least(8 * kMiB, 8 * kKiB, 16) == 64 * kKiB);
}

TEST_CASE("what a message takes, part by part") {
  // 50 GB/s of lanes: 0.02 ns per byte, 1,310.72 us for 64 MiB.
  MessageTime time = {10, 2e-5};
  CHECK(time.at(0) == 10);
  CHECK(time.at(1000000) == doctest::Approx(30));

  // Words flow through: each further fold of a lane costs an overhead once.
  time.flow.chunkOverhead = 0.25;
  setLanes(time, 3);
  CHECK(time.at(0) == doctest::Approx(10.5));
  CHECK(time.at(1000000) == doctest::Approx(30.5));

  // One tree of three hops with chunks of 64 KiB, which take 1.31072 us each.
  // Each chunk after the first costs an overhead, and two chunks pass before
  // the last hop begins.
  time.flow.chunkOverhead = 2;
  setLanes(time, 1);
  time.flow.chunkBytes = 64 * kKiB;
  time.flow.largest = 1;
  time.flow.hops = 3;
  CHECK(time.at(64 * kKiB) == doctest::Approx(10 + 3 * 1.31072));
  CHECK(time.at(64 * kKiB * 5) ==
        doctest::Approx(10 + 5 * 1.31072 + 2 * 1.31072 + 4 * 2));
  // A message smaller than a chunk goes from hop to hop as a whole.
  CHECK(time.at(32 * kKiB) == doctest::Approx(10 + 3 * 0.65536));
  // The runtime splits 128 KiB into two chunks of 64 KiB.
  time.flow.chunkBytes = kMiB;
  CHECK(time.at(128 * kKiB) == doctest::Approx(10 + 4 * 1.31072 + 2));

  // Two trees with half of the buffer each, whose chunks take twice as long;
  // the folds of both are in one lane.
  time.flow = {};
  time.flow.chunkOverhead = 2;
  setLanes(time, 2);
  time.flow.chunkBytes = 64 * kKiB;
  time.flow.largest = 0.5;
  time.flow.hops = 3;
  CHECK(time.at(512 * kKiB) ==
        doctest::Approx(10 + 8 * 1.31072 + 2 * 2.62144 + 7 * 2));
  // In separate lanes there are half as many overheads.
  setLanes(time, 1);
  CHECK(time.at(512 * kKiB) ==
        doctest::Approx(10 + 8 * 1.31072 + 2 * 2.62144 + 3 * 2));
  // With unequal trees, the largest sets the number of rounds: a round is 1 1/3
  // chunks of the message. At 64 KiB the whole message is one round.
  time.flow.largest = 0.75;
  CHECK(time.at(kMiB) ==
        doctest::Approx(10 + 16 * 1.31072 + 2 * 4.0 / 3 * 1.31072 + 11 * 2));
  CHECK(time.at(64 * kKiB) == doctest::Approx(10 + 3 * 1.31072));
}

TEST_CASE("overheads of lanes are hidden as long as lanes wait for links") {
  // Links move 50 GB/s and lanes 100: half of a chunk's 1.31072 us is left for
  // overheads.
  MessageTime time = {10, 2e-5};
  time.flow.chunkBytes = 64 * kKiB;
  time.flow.largest = 1;
  setLanes(time, 1, 100);
  time.flow.chunkOverhead = 0.5;
  CHECK(time.at(kMiB) == doctest::Approx(10 + 16 * 1.31072));
  time.flow.chunkOverhead = 2;
  CHECK(time.at(kMiB) == doctest::Approx(10 + 8 * 1.31072 + 15 * 2));
}

TEST_CASE("messages of a lane take as long for each chunk as its folds") {
  MessageTime time = {10, 2e-5};
  time.flow.chunkBytes = 64 * kKiB;
  time.flow.largest = 1;
  setLanes(time, 1);
  time.flow.chunkOverhead = 2;
  time.flow.lanes[0].messages = 5;
  CHECK(time.at(kMiB) == doctest::Approx(10 + 16 * 1.31072 + 15 * (2 + 5)));
  // This lane moves nothing but has more messages.
  LaneLoads lanes;
  for (double messages : {3.0, 0.0, 4.0}) {
    lanes.startLane();
    lanes.add({messages == 4 ? 0 : 2.0, 2, false}, messages);
  }
  const std::vector<LaneWork> work = lanes.work();
  REQUIRE(work.size() == 2);
  CHECK(work[0].messages == 3);
  CHECK(work[1].messages == 4);
}

TEST_CASE("chunks between powers of two fill pipelines sooner") {
  // 50 GB/s of links in eight trees, whose folds share a lane that moves
  // little: 1,342 us for 64 MiB. Turns of 16 us take as long if rounds are
  // smaller than 800 KB.
  auto timeOf = [](double hops) {
    MessageTime time = {0, 2e-5};
    setLanes(time, 8);
    time.flow.lanes[0].bytesMoved = 0.05;
    time.flow.linkGap = 2e-5;
    time.flow.chunkOverhead = 2;
    time.flow.largest = 0.125;
    time.flow.hops = hops;
    time.flow.slotBytes = 1 << 30;
    time.flow.chunkBytes = chooseChunk(time);
    return time;
  };
  const MessageTime deep = timeOf(17);
  CHECK(deep.flow.chunkBytes == 128 * kKiB);
  CHECK(refineChunk(deep, 0) == 112 * kKiB);
  // The costs of lanes and messages do not count for links.
  CHECK(deep.linksAt(64 * kMiB) ==
        doctest::Approx(64 * kMiB * 2e-5 + 16 * kMiB * 2e-5));
  // Rounds of eight times 112 KiB fill in 3.2 % of the time of 256 MiB. Rounds
  // of 104 KiB, with which turns take 1.4 % more, fill in 3.0 %, except for the
  // first bytes, which the model may assume to be later than they are.
  MessageTime late = timeOf(10.6);
  late.flow.lanes[0].bytesMoved = 0.075;
  late.start = 200;
  CHECK(refineChunk(late, 200) == 112 * kKiB);
  CHECK(refineChunk(late, 0) == 104 * kKiB);
  // A pipeline that fills within 1 % of the time keeps its chunks.
  MessageTime flat = timeOf(1.2);
  CHECK(refineChunk(flat, 0) == flat.flow.chunkBytes);
  // Between servers, chunks for large messages are not smaller than 64 KiB.
  MessageTime far = timeOf(1000);
  far.flow.lanes[0].slotFolds = far.flow.lanes[0].directFolds = 0;
  CHECK(chooseChunk(far) == 16 * kKiB);
  far.flow.network = true;
  CHECK(chooseChunk(far) == 64 * kKiB);
  CHECK(chooseChunk(far, kSmallReferenceBytes) == 4 * kKiB);
  far.flow.chunkBytes = 64 * kKiB;
  CHECK(refineChunk(far, 0) == 64 * kKiB);
}

TEST_CASE("chunks between servers fill packets where trees have many") {
  MessageTime time{0, 0.04};
  time.flow.chunkBytes = 4 * kKiB;
  CHECK(fillPackets(time).flow.sizes() == time.flow.sizes());
  time.flow.network = true;
  const sched::ChunkSizes sizes = fillPackets(time).flow.sizes();
  CHECK(sched::chunkBytesOfCall(sizes, 2 * kKiB) == 4 * kKiB);
  CHECK(sched::chunkBytesOfCall(sizes, 31 * kKiB) == 4 * kKiB);
  CHECK(sched::chunkBytesOfCall(sizes, 48 * kKiB) == 6 * kKiB + 64);
  CHECK(sched::chunkBytesOfCall(sizes, 64 * kKiB) == 8 * kKiB);
  // Larger chunks do not change, nor do chunks for which queues have no more
  // room.
  for (uint32_t chunk : {0, 8, 64}) {
    time.flow.chunkBytes = chunk * kKiB;
    CHECK(fillPackets(time).flow.sizes() == time.flow.sizes());
  }
  time.flow.chunkBytes = time.flow.mostChunk = 4 * kKiB;
  CHECK(fillPackets(time).flow.sizes() == time.flow.sizes());
}

TEST_CASE("a chunk that is nearly the fastest for 64 MiB, and fills soon") {
  // 50 GB/s in one tree and its lane: 1,342.18 us. With chunks of c bytes there
  // are also (64 MiB / c - 1) x 2 us + (hops - 1) x c x 0.02 ns.
  auto chunk = [](double hops, double rate) {
    LaneLoads lanes;
    lanes.startLane();
    lanes.add({2, 2, false});
    MessageTime time = messageTime(costsOf(Protocol::simple), 0, rate, lanes);
    time.flow.largest = 1;
    time.flow.hops = hops;
    return chooseChunk(time);
  };
  // 256 KiB: 510 + 15.7; 512 KiB: 254 + 31.5; 1 MiB: 126 + 62.9.
  CHECK(chunk(4, 50) == kMiB);
  // 256 KiB: 510 + 78.6; 512 KiB: 254 + 157.3; 1 MiB: 126 + 314.6.
  CHECK(chunk(16, 50) == 512 * kKiB);
  // Links of 1 GB/s hide the lanes' work: 67,108.9 us. Filling takes 196.6 us
  // with chunks of 64 KiB and 786.4 us with 256 KiB. For 16 MiB, or 16,777 us,
  // filling with 128 KiB takes more than 2 %. Without filling, all chunk sizes
  // are equally fast.
  CHECK(chunk(4, 1) == 64 * kKiB);
  CHECK(chunk(1, 1) == kMiB);
  CHECK(chunk(1000, 0.1) == 16 * kKiB);
}

TEST_CASE("short messages are cut smaller where pipelines take long to fill") {
  // Four hops of a tree with 1 GB/s and a lane of its own; if there are two
  // folds, they take turns in it.
  auto sizes = [](double hops, size_t folds) {
    LaneLoads lanes;
    lanes.startLane();
    for (size_t fold = 0; fold < folds; ++fold)
      lanes.add({2, 2, false});
    MessageTime time = messageTime(costsOf(Protocol::simple), 0, 1, lanes);
    time.flow.largest = 1;
    time.flow.hops = hops;
    time.flow.chunkBytes = 256 * kKiB;
    return time;
  };
  const MessageTime plain = sizes(4, 1), cut = cutShortMessages(plain);
  CHECK(cut.flow.chunkBytes == 256 * kKiB);
  CHECK(cut.flow.leastChunkBytes < 32 * kKiB);
  CHECK(cut.at(kMiB) < 0.9 * plain.at(kMiB));
  for (uint64_t bytes = 512 * kKiB; bytes <= 64 * kMiB; bytes *= 2)
    CHECK(cut.at(bytes) < 1.01 * plain.at(bytes));
  CHECK(cutShortMessages(sizes(4, 2)).flow.leastChunkBytes >= 32 * kKiB);
  // There is no pipeline to fill, or windows need the chunks as they are.
  CHECK(cutShortMessages(sizes(1, 1)).flow.sizes() == plain.flow.sizes());
  MessageTime far = plain;
  far.flow.network = true;
  CHECK(cutShortMessages(far).flow.sizes() == plain.flow.sizes());
}

TEST_CASE("over a network small messages go in fewer chunks") {
  // Nine folds in one lane, the first and the last within the machine; a chunk
  // costs the others 6 us. If 256 KiB of a tree go in four chunks, that cost
  // arises four times.
  LaneLoads lanes;
  lanes.startLane();
  for (int fold = 0; fold < 9; ++fold)
    lanes.add({4. / 16, 4. / 16, false}, fold % 8 == 0 ? 0 : 4);
  MessageTime plain = messageTime(costsOf(Protocol::simple), 60, 50, lanes);
  plain.flow.largest = 1. / 16;
  plain.flow.hops = 2;
  plain.flow.chunkBytes = 256 * kKiB;
  CHECK(cutInFewer(plain).flow.sizes() == plain.flow.sizes());
  plain.flow.network = true;
  const MessageTime cut = cutInFewer(plain);
  CHECK(cut.flow.chunkBytes == 256 * kKiB);
  CHECK(cut.at(4 * kMiB) < 0.9 * plain.at(4 * kMiB));
  for (uint64_t bytes = 128 * kKiB; bytes <= 4 * kMiB; bytes *= 2)
    CHECK(cut.at(bytes) < 1.01 * plain.at(bytes));
  // Pipelines that have to fill keep their chunks.
  plain.flow.hops = 9;
  plain.flow.lanes.clear();
  CHECK(cutInFewer(plain).flow.sizes() == plain.flow.sizes());
}

TEST_CASE("over a network the longest messages go in larger chunks") {
  // 64 trees in 16 lanes with four folds each, all of which leave the machine:
  // with chunks of 128 KiB, lanes are slower than 400 GB/s of links.
  LaneLoads lanes;
  lanes.startLane();
  for (int fold = 0; fold < 4; ++fold)
    lanes.add({2. / 64, 2. / 64, false}, 2);
  MessageTime plain = messageTime(costsOf(Protocol::simple), 10, 400, lanes);
  plain.flow.largest = 1. / 64;
  plain.flow.hops = 4.5;
  plain.flow.chunkBytes = 128 * kKiB;
  plain.flow.mostChunk = 256 * kKiB;
  plain.flow.slotBytes = 128 * kMiB;
  plain.flow.channels = 64;
  CHECK(cutLongMessages(plain).flow.sizes() == plain.flow.sizes());
  plain.flow.network = true;
  const MessageTime cut = cutLongMessages(plain);
  CHECK(cut.flow.chunkBytes > 128 * kKiB);
  CHECK(cut.flow.chunkBytes <= 256 * kKiB);
  CHECK(cut.at(kGiB) < 0.95 * plain.at(kGiB));
  CHECK(cut.linksAt(kGiB) < 1.03 * plain.linksAt(kGiB));
  for (uint64_t bytes = 64 * kMiB; bytes <= 256 * kMiB; bytes *= 2) {
    CHECK(cut.at(bytes) < 1.01 * plain.at(bytes));
    CHECK(cut.linksAt(bytes) < 1.01 * plain.linksAt(bytes));
  }
  // Deep trees fill slowly. What the longest message loses on links is less
  // than a third of what it gains.
  MessageTime other = plain;
  other.flow.hops = 10;
  other.flow.leastChunkBytes = 128 * kKiB;
  const MessageTime deep = cutLongMessages(other);
  const double gain = 1 - deep.at(kGiB) / other.at(kGiB);
  const double loss = deep.linksAt(kGiB) / other.linksAt(kGiB) - 1;
  CHECK(gain > 0.1);
  CHECK(loss > 0.03);
  CHECK(loss < gain / 3);
  // Chunks do not change if memory is short or if lanes have time to spare.
  other = plain;
  other.flow.slotBytes = 24 * double(kMiB);
  CHECK(cutLongMessages(other).flow.sizes() == plain.flow.sizes());
  other = plain;
  other.flow.lanes.clear();
  CHECK(cutLongMessages(other).flow.sizes() == plain.flow.sizes());
}

TEST_CASE("a forest's busiest lane") {
  RankTopology wide = gpus(5, true, 1000);
  // The root of a star copies its input to its output and four channels: it
  // stores five times and loads once. A reduction is the reverse, and an
  // allreduce loads five times and stores five times.
  CHECK(nanosecondsPerByte(wide, Collective::broadcast) ==
        doctest::Approx(6.0 / 2 / 16));
  CHECK(nanosecondsPerByte(wide, Collective::reduce) ==
        doctest::Approx(6.0 / 2 / 16));
  CHECK(nanosecondsPerByte(wide, Collective::allreduce) ==
        doctest::Approx(10.0 / 2 / 16));
  // Blocks of a fifth of the buffer: a rank's own block goes to four others, in
  // a lane of its own. With a single lane that lane also copies four blocks.
  CHECK(nanosecondsPerByte(wide, Collective::allgather) ==
        doctest::Approx(6.0 / 2 / 5 / 16));
  CHECK(nanosecondsPerByte(wide, Collective::allgather, 1) ==
        doctest::Approx((6.0 / 2 + 4) / 5 / 16));
  // Two lanes: one fold with six operands, and four copies with two each. One
  // of the four goes to the first lane when both lanes have the same load, and
  // another one after that.
  CHECK(nanosecondsPerByte(wide, Collective::allgather, 2) ==
        doctest::Approx((6.0 / 2 + 1) / 5 / 16));
  CHECK(smallTime(wide, Collective::allgather).flow.slots.folds == 1);
  CHECK(smallTime(wide, Collective::allgather, 2).flow.slots.folds == 3);
  CHECK(smallTime(wide, Collective::allgather, 1).flow.slots.folds == 5);
  // One lane up and one down.
  CHECK(smallTime(wide, Collective::allreduce).flow.slots.folds == 1);
  CHECK(smallTime(wide, Collective::allreduce, 1).flow.slots.folds == 2);
  // The middle of a chain copies from its parent to its output and its child.
  // As the root of an allreduce it has a child and the parent's side: two
  // channels in each direction and both buffers.
  RankTopology chain = gpus(4, false, 1000);
  CHECK(nanosecondsPerByte(chain, Collective::broadcast) ==
        doctest::Approx(3.0 / 2 / 16));
  CHECK(nanosecondsPerByte(chain, Collective::allreduce) ==
        doctest::Approx(6.0 / 2 / 16));
  // The bottleneck is the links, which also carry flags.
  CHECK(nanosecondsPerByte(gpus(4, false, 10), Collective::broadcast) ==
        doctest::Approx(2.0 / 10));
}

TEST_CASE(
    "what is passive takes overheads below 256 KiB, and tags from there on") {
  // A lane with a fold that moves a quarter of the buffer four times, and three
  // folds that pass on a sixteenth each.
  LaneLoads lanes;
  lanes.startLane();
  lanes.add({0.25 * 8, 0.25 * 8, false});
  for (int i = 0; i < 3; ++i)
    lanes.add({0, 0.125, true});
  // A second lane moves less, but more often.
  lanes.startLane();
  lanes.add({0.5, 0.5, false});
  lanes.add({0.5, 0.5, false});
  CHECK(lanes.bytesMoved() == doctest::Approx(1));
  // Neither lane has less of everything, so both count.
  CHECK(lanes.work().size() == 2);
  CHECK(lanes.slots.folds == 4);
  CHECK(lanes.slots.passive == 0);
  CHECK(lanes.direct.folds == 2);
  CHECK(lanes.direct.passive == 3);
  // The lane's 50 GB/s count, not the links' 100: 0.02 ns per byte.
  MessageTime time = messageTime(costsOf(Protocol::simple), 7, 100, lanes);
  CHECK(time.gapPerByte == doctest::Approx(2e-5));
  time.flow.chunkBytes = 64 * kKiB;
  time.flow.largest = 0.25;
  CHECK(time.startAt(255 * kKiB) == doctest::Approx(7 + 3 * 2));
  CHECK(time.startAt(256 * kKiB) == doctest::Approx(7 + 2 + 3 * 0.25));
  CHECK(time.at(128 * kKiB) == doctest::Approx(7 + 3 * 2 + 2 * 1.31072));
  CHECK(time.at(256 * kKiB) == doctest::Approx(7 + 2 + 0.75 + 4 * 1.31072));
  // For 4 MiB, each tree has 16 chunks.
  CHECK(time.at(4 * kMiB) ==
        doctest::Approx(7 + 2 + 0.75 + 15 * 2 + 64 * 1.31072));
  // If links are fast and chunks small, the lane that moves less has more to
  // do: half of the bytes, and 2 x 2 us per chunk.
  time.flow.chunkBytes = 16 * kKiB;
  CHECK(time.at(4 * kMiB) ==
        doctest::Approx(7 + 2 + 0.75 + 63 * 4 + 32 * 1.31072));
}

TEST_CASE("nothing waits for what a rank keeps of its own") {
  // With zero copy, the other rank's part is in place when it arrives; without,
  // it still has to be moved out of a slot.
  const RankTopology pair = gpus(2, true, 25);
  const PackingProblem problem{&pair, Collective::gather, 0};
  const Packing packing = valueOf(packLatencyTrees(problem, Protocol::simple));
  const MessageTime time =
      timeInLanes(problem, packing, Protocol::simple, 16, 64 * kKiB);
  CHECK(time.flow.directDrain == 0);
  CHECK(time.flow.slotDrain == 1);
}

TEST_CASE("a forest of chunks") {
  // Three GPUs in a row with 20 GB/s: one tree, 10 us for 200 KB. An allreduce
  // makes up to four hops, and the middle rank has two lanes with one fold
  // each.
  RankTopology rankTopology = gpus(3, false, 20);
  PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  Packing packing = valueOf(packLatencyTrees(problem, Protocol::simple));
  MessageTime time =
      timeInLanes(problem, packing, Protocol::simple, 16, 64 * kKiB);
  double chunk = 65536 / 20e3;
  // Two hops of a step and a link. The middle rank loads a chunk and stores it
  // twice in 65536 x 1.5 / 50e3 = 1.97 us, which leaves 1.31 us for an overhead
  // of 2 us. With zero copy the last rank receives a tag; without, it still
  // moves the last chunk to its output.
  const double lane = 65536 * 1.5 / 50e3, drain = 65536 / 50e3;
  CHECK(time.at(64 * kKiB) == doctest::Approx(2 * 2.5 + 2 * chunk + drain));
  CHECK(time.at(192 * kKiB) == doctest::Approx(5 + 3 * chunk + drain + chunk));
  CHECK(time.at(640 * kKiB) ==
        doctest::Approx(5 + 10 * lane + 9 * 2 + chunk + 0.25));
  problem.collective = Collective::allreduce;
  packing = valueOf(packLatencyTrees(problem, Protocol::simple));
  REQUIRE(packing.trees.size() == 1);
  REQUIRE(packing.trees[0].root == 1);
  time = timeInLanes(problem, packing, Protocol::simple, 1, 64 * kKiB);
  // The root reads and writes two children, 0.25 us apart. It loads and stores
  // three times each, more than a lane can do at 20 GB/s. With one lane, a leaf
  // has a fold up and a fold down: one more initial overhead, or two tags.
  chunk = 65536 * 3 / 50e3;
  CHECK(time.at(192 * kKiB) ==
        doctest::Approx(5 + 2 * 0.25 + 4 * chunk + 3 * 2));
  CHECK(time.at(640 * kKiB) ==
        doctest::Approx(5 + 2 * 0.25 + 11 * chunk + 9 * 2 + 2 * 0.25));
  time = timeInLanes(problem, packing, Protocol::simple, 16, 64 * kKiB);
  CHECK(time.at(192 * kKiB) ==
        doctest::Approx(5 + 2 * 0.25 + 4 * chunk + 2 * 2));
  CHECK(time.at(640 * kKiB) ==
        doctest::Approx(5 + 2 * 0.25 + 11 * chunk + 9 * 2 + 0.25));
  CHECK(timeInLanes(problem, packing, Protocol::simple, 16).flow.chunkBytes ==
        kMiB);
}

TEST_CASE("of the time that links take a part of their rate changes nothing "
          "else") {
  constexpr uint32_t kChunk = 64 * kKiB;
  // Links of 20 GB/s are slower than a lane; links of 200 GB/s are faster.
  for (double bandwidth : {20, 200}) {
    const RankTopology line = gpus(3, /*all=*/false, bandwidth);
    const PackingProblem problem{&line, Collective::broadcast, 0};
    const Packing packing =
        valueOf(packLatencyTrees(problem, Protocol::simple));
    const FoldProgram program =
        valueOf(planForest(problem, packing, Protocol::simple, 16));
    const MessageTime all = timeOf(program, Protocol::simple, kChunk);
    for (double part : {1.0, 0.9, 0.1}) {
      CAPTURE(bandwidth);
      CAPTURE(part);
      const MessageTime kept = keptPart(all, part);
      const MessageTime other = timeOf(program, Protocol::simple, kChunk, part);
      for (uint64_t bytes : {kMiB, 64 * kMiB}) {
        CHECK(kept.at(bytes) == doctest::Approx(other.at(bytes)));
        CHECK(kept.linksAt(bytes) == doctest::Approx(other.linksAt(bytes)));
      }
    }
  }
}
