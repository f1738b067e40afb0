//===- EstimateTest.cpp - estimated times of groups -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"

#include "doctest/doctest.h"

#include <functional>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns all collectives and messages, in two variants with different times.
/// The first variant serves sizes below 1000 bytes.
TestSchedule timedSchedule(int numRanks) {
  TestSchedule schedule = allCollectives(numRanks, 0, {});
  for (TestProgram &program : schedule.programs) {
    program.variants.resize(2, program.variants[0]);
    TestVariant &small = program.variants[0], &large = program.variants[1];
    small.maxBytes = large.minBytes = 1000;
    small.times = {{0, 10}, {1000, 20}};
    large.times = {{0, 15}, {2000, 25}, {4000, 65}};
  }
  return schedule;
}

/// Returns the estimated time of a group of these calls, in microseconds; -1
/// after an error.
double estimateOf(const std::function<void()> &calls,
                  blinkResult_t expected = blinkSuccess) {
  double microseconds = -1;
  CHECK(blinkGroupStart() == blinkSuccess);
  calls();
  CHECK(blinkGroupSimulateEnd(&microseconds) == expected);
  return microseconds;
}

/// Buffers of bytes.
struct EstimateBuffers {
  std::vector<char> send = std::vector<char>(1 << 20, 1);
  std::vector<char> recv = std::vector<char>(1 << 20, 9);

  void reduce(blinkComm_t comm, size_t bytes) {
    CHECK(blinkAllReduce(send.data(), recv.data(), bytes, blinkUint8, blinkSum,
                         comm, nullptr) == blinkSuccess);
  }
  bool untouched() const {
    return send == std::vector<char>(1 << 20, 1) &&
           recv == std::vector<char>(1 << 20, 9);
  }
};

std::string whyRefused(blinkComm_t comm = nullptr) {
  return blinkGetLastError(comm);
}

} // namespace

TEST_CASE("a call takes what its variant's points say") {
  Job job(timedSchedule(3), 3);
  EstimateBuffers buffers;
  const std::vector<std::pair<size_t, double>> expected = {
      {0, 0},        {1, 10.01},   {500, 15},  {999, 19.99},
      {1000, 20},    {2000, 25},   {3000, 45}, {4000, 65},
      {4001, 65.02}, {10000, 185}, {8, 10.08}, {2001, 25.02}};
  for (const auto &point : expected)
    for (int rank = 0; rank < 3; ++rank) {
      CAPTURE(point.first);
      CHECK(estimateOf([&] { buffers.reduce(job[rank], point.first); }) ==
            doctest::Approx(point.second).epsilon(1e-12));
    }
  CHECK(buffers.untouched());
}

TEST_CASE("all ranks say the same, of every collective, and more of more") {
  const int numRanks = 4;
  Job job(timedSchedule(numRanks), numRanks);
  EstimateBuffers buffers;
  for (int collective = 0; collective < 8; ++collective) {
    CAPTURE(collective);
    double before = 0;
    for (size_t count : {1, 100, 1000, 100000}) {
      std::vector<double> times;
      for (int rank = 0; rank < numRanks; ++rank)
        times.push_back(estimateOf([&, rank] {
          Case c;
          c.collective = Collective(collective);
          c.count = count;
          c.type = blinkUint8;
          CHECK(call(c, buffers.send.data(), buffers.recv.data(), job[rank],
                     nullptr) == blinkSuccess);
        }));
      CHECK(times == std::vector<double>(numRanks, times[0]));
      CHECK(times[0] > before);
      before = times[0];
    }
  }
}

TEST_CASE("calls of one communicator add up, of several the longest counts") {
  Job job(timedSchedule(2), 2), other(timedSchedule(2), 2);
  EstimateBuffers buffers;
  CHECK(estimateOf([] {}) == 0);
  CHECK(estimateOf([&] {
          buffers.reduce(job[0], 2000);
          buffers.reduce(job[1], 500);
          buffers.reduce(other[1], 500);
          buffers.reduce(job[1], 500);
          buffers.reduce(other[1], 500);
          buffers.reduce(other[1], 500);
        }) == 45);
  // The messages that a rank sends add up, as do those it receives; sending and
  // receiving overlap.
  const auto send = [&](size_t bytes, int to, int from = 0) {
    CHECK(blinkSend(buffers.send.data(), bytes, blinkUint8, to, job[from],
                    nullptr) == blinkSuccess);
  };
  const auto receive = [&](size_t bytes, int from) {
    CHECK(blinkRecv(buffers.recv.data(), bytes, blinkUint8, from, job[0],
                    nullptr) == blinkSuccess);
  };
  CHECK(estimateOf([&] { send(500, 1); }) == 15);
  CHECK(estimateOf([&] { send(500, 1), receive(500, 1), send(2000, 1); }) ==
        40);
  CHECK(estimateOf([&] { receive(4000, 1), send(500, 1), send(2000, 1); }) ==
        65);
  CHECK(estimateOf([&] { send(500, 1), buffers.reduce(job[0], 500); }) == 30);
  CHECK(estimateOf([&] { send(500, 0), receive(500, 0); }) == 0);
  CHECK(buffers.untouched());
}

TEST_CASE("what was simulated is gone, and the communicators go on") {
  Job job(timedSchedule(2), 2);
  EstimateBuffers buffers;
  for (int i = 0; i < 3; ++i) {
    CHECK(estimateOf([&] {
            buffers.reduce(job[0], 2000);
            buffers.reduce(job[1], 1000);
          }) == 25);
    CHECK(buffers.untouched());
    CHECK(runCase(job, variedCase(Collective::allreduce, 1000, 0, 5)) == "");
  }
  // Only one rank has asked; the others do not take part.
  CHECK(estimateOf([&] { buffers.reduce(job[1], 2000); }) == 25);
  CHECK(runCase(job, variedCase(Collective::allreduce, 1000, 0, 5)) == "");
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
}

TEST_CASE("the outermost end decides what becomes of a group") {
  Job job(timedSchedule(2), 2);
  EstimateBuffers buffers;
  double inner = -1;
  CHECK(estimateOf([&] {
          blinkGroupStart();
          buffers.reduce(job[0], 500);
          CHECK(blinkGroupEnd() == blinkSuccess);
          buffers.reduce(job[0], 500);
        }) == 30);
  CHECK(buffers.untouched());
  EstimateBuffers others;
  blinkGroupStart();
  blinkGroupStart();
  buffers.reduce(job[0], 500);
  CHECK(blinkGroupSimulateEnd(&inner) == blinkSuccess);
  CHECK(inner == 0);
  others.reduce(job[1], 500);
  CHECK(blinkGroupEnd() == blinkSuccess);
  CHECK(buffers.recv[499] == 2);
  CHECK(buffers.recv == others.recv);
}

TEST_CASE("a simulated group's errors leave nothing behind") {
  TestSchedule model = timedSchedule(2);
  model.programs[0].variants[1].times.clear();
  const Collective without = model.programs[0].collective;
  REQUIRE(without == Collective::allreduce);
  Job job(model, 2);
  EstimateBuffers buffers;
  double time = -1;
  CHECK(blinkGroupSimulateEnd(&time) == blinkInvalidUsage);
  CHECK(whyRefused() ==
        "blinkGroupSimulateEnd without a blinkGroupStart before it");
  CHECK(estimateOf([&] { buffers.reduce(job[0], 500); }) == 15);
  CHECK(estimateOf([&] { buffers.reduce(job[0], 2000); }, blinkInvalidUsage) ==
        -1);
  CHECK(whyRefused(job[0]) ==
        "allreduce: the schedule says nothing of times, as it was made before "
        "Blink wrote them: compile it again");
  blinkGroupStart();
  buffers.reduce(job[0], 500);
  CHECK(blinkGroupSimulateEnd(nullptr) == blinkInvalidArgument);
  CHECK(estimateOf(
            [&] {
              CHECK(blinkAllReduce(nullptr, nullptr, 4, blinkUint8, blinkSum,
                                   job[0], nullptr) == blinkInvalidArgument);
            },
            blinkInvalidArgument) == -1);
  CHECK(estimateOf(
            [&] {
              CHECK(blinkSend(buffers.send.data(), 4, blinkUint8, 0, job[0],
                              nullptr) == blinkSuccess);
            },
            blinkInvalidUsage) == -1);
  CHECK(buffers.untouched());
  CHECK(estimateOf([&] { buffers.reduce(job[0], 500); }) == 15);
  CHECK(runCase(job, variedCase(Collective::allreduce, 1000, 0, 5)) == "");

  // A communicator that has become unusable has no estimate either.
  REQUIRE(blinkCommRevoke(job[0]) == blinkSuccess);
  CHECK(estimateOf([&] { buffers.reduce(job[1], 500); }, blinkRemoteError) ==
        -1);
  CHECK(contains(whyRefused(job[1]), "aborted"));
}

TEST_CASE("a simulated group makes no communicators") {
  const TestSchedule model = timedSchedule(2);
  const Opened opened(model);
  Job job(model, 2);
  blinkComm_t made = nullptr;
  const auto refused = [&](const std::function<void()> &calls) {
    CHECK(estimateOf(calls, blinkInvalidUsage) == -1);
    CHECK(contains(whyRefused(), "without making communicators"));
    CHECK(!made);
  };
  refused([&] {
    blinkUniqueId id;
    REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
    CHECK(blinkCommInitRank(&made, 1, id, 0, -1, opened.schedule, nullptr) ==
          blinkSuccess);
  });
  refused([&] {
    CHECK(blinkCommSplit(job[0], 0, 0, &made, nullptr) == blinkSuccess);
  });
  refused([&] {
    const int excluded = 1;
    CHECK(blinkCommShrink(job[0], &excluded, 1, &made, nullptr) ==
          blinkSuccess);
  });
  CHECK(runCase(job, variedCase(Collective::allreduce, 1000, 0, 5)) == "");
}
