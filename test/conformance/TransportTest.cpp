//===- TransportTest.cpp - channels that leave shared memory --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// In this program the whole suite runs over sockets. The tests here show what
// the suite does not: that chunks really use the sockets, that kinds can have
// different transports, and what happens to a job whose transport breaks.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RankRun.h"
#include "test/common/Cluster.h"
#include "test/conformance/Matrix.h"
#include "test/transport/SocketTransport.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

/// Uses sockets for one kind of channel only, during the object's lifetime.
struct OnlyOver {
  explicit OnlyOver(sched::ChannelKind kind) {
    useMemory();
    useSockets(kind);
  }
  ~OnlyOver() { useSockets(); }
};

/// Returns a broadcast from rank 0 to each other rank, in chunks of 64 bytes.
TestSchedule star(int ranks) {
  BuildOptions layout;
  layout.shape = Shape::star;
  layout.chunkBytes = 64;
  layout.slots = 2;
  return makeSchedule(Collective::broadcast, 0, ranks, layout);
}

Case broadcastOf(size_t count) {
  Case c;
  c.collective = Collective::broadcast;
  c.type = blinkInt32;
  c.count = count;
  return c;
}

/// Returns the number of chunks that sockets carry while the ranks run the
/// case.
uint64_t chunksOf(const Job &job, const Case &c) {
  const uint64_t before = socketChunks();
  CHECK(runCase(job, c) == "");
  return socketChunks() - before;
}

constexpr int kFlatRanks = 3;
constexpr uint64_t kNoLane = ~uint64_t(0);
/// The number of the chunk that each lane of each rank began last, and how far
/// any of them was ahead of another lane of its rank.
std::array<std::array<std::atomic<uint64_t>, kFlatRanks>, kFlatRanks> begun;
std::atomic<uint64_t> mostAhead;

void noteAhead(int rank, uint32_t lane, uint32_t, uint64_t chunk,
               runtime::HostRings &) {
  auto &lanes = begun[size_t(rank)];
  lanes[lane] = chunk;
  const uint64_t ahead = chunk - *std::min_element(lanes.begin(), lanes.end());
  uint64_t most = mostAhead;
  while (ahead > most && !mostAhead.compare_exchange_weak(most, ahead))
    ;
}

/// Returns how many chunks a lane gets ahead of its rank's last one in an
/// allgather of 100 chunks over three servers. Each rank has a lane for what it
/// sends, and one for what it receives from each other rank.
uint64_t mostAheadOf(uint16_t window, bool threads) {
  BuildOptions layout;
  layout.shape = Shape::star;
  layout.lanes = 6; // each fold has a lane
  layout.chunkBytes = 64;
  layout.slots = 16;
  TestSchedule model =
      makeSchedule(Collective::allgather, 0, kFlatRanks, layout);
  spread(model, {0, 1, 2});
  for (TestChannel &channel : model.variant().channels)
    channel.window = window;
  Case c = broadcastOf(1600);
  c.collective = Collective::allgather;
  c.threads = threads;
  const std::vector<TestRank> &ranks = model.variant().ranks;
  for (size_t rank = 0; rank < begun.size(); ++rank)
    for (size_t lane = 0; lane < begun[rank].size(); ++lane)
      begun[rank][lane] = lane < ranks[rank].lanes.size() ? 0 : kNoLane;
  mostAhead = 0;
  runtime::stepHook = noteAhead;
  CHECK(runCase(Job(model, kFlatRanks), c) == "");
  runtime::stepHook = nullptr;
  return mostAhead;
}

} // namespace

TEST_CASE("every chunk goes over sockets here, and over memory elsewhere") {
  const Case c = broadcastOf(160); // 10 chunks
  CHECK(chunksOf(Job(star(4), 4), c) == 30);
  {
    const OnlyOver none(sched::ChannelKind::network); // there is none
    CHECK(chunksOf(Job(star(4), 4), c) == 0);
  }
}

TEST_CASE("what a step writes to several transports each of them carries") {
  const OnlyOver staged(sched::ChannelKind::staged);
  for (size_t far = 1; far <= 3; ++far) {
    TestSchedule model = star(4);
    auto &channels = model.variant().channels;
    REQUIRE(channels.size() == 3);
    for (size_t i = 0; i < far; ++i)
      channels[i].kind = sched::ChannelKind::staged;
    for (bool threads : {false, true})
      for (bool inPlace : {false, true}) {
        Job job(model, 4);
        for (size_t count : {1u, 12u, 16u, 160u, 20000u, 7u}) {
          Case c = broadcastOf(count);
          c.threads = threads;
          c.inPlace = inPlace;
          CAPTURE(c.describe());
          CHECK(chunksOf(job, c) == far * ((count * 4 + 63) / 64));
        }
      }
  }
}

TEST_CASE("across servers what a rank sends does not run ahead") {
  for (bool threads : {false, true}) {
    CAPTURE(threads);
    CHECK(mostAheadOf(3, threads) <= 4);
    // Windows are that wide where round trips last for several chunks.
    CHECK(mostAheadOf(4, threads) >= 8);
  }
}

TEST_CASE("slots that nothing goes through take no memory") {
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    uint64_t size = 0, pages = 0;
    file >> size >> pages;
    return pages * uint64_t(sysconf(_SC_PAGESIZE));
  };
  BuildOptions layout;
  layout.chunkBytes = 16 << 20;
  layout.slots = 8;
  const uint64_t before = resident();
  Job job(allCollectives(4, 0, layout), 4); // 5 GiB of slots
  CHECK(runCase(job, broadcastOf(1000)) == "");
  CHECK(resident() < before + (64 << 20));
}

TEST_CASE("a connection that breaks ends the calls that need it") {
  for (bool threads : {false, true}) {
    Job job(star(3), 3, 60000);
    Case c = broadcastOf(100000);
    c.threads = threads;
    REQUIRE(runCase(job, c) == "");
    breakSockets(0, 2);
    const std::string text = runCase(job, c);
    CAPTURE(text);
    CHECK(text.find("the connection of ranks 0 and 2 is broken: ") !=
          std::string::npos);
    CHECK(text.find("waited") == std::string::npos); // not for 60 s
    // The failure is permanent, and all ranks can leave.
    CHECK(runCase(job, c).find("is broken") != std::string::npos);
  }
}

TEST_CASE("a call does not wait for what a message beside it has posted") {
  BuildOptions layout;
  layout.chunkBytes = 64;
  layout.slots = 4;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 2, layout);
  model.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, 2, layout).programs[0]);
  spread(model, {0, 1});
  for (TestProgram &program : model.programs)
    for (TestChannel &channel : program.variants[0].channels)
      channel.window = 1;
  const Job job(model, 2, 20000);
  constexpr size_t kCount = 48; // three chunks: enough slots, but one window
  std::vector<float> sums[2], message(kCount, 7), received(kCount);
  const auto reduce = [&](int rank) {
    sums[rank].assign(kCount, 1);
    return blinkAllReduce(sums[rank].data(), sums[rank].data(), kCount,
                          blinkFloat32, blinkSum, job[rank], nullptr);
  };
  blinkResult_t results[2] = {};
  std::thread sender([&] {
    std::vector<float> more(kCount, 1);
    blinkGroupStart();
    reduce(1);
    blinkAllReduce(more.data(), more.data(), kCount, blinkFloat32, blinkSum,
                   job[1], nullptr);
    blinkSend(message.data(), kCount, blinkFloat32, 0, job[1], nullptr);
    results[1] = blinkGroupEnd();
  });
  for (int round = 0; round < 2 && results[0] == blinkSuccess; ++round)
    results[0] = reduce(0);
  if (results[0] == blinkSuccess)
    results[0] =
        blinkRecv(received.data(), kCount, blinkFloat32, 1, job[0], nullptr);
  sender.join();
  CAPTURE(std::string(blinkGetLastError(job[0])));
  CHECK(results[0] == blinkSuccess);
  CHECK(results[1] == blinkSuccess);
  CHECK(received == message);
}
