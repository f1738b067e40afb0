//===- RatesTest.cpp - bandwidth and certificate --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Arborescence.h"
#include "compiler/verify/Repricing.h"
#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the cost of the cheapest arborescence, found by trying every parent
/// of every node.
double bruteForceTree(uint32_t count, const std::vector<double> &costs,
                      uint32_t root) {
  std::vector<uint32_t> parents(count, 0);
  double best = infinity;
  const std::function<void(uint32_t, double)> choose = [&](uint32_t node,
                                                           double cost) {
    if (node == count) {
      for (uint32_t at = 0; at < count; ++at) {
        uint32_t up = at;
        for (uint32_t hops = 0; up != root && hops < count; ++hops)
          up = parents[up];
        if (up != root)
          return;
      }
      best = std::min(best, cost);
      return;
    }
    if (node == root)
      return choose(node + 1, cost);
    for (uint32_t parent = 0; parent < count; ++parent)
      if (parent != node && costs[node * count + parent] < infinity) {
        parents[node] = parent;
        choose(node + 1, cost + costs[node * count + parent]);
      }
  };
  choose(0, 0);
  return best;
}

/// A schedule opened for tests of single functions.
struct Opened {
  explicit Opened(const TestSchedule &schedule) {
    const std::vector<uint8_t> bytes = seal(schedule);
    storage.resize(bytes.size() / 8);
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<uint8_t *>(storage.data()));
    file = sched::GetSchedule(storage.data());
  }
  const sched::Program &program() const { return *file->programs()->Get(0); }
  std::vector<uint64_t> storage;
  const sched::Schedule *file;
};

/// Returns a random machine of 2 to 4 GPUs and 1 to 3 relays of any kind.
TestSchedule randomMachine(std::mt19937 &random) {
  const int gpus = 2 + int(random() % 3);
  TestSchedule schedule = emptySchedule(Collective::broadcast, gpus);
  for (uint32_t relays = 1 + random() % 3; relays > 0; --relays)
    schedule.nodes.push_back(sched::NodeKind(1 + random() % 3));
  schedule.links.clear();
  const uint32_t nodes = uint32_t(schedule.nodes.size());
  for (uint32_t from = 0; from < nodes; ++from)
    for (uint32_t to = 0; to < nodes; ++to)
      if (from != to && random() % 2)
        schedule.links.push_back(
            {1, 1, from, to, sched::LinkKind(random() % 6)});
  schedule.linkKinds = uint8_t(random() & 0x3f);
  return schedule;
}

/// Returns the cost of the cheapest path, found by walking every path of up to
/// 3 visits per node and judging it by the path rules themselves.
double bruteForcePath(const TestSchedule &schedule, uint32_t from, uint32_t to,
                      const std::vector<double> &prices) {
  // A schedule with one broadcast channel, whose path and kind are tried.
  TestSchedule trial = schedule;
  TestVariant &variant = trial.variant();
  variant.channels.resize(1);
  variant.channels[0].source = uint16_t(from);
  variant.channels[0].destination = uint16_t(to);
  double best = infinity;
  std::vector<uint32_t> path, visits(schedule.nodes.size(), 0);
  const std::function<void(uint32_t, double)> walk = [&](uint32_t node,
                                                         double cost) {
    if (cost >= best)
      return;
    if (node == to && !path.empty()) {
      variant.paths = path;
      variant.channels[0].pathCount = uint16_t(path.size());
      for (sched::ChannelKind kind : sched::EnumValuesChannelKind()) {
        variant.channels[0].kind = kind;
        const Opened opened(trial);
        const verify::TopologyView machine(*opened.file, opened.program());
        if (!checkPaths(machine, *opened.program().variants()->Get(0)))
          best = cost;
      }
      return;
    }
    if (schedule.nodes[node] == sched::NodeKind::gpu && !path.empty())
      return;
    for (uint32_t link = 0; link < schedule.links.size(); ++link) {
      const TestLink &next = schedule.links[link];
      if (next.from != node || visits[next.to] == 3)
        continue;
      ++visits[next.to];
      path.push_back(link);
      walk(next.to, cost + prices[link]);
      path.pop_back();
      --visits[next.to];
    }
  };
  walk(from, 0);
  return best;
}

} // namespace

TEST_CASE("cheapest arborescences are the cheapest of all") {
  std::mt19937 random(1);
  int unreachable = 0;
  for (int i = 0; i < 2000; ++i) {
    const uint32_t count = 1 + random() % 6;
    std::vector<double> costs(count * count);
    for (double &cost : costs)
      cost = random() % 5 == 0 ? infinity : double(random() % 8);
    const uint32_t root = random() % count;
    const double best = bruteForceTree(count, costs, root);
    CHECK(verify::cheapestArborescence(count, costs, root) == best);
    unreachable += std::isinf(best);
  }
  CHECK(unreachable > 0);
}

TEST_CASE("cheapest paths are the cheapest that the rules allow") {
  std::mt19937 random(2);
  int found = 0, missing = 0;
  for (int i = 0; i < 60; ++i) {
    const TestSchedule schedule = randomMachine(random);
    std::vector<double> prices;
    for (size_t link = 0; link < schedule.links.size(); ++link)
      prices.push_back(double(random() % 6));
    const Opened opened(schedule);
    const verify::TopologyView machine(*opened.file, opened.program());
    const std::vector<double> table =
        verify::cheapestPathPrices(machine, prices);
    for (uint32_t from = 0; from < machine.numRanks(); ++from)
      for (uint32_t to = 0; to < machine.numRanks(); ++to) {
        if (from == to)
          continue;
        const double best = bruteForcePath(schedule, from, to, prices);
        CHECK(table[from * machine.numRanks() + to] == best);
        ++(std::isinf(best) ? missing : found);
      }
  }
  CHECK(found > 50);
  CHECK(missing > 50);
}

TEST_CASE("the rate counts shares, blocks and every use of a link") {
  // Ranks 0 - 1 - 2 in a chain and 0 -> {1, 2} as a star, with shares 1/4 and
  // 3/4.
  std::vector<TestTree> trees(2);
  trees[0].numerator = 1;
  trees[1].numerator = 3;
  trees[0].denominator = trees[1].denominator = 4;
  trees[0].parents = {-1, 0, 1};
  trees[1].parents = {-1, 0, 0};
  TestSchedule schedule =
      makeSchedule(Collective::broadcast, 0, 3, trees, BuildOptions());
  for (TestLink &link : schedule.links)
    link.bandwidth = link.from == 0 && link.to == 1 ? 30 : 15;
  settleRates(schedule);
  // Link 0 -> 1 carries all of S, 0 -> 2 three quarters, and 1 -> 2 one
  // quarter.
  CHECK(schedule.programs[0].algbw == doctest::Approx(20));
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "");
  CHECK(contains(detailOf(report, "bandwidth"),
                 "20 GB/s, limited by node0 -> node2 (nvlink)"));

  // A tree of an allgather carries one block of S: here half of S over each
  // link.
  const TestSchedule halves =
      makeSchedule(Collective::allgather, 0, 2, BuildOptions());
  CHECK(judge(halves).links == doctest::Approx(2));
}

TEST_CASE("a rate that the links do not sustain") {
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, 4, BuildOptions());
  schedule.programs[0].algbw *= 1 + 1e-8;
  const VerifyReport over = judge(schedule);
  CHECK(failures(over) == "bandwidth");
  CHECK(
      contains(detailOf(over, "bandwidth"), "the file states 1.00000001 GB/s"));
  schedule.programs[0].algbw = 0.5;
  CHECK(failures(judge(schedule)) == "bandwidth");
  schedule.programs[0].algbw = 1 + 1e-12;
  CHECK(failures(judge(schedule)) == "");
}

TEST_CASE("messages have the links to themselves") {
  // Trees over links 0 -> 1 -> ... would put several messages on a link, one
  // after the other.
  TestSchedule schedule = makeSchedule(Collective::sendrecv, 0, 3, {});
  CHECK(judge(schedule).links == doctest::Approx(1));
  // Two trees of one message share its link: each carries a half.
  BuildOptions halves;
  halves.treesPerBlock = 2;
  CHECK(judge(makeSchedule(Collective::sendrecv, 0, 3, halves)).links ==
        doctest::Approx(1));
  // The slowest link counts, and only the pair over it bounds the rate.
  for (size_t link = 0; link < schedule.links.size(); ++link)
    schedule.programs[0].prices[link] = link == 2 ? 1 : 0;
  schedule.links[2].bandwidth = 0.25;
  schedule.programs[0].algbw = schedule.programs[0].bound = 0.25;
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "");
  CHECK(report.links == doctest::Approx(0.25));
  CHECK(report.bound == doctest::Approx(0.25));
}

TEST_CASE("a bound that the prices do not prove") {
  for (Collective collective : sched::EnumValuesCollective())
    for (double factor : {0.5, 2.0, 1 + 1e-8}) {
      TestSchedule schedule = makeSchedule(collective, 1, 4, BuildOptions());
      schedule.programs[0].bound *= factor;
      CHECK(failures(judge(schedule)) == "certificate");
    }
}

TEST_CASE("bounds of prices that are not all alike") {
  // 0's links are expensive, so that the cheapest trees differ between roots.
  const auto boundOf = [](Collective collective, int root) {
    TestSchedule schedule = makeSchedule(collective, root, 3, BuildOptions());
    for (size_t link = 0; link < schedule.links.size(); ++link)
      if (schedule.links[link].from == 0)
        schedule.programs[0].prices[link] = 5; // the sum is 5 + 5 + 4
    return judge(schedule).bound;
  };
  // Out of 0: 5 + 1. Out of 1: 1 + 1. Into 0: 1 + 1. Into 1: 5 + 1, also over
  // 2.
  CHECK(boundOf(Collective::broadcast, 0) == doctest::Approx(14.0 / 6));
  CHECK(boundOf(Collective::broadcast, 1) == doctest::Approx(14.0 / 2));
  CHECK(boundOf(Collective::reduce, 0) == doctest::Approx(14.0 / 2));
  CHECK(boundOf(Collective::reduce, 1) == doctest::Approx(14.0 / 6));
  // For each root: 6 + 2.
  CHECK(boundOf(Collective::allreduce, 0) == doctest::Approx(14.0 / 8));
  CHECK(boundOf(Collective::allgather, 0) == doctest::Approx(3 * 14.0 / 10));
  CHECK(boundOf(Collective::reducescatter, 0) ==
        doctest::Approx(3 * 14.0 / 14));
}

TEST_CASE("prices that prove nothing") {
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, 4, BuildOptions());
  std::vector<double> &prices = schedule.programs[0].prices;
  SUBCASE("all zero") {
    prices.assign(prices.size(), 0);
    const VerifyReport report = judge(schedule);
    CHECK(failures(report) == "certificate");
    CHECK(contains(detailOf(report, "certificate"), "tree costs nothing"));
  }
  SUBCASE("on excluded links") {
    schedule.links.push_back({1, 1, 0, 1, sched::LinkKind::pcie});
    prices.push_back(1e-3);
    const VerifyReport report = judge(schedule);
    CHECK(failures(report) == "certificate");
    CHECK(contains(detailOf(report, "certificate"),
                   "expected 0, the file's options exclude the link"));
  }
  SUBCASE("so large that sums overflow") {
    prices.assign(prices.size(), 1e308);
    const VerifyReport report = judge(schedule);
    CHECK(failures(report) == "certificate");
    CHECK(contains(detailOf(report, "certificate"), "too large to compute"));
  }
  SUBCASE("negative, infinite or no numbers, should the loader let them by") {
    for (double price : {-1.0, infinity, std::nan("")}) {
      prices[3] = price;
      const Opened opened(schedule);
      const VerifyReport report = verifyProgram(*opened.file, opened.program());
      CHECK(failures(report) == "certificate");
      CHECK(contains(detailOf(report, "certificate"),
                     "the price of link 3, node1 -> node0 (nvlink), is"));
    }
  }
}

TEST_CASE("a rate above the bound is refused though each is as computed") {
  // Only an undrivable path could exceed a true bound: here, the PCIe path
  // between two GPUs with an NVLink.
  TestSchedule schedule =
      makeSchedule(Collective::broadcast, 0, 2, BuildOptions());
  schedule.nodes.push_back(sched::NodeKind::switch_);
  schedule.links = {{100, 1, 0, 2, sched::LinkKind::pcie},
                    {100, 1, 2, 1, sched::LinkKind::pcie},
                    {1, 1, 0, 1, sched::LinkKind::nvlink}};
  schedule.linkKinds = 0x3f;
  schedule.variant().paths = {0, 1};
  schedule.variant().channels[0].pathCount = 2;
  schedule.programs[0].prices = {0, 0, 1};
  schedule.programs[0].bound = 1;
  schedule.programs[0].algbw = 100;
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "paths certificate");
  CHECK(contains(detailOf(report, "certificate"), "is above the bound of 1"));
}
