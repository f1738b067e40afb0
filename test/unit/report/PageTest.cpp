//===- PageTest.cpp - the contents of blinkc report's page ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/PageData.h"

#include "compiler/machines/MachineTypes.h"
#include "compiler/render/PageReport.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"
#include "nlohmann/json.hpp"

#include <algorithm>
#include <cstring>

using namespace blink;
using namespace blink::test;

static RankTopology ranksOf(const char *type, std::vector<int> gpus) {
  auto ranks = RankTopology::create(findMachineType(type)->topology(),
                                    std::move(gpus), LinkKindSet::all());
  REQUIRE(bool(ranks));
  return std::move(*ranks);
}

static PageData pageOfSchedule(const TestSchedule &schedule) {
  const std::vector<uint8_t> bytes = seal(schedule);
  std::vector<uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  std::string error;
  const sched::Schedule *file = sched::openSchedule(
      reinterpret_cast<const uint8_t *>(words.data()), bytes.size(), error);
  INFO(error);
  REQUIRE(file);
  auto page = pageOf(*file);
  REQUIRE(bool(page));
  return std::move(*page);
}

TEST_CASE("equal trees are one, with the share of all") {
  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 3;
  const PageData page =
      pageOfSchedule(makeSchedule(Collective::allreduce, 0, 4, options));
  REQUIRE(page.programs.size() == 1);
  double share = 0;
  size_t copies = 0;
  for (const PageTree &tree : page.programs[0].variants[0].forest.trees) {
    share += tree.share;
    copies += tree.copies.size();
    // An allreduce goes up to the root and down again.
    CHECK(tree.hops.size() == 6);
    for (const PageHop &hop : tree.hops) {
      CHECK((hop.up ? hop.to : hop.from) == tree.root);
      CHECK(hop.path.size() == 1);
    }
  }
  CHECK(copies == 3);
  CHECK(share == doctest::Approx(1));
}

TEST_CASE("a broadcast carries results alone") {
  const PageData page =
      pageOfSchedule(makeSchedule(Collective::broadcast, 0, 4, {}));
  for (const PageHop &hop : page.programs[0].variants[0].forest.trees[0].hops)
    CHECK(!hop.up);
}

TEST_CASE("a replay has each chunk once, in the order of its channel") {
  BuildOptions options;
  options.treesPerBlock = 2;
  const PageData page =
      pageOfSchedule(makeSchedule(Collective::allreduce, 0, 4, options));
  REQUIRE(page.programs[0].replay);
  const PageReplay &replay = *page.programs[0].replay;
  std::vector<uint64_t> chunks(replay.channels.size()), ends = chunks;
  for (const PageReplay::Transfer &one : replay.transfers) {
    CHECK(one.begin >= ends[one.channel]);
    CHECK(one.end > one.begin);
    CHECK(one.arrival > one.end);
    CHECK(double(one.arrival) <= replay.microseconds * 1e3 + 1);
    ends[one.channel] = one.end;
    ++chunks[one.channel];
  }
  for (uint64_t count : chunks)
    CHECK(count == 8);
  for (const PageReplay::Fold &fold : replay.folds)
    CHECK(fold.lane < replay.lanes.size());
}

TEST_CASE("rings of a DGX-1 are those that NCCL finds") {
  const auto sizes = PageData::sizes();
  // Each GPU has six links of 25 GB/s, all of which are in rings
  // (docs/performance.md).
  const RankTopology all = ranksOf("dgx1", {0, 1, 2, 3, 4, 5, 6, 7});
  const auto rings = findRings(all, Collective::broadcast, sizes);
  REQUIRE(rings);
  CHECK(rings->rate == doctest::Approx(150));
  CHECK(rings->algbw == doctest::Approx(150));
  CHECK(findRings(all, Collective::allreduce, sizes)->algbw ==
        doctest::Approx(150 / 1.75));
  // GPU 1 has a link to GPU 5 only, so there is no ring over NVLink.
  CHECK(findRings(ranksOf("dgx1", {1, 4, 5, 6}), Collective::broadcast, sizes)
            ->rate == doctest::Approx(15.75));
  CHECK(!findRings(all, Collective::alltoall, sizes));
}

TEST_CASE("a link that is not there yet may bring most") {
  const RankTopology ranks = ranksOf("dgx1", {1, 4, 5, 6});
  const PackingProblem problem{&ranks, Collective::allreduce, 0};
  auto certificate = boundRate(problem);
  REQUIRE(bool(certificate));
  auto more = tryMoreLinks(problem, *certificate, 4);
  auto others = tryNewLinks(problem, *certificate, 4);
  REQUIRE(bool(more));
  REQUIRE(bool(others));
  REQUIRE(others->size() == 2); // 1-4 and 1-6
  CHECK(others->front().from == "gpu1");
  CHECK(others->front().bound > more->front().bound);
  // GPUs around a switch have no links between each other.
  const RankTopology star = ranksOf("dgx-a100", {0, 1, 2});
  auto bound = boundRate({&star, Collective::allreduce, 0});
  REQUIRE(bool(bound));
  auto none = tryNewLinks({&star, Collective::allreduce, 0}, *bound, 4);
  REQUIRE(bool(none));
  CHECK(none->empty());
}

TEST_CASE("whatever things are called, a page has no elements of theirs") {
  const std::string bad = "</script><!--<script>{{DATA}}&\"'";
  Topology machine = findMachineType("dgx1")->topology();
  machine.name = machine.nodes[3].id = bad;
  machine.nodes[4].id = "\xff\xfe";
  auto page = pageOf(machine);
  REQUIRE(bool(page));
  const std::string json = toPageJson(*page);
  CHECK(json.find('<') == std::string::npos);
  const auto parsed = nlohmann::json::parse(json);
  CHECK(parsed["title"] == bad);
  CHECK(parsed["machines"][0]["nodes"][3][0] == bad);
  const std::string html = toHtml(*page);
  CHECK(html.find(bad) == std::string::npos);
  CHECK(html.find("<title>&lt;/script&gt;") != std::string::npos);
  // There is one place for data, and it is filled once.
  CHECK(html.find(json) == html.rfind(json));
  CHECK(toHtml(*page) == html);
}

TEST_CASE("who waits for a page is told what is computed") {
  std::vector<std::string> steps;
  int rounds = 0;
  const WorkWatcher watcher{[&](const SolveStatus &) { return ++rounds > 0; },
                            [&](const std::string &what) {
                              CHECK((steps.empty() || rounds > 0));
                              steps.push_back(what);
                            }};
  auto page = pageOf(findMachineType("dgx1")->topology(), watcher);
  REQUIRE(bool(page));
  REQUIRE(steps.size() > 3);
  CHECK(steps[0] == "bound of allreduce");
  CHECK(steps[1].rfind("allreduce with one more link, 1 of ", 0) == 0);
  const auto has = [&](const char *step) {
    return std::count(steps.begin(), steps.end(), step) == 1;
  };
  CHECK(has("allreduce with a new link, 1 of 4"));
  CHECK(has("bound of alltoall"));
}

TEST_CASE("a machine that is in parts is drawn, with the reason") {
  Topology machine = findMachineType("dgx1")->topology();
  machine.links.resize(2);
  auto page = pageOf(machine);
  REQUIRE(bool(page));
  CHECK(page->programs.empty());
  REQUIRE(page->notes.size() == 1);
}
