//===- RankRunTest.cpp - the interpreter without threads ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One thread steps the ranks in any order. The result must be the same for
// every order, and a blocked lane must say what it waits for.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RankRun.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <deque>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

/// An allreduce or broadcast of int32, set up by hand as the back end does it.
struct Rig {
  Plan plan;
  HostRings rings;
  std::deque<RankRun> runs;
  std::deque<Call> calls;
  std::vector<std::vector<int32_t>> in, out;

  Rig(const TestSchedule &model, int ranks, size_t count)
      : in(ranks), out(ranks, std::vector<int32_t>(count)) {
    std::vector<uint8_t> bytes = seal(model);
    ScheduleSet files(1);
    Status status = OpenFile::copy(bytes.data(), bytes.size(), files[0]);
    if (status.ok())
      status = Plan::create(files, ranks, {}, plan);
    if (status.ok())
      status = rings.segment.create(plan);
    REQUIRE(status.ok());
    rings.bind(plan);
    for (int rank = 0; rank < ranks; ++rank) {
      for (size_t i = 0; i < count; ++i)
        in[rank].push_back(int32_t(i) * (rank + 1));
      runs.emplace_back(plan, rings, rank, false);
      Call &call = calls.emplace_back();
      call.kind.collective = plan.programs[0].program->collective();
      call.kind.type = blinkInt32;
      call.kind.count = count;
      call.rank = rank;
      call.send = in[rank].data();
      call.recv = out[rank].data();
      REQUIRE(call.prepare(plan).ok());
    }
  }

  void start() {
    for (size_t rank = 0; rank < runs.size(); ++rank)
      runs[rank].start(calls[rank], true);
  }
};

/// Checks what the first unfinished lane waits for.
void checkNeed(RankRun &run, bool reading, uint64_t expected, uint64_t seen,
               uint32_t channel = 0) {
  const auto need = run.firstNeed();
  REQUIRE(need);
  CHECK(need->lane == 0);
  CHECK(need->step == 0);
  CHECK(need->channel == channel);
  CHECK(need->reading == reading);
  CHECK(need->expected == expected);
  CHECK(need->seen == seen);
}

} // namespace

TEST_CASE("any order of steps ends with the right result") {
  const int ranks = 5;
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    // Small enough for slots, or large enough for borrowed buffers.
    const size_t count = seed % 2 ? 1000 : 20000;
    BuildOptions layout;
    layout.shape = seed % 4 ? Shape::random : Shape::oneHop;
    layout.treesPerBlock = 3;
    layout.lanes = 1 + seed % 4;
    layout.slots = uint16_t(1 + seed % 3);
    layout.chunkBytes = seed % 2 ? 64 : 1024;
    layout.seed = seed;
    layout.splitRoot = seed % 5 == 0;
    Rig rig(makeSchedule(Collective::allreduce, 0, ranks, layout), ranks,
            count);
    for (int round = 0; round < 2; ++round) { // rings continue where they were
      rig.start();
      std::mt19937 random(seed);
      int idle = 0;
      size_t finished = 0;
      while (finished < ranks && idle < 10000) {
        idle = rig.runs[random() % ranks].progress() ? 0 : idle + 1;
        finished = 0;
        for (RankRun &run : rig.runs)
          finished += run.finished();
      }
      CHECK(finished == ranks);
      for (int rank = 0; rank < ranks; ++rank)
        for (size_t i = 0; i < count; ++i)
          REQUIRE(rig.out[rank][i] == int32_t(i) * 15);
      // In the end all rings are quiet: as much has been read as written.
      for (size_t r = 0; r < rig.plan.rings.size(); ++r) {
        CHECK(rig.rings.writers[r].number == rig.rings.readers[r].number);
        CHECK(*rig.rings.segment.ring(uint32_t(r)).freed ==
              rig.rings.readers[r].number);
      }
    }
    CHECK(!rig.rings.segment.failed());
  }
}

TEST_CASE("a lane says what it waits for") {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.chunkBytes = 16;
  layout.slots = 2;
  layout.lanes = 1;
  TestSchedule model = makeSchedule(Collective::broadcast, 0, 2, layout);
  Rig rig(model, 2, 16 * 5); // 20 chunks
  rig.start();
  RankRun &sender = rig.runs[0], &receiver = rig.runs[1];
  CHECK(!receiver.progress());
  checkNeed(receiver, true, 1, 0);
  CHECK(sender.progress());
  checkNeed(sender, false, 1, 0); // both slots full
  CHECK(!receiver.firstNeed());
  CHECK(sender.foldsRun() == 2);
  CHECK(receiver.progress());
  CHECK(receiver.foldsRun() == 2);
  CHECK(!sender.firstNeed());
}

TEST_CASE("what a lane has seen is what its counter says, right or wrong") {
  BuildOptions layout;
  layout.slots = 1;
  Rig rig(makeSchedule(Collective::broadcast, 0, 2, layout), 2, 10);
  Segment &segment = rig.rings.segment;
  SlotHead &head = segment.ring(0).heads[0];
  rig.start();
  CHECK(rig.runs[0].progress());
  const uint64_t tag = loadAcquire(&head.full);
  struct {
    uint64_t tag, seen;
  } wrong[] = {{0, 0},                   // withdrawn
               {tag + 1, 2},             // that of the next chunk
               {tag + 41, 42},           // that of no chunk of the call
               {tag & ~kNumberMask, 0}}; // this call's, without a number
  for (const auto &one : wrong) {
    storeRelease(&head.full, one.tag);
    CHECK(!rig.runs[1].progress());
    checkNeed(rig.runs[1], true, 1, one.seen);
  }
  CHECK(rig.out[1] == std::vector<int32_t>(10)); // nothing has been read
  storeRelease(&head.full, tag);
  CHECK(rig.runs[1].progress());
  CHECK(rig.out[1] == rig.in[0]);
  // The news that the chunk was read is lost: the writer of the next call
  // waits.
  storeRelease(segment.ring(0).freed, 0);
  rig.start();
  CHECK(!rig.runs[0].progress());
  checkNeed(rig.runs[0], false, 1, 0);
  CHECK(!segment.failed()); // the time limit has not passed
}

TEST_CASE("a chunk of another call is refused, and both are named") {
  Rig rig(makeSchedule(Collective::broadcast, 0, 2, {}), 2, 100);
  rig.calls[0].kind.count = 99;
  rig.start();
  CHECK(rig.runs[0].progress());
  CHECK(!rig.runs[1].progress());
  Status status = rig.rings.segment.failure();
  CHECK(status.code == blinkInvalidUsage);
  CHECK(status.text == "the ranks' calls differ: rank 1 has broadcast of 100 "
                       "int32 and root 0, rank 0 has broadcast of 99 int32 and "
                       "root 0");
  CHECK(rig.out[1] == std::vector<int32_t>(100)); // nothing has been read
}

TEST_CASE("rings serve variants of different layout in turn") {
  // Slots of 16 bytes and of 4096 bytes on the same rings.
  BuildOptions small, large;
  small.chunkBytes = 16;
  small.slots = 3;
  small.lanes = large.lanes = 1;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, small);
  TestSchedule other = makeSchedule(Collective::allreduce, 0, 3, large);
  TestVariant variant = other.variant();
  model.variant().maxBytes = variant.minBytes = 400;
  model.programs[0].variants.push_back(variant);
  Rig rig(model, 3, 1000);
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const size_t count = random() % 2 ? 1000 : 99;
    for (Call &call : rig.calls)
      call.kind.count = count;
    for (auto &out : rig.out)
      out.assign(1000, 0);
    rig.start();
    for (int turn = 0; turn < 10000; ++turn)
      rig.runs[random() % 3].progress();
    for (int rank = 0; rank < 3; ++rank) {
      REQUIRE(rig.runs[rank].finished());
      for (size_t i = 0; i < count; ++i)
        REQUIRE(rig.out[rank][i] == int32_t(i) * 6);
    }
  }
}

TEST_CASE("what several ranks read is written once") {
  BuildOptions layout;
  layout.shape = Shape::star;
  Rig rig(makeSchedule(Collective::broadcast, 0, 4, layout), 4, 100);
  Segment &segment = rig.rings.segment;
  rig.start();
  CHECK(rig.runs[0].progress());
  CHECK(rig.runs[0].finished());
  int inOwnSlots = 0;
  for (uint32_t ring = 0; ring < 3; ++ring) {
    const uint64_t address = segment.ring(ring).heads[0].address;
    inOwnSlots += address == 0;
    if (address != 0)
      CHECK((address & SlotHead::kInPool) != 0);
  }
  CHECK(inOwnSlots == 1);
  // Chunks that fit into heads are in each head.
  for (int rank = 1; rank < 4; ++rank) {
    CHECK(rig.runs[rank].progress());
    CHECK(rig.out[rank] == rig.in[0]);
  }
  for (Call &call : rig.calls)
    call.kind.count = 12;
  rig.start();
  CHECK(rig.runs[0].progress());
  for (uint32_t ring = 0; ring < 3; ++ring)
    CHECK(segment.ring(ring).heads[1].address == 0);
}

namespace {

/// Returns a schedule that sends up to 400 bytes from rank 0 to both others,
/// which read one slot, and more bytes from rank 0 to rank 1 and on to rank 2.
TestSchedule starThenChain(Collective collective) {
  BuildOptions star, chain;
  star.shape = Shape::star;
  chain.shape = Shape::chain;
  chain.chunkBytes = 512;
  star.lanes = chain.lanes = 1;
  TestSchedule model = makeSchedule(collective, 0, 3, star);
  TestVariant variant = makeSchedule(collective, 0, 3, chain).variant();
  model.variant().maxBytes = variant.minBytes = 400;
  model.programs[0].variants.push_back(variant);
  return model;
}

} // namespace

TEST_CASE("a slot is kept for readers that have rings of their own") {
  Rig rig(starThenChain(Collective::broadcast), 3, 1000);
  auto start = [&](int rank, size_t count) {
    rig.calls[rank].kind.count = count;
    REQUIRE(rig.calls[rank].prepare(rig.plan).ok());
    rig.runs[rank].start(rig.calls[rank], true);
  };
  for (int rank = 0; rank < 3; ++rank)
    start(rank, 50);
  CHECK(rig.runs[0].progress());
  // The shared slot is in the ring of one of the two readers. The other reader
  // is the late one.
  const int late = rig.rings.segment.ring(0).heads[0].address == 0 ? 2 : 1;
  CHECK(rig.runs[3 - late].progress());
  CHECK(rig.runs[3 - late].finished());
  const std::vector<int32_t> first(rig.in[0].begin(), rig.in[0].begin() + 50);
  rig.in[0].assign(1000, 7);
  start(0, 1000);
  CHECK(!rig.runs[0].progress());
  checkNeed(rig.runs[0], false, 1, 0);
  CHECK(rig.runs[late].progress());
  CHECK(std::vector<int32_t>(rig.out[late].begin(),
                             rig.out[late].begin() + 50) == first);
  CHECK(!rig.runs[0].firstNeed());
  CHECK(rig.runs[0].progress());
}

TEST_CASE("calls in a row take over only what they have in common") {
  const int ranks = 3;
  struct Row {
    blinkRedOp_t op;
    bool inPlace;
    int32_t factor; ///< from the input to the result
  };
  const Row rows[] = {{blinkSum, false, 6}, {blinkSum, false, 6},
                      {blinkSum, true, 6},  {blinkMax, true, 3},
                      {blinkAvg, false, 2}, {blinkSum, false, 6}};
  for (size_t count : {100, 20000}) { // in slots, and borrowed
    BuildOptions layout;
    layout.shape = Shape::oneHop;
    Rig rig(makeSchedule(Collective::allreduce, 0, ranks, layout), ranks,
            count);
    for (const Row &row : rows) {
      CAPTURE(&row - rows);
      for (int rank = 0; rank < ranks; ++rank) {
        Call &call = rig.calls[rank];
        rig.out[rank] =
            row.inPlace ? rig.in[rank] : std::vector<int32_t>(count);
        call.kind.op = row.op;
        call.send = row.inPlace ? rig.out[rank].data() : rig.in[rank].data();
        call.recv = rig.out[rank].data();
        REQUIRE(call.prepare(rig.plan).ok());
      }
      rig.start();
      bool finished = false;
      for (int turn = 0; turn < 100 && !finished; ++turn) {
        finished = true;
        for (RankRun &run : rig.runs) {
          run.progress();
          finished &= run.finished();
        }
      }
      REQUIRE(finished);
      for (int rank = 0; rank < ranks; ++rank)
        for (size_t i = 0; i < count; ++i)
          REQUIRE(rig.out[rank][i] == int32_t(i) * row.factor);
    }
  }
}

TEST_CASE("a slot is kept for its readers when buffers are borrowed next") {
  // Readers in other processes fetch borrowed data into their own slots.
  BuildOptions layout;
  layout.shape = Shape::star;
  Rig rig(makeSchedule(Collective::broadcast, 0, 3, layout), 3, 20000);
  RankRun &root = rig.runs[0];
  auto start = [&](size_t count) {
    rig.calls[0].kind.count = count;
    REQUIRE(rig.calls[0].prepare(rig.plan).ok());
    root.start(rig.calls[0], true);
  };
  for (int rank = 1; rank < 3; ++rank) {
    rig.calls[rank].kind.count = 50;
    REQUIRE(rig.calls[rank].prepare(rig.plan).ok());
    rig.runs[rank].start(rig.calls[rank], true);
  }
  start(50);
  CHECK(root.progress());
  start(50);
  CHECK(root.progress()); // there is a second slot
  CHECK(rig.runs[1].progress());
  CHECK(rig.runs[2].progress());
  start(20000);
  CHECK(!root.progress());
  checkNeed(root, false, 2, 1, 1); // not the shared slot's ring
}

TEST_CASE("ranks that run ahead overwrite nothing that is still to be read") {
  for (Collective collective : {Collective::broadcast, Collective::allreduce}) {
    Rig rig(starThenChain(collective), 3, 1000);
    std::mt19937 random(5);
    std::vector<size_t> counts;
    for (int round = 0; round < 300; ++round)
      counts.push_back(random() % 3 ? random() % 100 + 1
                                    : 101 + random() % 899);
    size_t rounds[3] = {};
    auto value = [](size_t round, int rank) {
      return int32_t(round * 10) + rank;
    };
    auto start = [&](int rank) {
      const size_t count = counts[rounds[rank]];
      rig.calls[rank].kind.count = count;
      rig.in[rank].assign(1000, value(rounds[rank], rank));
      REQUIRE(rig.calls[rank].prepare(rig.plan).ok());
      rig.runs[rank].start(rig.calls[rank], true);
    };
    for (int rank = 0; rank < 3; ++rank)
      start(rank);
    int favourite = 0; // stepped often, so others are late
    for (int turn = 0; turn < 1000000 &&
                       rounds[0] + rounds[1] + rounds[2] < 3 * counts.size();
         ++turn) {
      if (turn % 50 == 0)
        favourite = int(random() % 3);
      const int rank = random() % 8 ? favourite : int(random() % 3);
      if (rounds[rank] == counts.size())
        continue;
      rig.runs[rank].progress();
      if (!rig.runs[rank].finished())
        continue;
      const size_t round = rounds[rank];
      const int32_t expected =
          collective == Collective::broadcast
              ? value(round, 0)
              : value(round, 0) + value(round, 1) + value(round, 2);
      for (size_t i = 0; i < counts[round]; ++i)
        REQUIRE(rig.out[rank][i] == expected);
      if (++rounds[rank] < counts.size())
        start(rank);
    }
    for (size_t done : rounds)
      CHECK(done == counts.size());
  }
}

TEST_CASE("a small message is one tree's work") {
  BuildOptions layout;
  layout.treesPerBlock = 4;
  layout.lanes = 8;
  Rig rig(makeSchedule(Collective::allreduce, 0, 2, layout), 2, 3);
  rig.start();
  for (int i = 0; i < 4; ++i)
    for (RankRun &run : rig.runs)
      run.progress();
  for (RankRun &run : rig.runs) {
    CHECK(run.finished());
    CHECK(run.foldsRun() >= 1);
    CHECK(run.foldsRun() <= 2); // only one tree's folds
  }
}
