//===- ServersTest.cpp - which ranks share a server -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "test/common/Cluster.h"

#include "doctest/doctest.h"

#include <set>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

Plan planOf(const std::vector<TestSchedule> &schedules, int ranks,
            Status *status = nullptr, std::vector<uint64_t> hosts = {}) {
  ScheduleSet files;
  for (const TestSchedule &schedule : schedules) {
    const std::vector<uint8_t> bytes = seal(schedule);
    REQUIRE(
        OpenFile::copy(bytes.data(), bytes.size(), files.emplace_back()).ok());
  }
  Plan plan;
  const Status made =
      Plan::create(files, ranks, {{}, "", std::move(hosts)}, plan);
  if (status)
    *status = made;
  else
    REQUIRE_MESSAGE(made.ok(), made.text);
  return plan;
}

TestSchedule scheduleOf(Collective collective, const std::vector<int> &servers,
                        int rails) {
  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 2;
  TestSchedule schedule =
      makeSchedule(collective, 0, int(servers.size()), options);
  if (rails != 0)
    spread(schedule, servers, rails);
  return schedule;
}

TEST_CASE("a machine without NICs is one server") {
  const Plan plan =
      planOf({scheduleOf(Collective::allreduce, {0, 0, 0}, 0)}, 3);
  CHECK(plan.numServers == 1);
  CHECK(plan.serverOf == std::vector<uint16_t>{0, 0, 0});
  CHECK(plan.nics.empty());
  for (const RingPlan &ring : plan.rings)
    CHECK(ring.nics == NicPair());
}

TEST_CASE("servers are numbered by their first ranks") {
  const Plan plan =
      planOf({scheduleOf(Collective::allreduce, {2, 0, 2, 1, 0}, 1)}, 5);
  CHECK(plan.numServers == 3);
  CHECK(plan.serverOf == std::vector<uint16_t>{0, 1, 0, 2, 1});
  CHECK(plan.nics.size() == 3);
}

TEST_CASE("a ring has one NIC at each end, of the ends' servers") {
  const Plan plan = planOf({scheduleOf(Collective::allreduce, {0, 0, 1, 1}, 2),
                            scheduleOf(Collective::allgather, {0, 0, 1, 1}, 2)},
                           4);
  CHECK(plan.nics.size() == 4);
  std::set<std::pair<uint16_t, uint16_t>> pairs;
  size_t outside = 0;
  for (const RingPlan &ring : plan.rings) {
    const bool leaves =
        plan.serverOf[ring.source] != plan.serverOf[ring.destination];
    CHECK((ring.kind == sched::ChannelKind::network) == leaves);
    CHECK((ring.nics.source != kNoNic) == leaves);
    if (!leaves)
      continue;
    ++outside;
    CHECK(plan.nics[ring.nics.source].server == plan.serverOf[ring.source]);
    CHECK(plan.nics[ring.nics.destination].server ==
          plan.serverOf[ring.destination]);
    CHECK(plan.nics[ring.nics.source].number ==
          plan.nics[ring.nics.destination].number); // one rail
    pairs.emplace(ring.nics.source, ring.nics.destination);
  }
  CHECK(outside != 0);
  CHECK(pairs.size() == 4); // both rails, both ways
}

TEST_CASE("channels of two rails never share a ring") {
  const Plan plan = planOf({scheduleOf(Collective::allreduce, {0, 1}, 2)}, 2);
  const VariantPlan &variant = plan.programs[0].variants[0];
  for (size_t c = 0; c < variant.rings.size(); ++c)
    for (size_t d = 0; d < c; ++d)
      CHECK(variant.rings[c] != variant.rings[d]);
  CHECK(plan.rings.size() == variant.rings.size());
}

TEST_CASE("files that place ranks differently are refused") {
  Status status;
  planOf({scheduleOf(Collective::allreduce, {0, 0, 1}, 1),
          scheduleOf(Collective::allgather, {0, 1, 1}, 1)},
         3, &status);
  CHECK(status.code == blinkInvalidUsage);
  CHECK(status.text.find("which ranks share a server") != std::string::npos);
}

TEST_CASE("where hosts are known the programs placed so are taken") {
  const std::vector<TestSchedule> files{
      scheduleOf(Collective::allreduce, {0, 0, 1}, 1),
      scheduleOf(Collective::allreduce, {0, 1, 1}, 1),
      scheduleOf(Collective::allgather, {0, 1, 1}, 1),
      scheduleOf(Collective::allgather, {0, 0, 0}, 0)};
  const Plan split = planOf(files, 3, nullptr, {70, 7, 7});
  CHECK(split.serverOf == std::vector<uint16_t>{0, 1, 1});
  CHECK(split.numServers == 2);
  CHECK(split.programs.size() == 2);
  const Plan together = planOf(files, 3, nullptr, {9, 9, 9});
  CHECK(together.numServers == 1);
  CHECK(together.programs.size() == 1);
  CHECK(together.fingerprint != split.fingerprint);
}

TEST_CASE("a placement that no file has is refused with those that are there") {
  Status status;
  planOf({scheduleOf(Collective::allreduce, {0, 0, 1, 0}, 1),
          scheduleOf(Collective::allreduce, {0, 1, 2, 3}, 1)},
         4, &status, {1, 1, 1, 2});
  CHECK(status.code == blinkInvalidUsage);
  CHECK_MESSAGE(status.text.find("{0-2} {3}: there are some for {0-1,3} {2}, "
                                 "{0} {1} {2} {3}") != std::string::npos,
                status.text);
}

} // namespace
