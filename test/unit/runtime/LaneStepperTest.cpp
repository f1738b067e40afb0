//===- LaneStepperTest.cpp - the interpreter without threads --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One thread drives all lanes in any order it likes: whatever the order, the
// result is the same, and a lane that says it is blocked says on what.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/LaneStepper.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <memory>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

/// An allreduce of int32 set up by hand, as the back end does it.
struct Rig {
  Plan plan;
  Launch launch;
  std::unique_ptr<Channel[]> channels;
  std::vector<char> pool;
  std::vector<std::vector<int32_t>> in, out;

  Rig(const TestSchedule &model, int ranks, size_t count)
      : in(ranks), out(ranks, std::vector<int32_t>(count)) {
    std::vector<uint8_t> bytes = seal(model);
    ScheduleSet files(1);
    Status status = OpenFile::copy(bytes.data(), bytes.size(), files[0]);
    if (status.ok())
      status = Plan::create(files, ranks, plan);
    REQUIRE(status.ok());
    channels.reset(new Channel[plan.numChannels]);
    pool.resize(plan.poolBytes);
    launch.program = &plan.programs[0];
    launch.variant = &plan.programs[0].variants[0];
    launch.fold = foldFunction(blinkInt32, blinkSum);
    launch.elementBytes = 4;
    launch.blockBytes = 4 * count;
    launch.channels = channels.get();
    launch.pool = pool.data();
    uint32_t before = 0;
    for (const sched::Tree *tree : *launch.variant->variant->trees()) {
      launch.ranges.push_back(
          treeRange(count, 4, before, tree->numerator(), tree->denominator()));
      before += tree->numerator();
      launch.chunkCounts.push_back(chunkCount(
          launch.ranges.back(), 4, launch.variant->variant->chunk_bytes()));
    }
    for (int rank = 0; rank < ranks; ++rank) {
      for (size_t i = 0; i < count; ++i)
        in[rank].push_back(int32_t(i) * (rank + 1));
      launch.buffers.push_back({reinterpret_cast<const char *>(in[rank].data()),
                                reinterpret_cast<char *>(out[rank].data())});
    }
  }

  std::vector<LaneStepper> lanes() {
    std::vector<LaneStepper> list;
    const auto &ranks = *launch.variant->variant->ranks();
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      for (uint32_t lane = 0; lane < ranks[rank]->lanes()->size(); ++lane) {
        list.emplace_back();
        list.back().reserve(plan.numOperands);
        list.back().start(launch, rank, lane);
      }
    return list;
  }
};

} // namespace

TEST_CASE("any order of stepping ends with the right result") {
  const int ranks = 5;
  const size_t count = 1000;
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 3;
    layout.lanes = 1 + seed % 4;
    layout.slots = uint16_t(1 + seed % 3);
    layout.chunkBytes = 64;
    layout.seed = seed;
    Rig rig(makeSchedule(Collective::allreduce, 0, ranks, layout), ranks,
            count);
    std::vector<LaneStepper> lanes = rig.lanes();
    std::mt19937 random(seed);
    size_t running = lanes.size();
    for (int idle = 0; running > 0 && idle < 10000;) {
      LaneStepper &lane = lanes[random() % lanes.size()];
      if (lane.done() || lane.blocked()) {
        ++idle;
        continue;
      }
      idle = 0;
      lane.run([](uint32_t, bool) {});
      running -= lane.done();
    }
    CHECK(running == 0);
    for (int rank = 0; rank < ranks; ++rank)
      for (size_t i = 0; i < count; ++i)
        REQUIRE(rig.out[rank][i] == int32_t(i) * 15);
    // Quiet at the end: as much read as written, everywhere.
    for (size_t c = 0; c < rig.plan.numChannels; ++c)
      CHECK(rig.channels[c].written() == rig.channels[c].read());
  }
}

TEST_CASE("a lane says what it waits for") {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.chunkBytes = 16;
  layout.slots = 2;
  TestSchedule model = makeSchedule(Collective::broadcast, 0, 2, layout);
  Rig rig(model, 2, 16 * 5); // 20 chunks
  std::vector<LaneStepper> lanes = rig.lanes();
  LaneStepper &sender = lanes[0], &receiver = lanes[1];
  auto need = receiver.blocked();
  REQUIRE(need);
  CHECK(need->channel == 0);
  CHECK(need->reading);
  CHECK(need->expected == 1);
  CHECK(need->seen == 0);
  std::vector<std::pair<uint32_t, bool>> progress;
  auto note = [&](uint32_t channel, bool reading) {
    progress.emplace_back(channel, reading);
  };
  sender.run(note);
  CHECK(receiver.met(*need));
  sender.run(note);
  need = sender.blocked(); // both slots full
  REQUIRE(need);
  CHECK(!need->reading);
  CHECK(need->expected == 1);
  CHECK(need->seen == 0);
  CHECK(!receiver.blocked());
  receiver.run(note);
  CHECK(sender.met(*need));
  CHECK(!sender.blocked());
  CHECK(progress == std::vector<std::pair<uint32_t, bool>>{
                        {0, false}, {0, false}, {0, true}});
}

TEST_CASE("lanes of empty trees have no work") {
  BuildOptions layout;
  layout.treesPerBlock = 4;
  layout.lanes = 8;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 2, layout);
  Rig small(model, 2, 3); // less than one granule: one tree gets it all
  uint32_t busy = 0, lanes = 0;
  for (uint32_t lane = 0;
       lane < small.launch.variant->variant->ranks()->Get(0)->lanes()->size();
       ++lane, ++lanes)
    busy += laneHasWork(small.launch, 0, lane);
  CHECK(lanes > 2);
  CHECK(busy >= 1);
  CHECK(busy <= 2);
}
