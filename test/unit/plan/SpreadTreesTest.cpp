//===- SpreadTreesTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that are too fast for a lane, against numbers found by hand, and what
// must hold of every machine.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "compiler/plan/FoldLoads.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Parts = std::vector<unsigned>;

constexpr double kLimit = costsOf(Protocol::simple).lane;
constexpr Collective kCollectives[] = {
    Collective::allreduce,     Collective::broadcast, Collective::reduce,
    Collective::allgather,     Collective::gather,    Collective::scatter,
    Collective::reducescatter, Collective::alltoall};

/// Two GPUs with a link of `bandwidth` each way.
Fabric pairOf(double bandwidth) {
  return fabricOf(makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": )" + std::to_string(bandwidth) +
          R"(, "latency": 0.5, "kind": "nvlink"})"));
}

Packing packed(const PackingProblem &problem) {
  PackedTrees all = valueOf(packTrees(problem));
  return valueOf(selectTrees(problem, all, {}));
}

/// `packing` with each tree as its parts.
Packing splitInto(const Packing &packing, const Parts &parts) {
  Packing split;
  split.algbw = packing.algbw;
  for (size_t t = 0; t < packing.trees.size(); ++t)
    for (unsigned part = 0; part < parts[t]; ++part) {
      split.trees.push_back(packing.trees[t]);
      split.trees.back().weight /= parts[t];
    }
  return split;
}

/// GB/s of the busiest lane of any rank, and the most folds of a rank.
struct Busiest {
  double rate = 0;
  size_t folds = 0;
};
Busiest busiestLane(const PackingProblem &problem, const Packing &packing,
                    const Parts &parts, size_t maxLanes) {
  Busiest busiest;
  for (const RankFolds &rank :
       foldsOfRanks(packing, foldsOf(problem, packing),
                    problem.fabric->numRanks(), Protocol::simple, parts)) {
    busiest.folds = std::max(busiest.folds, rank.loads.size());
    auto lanes = chooseLanes(rank.loads, maxLanes);
    REQUIRE(lanes.size() <= maxLanes);
    for (const std::vector<size_t> &lane : lanes) {
      double moves = 0;
      for (size_t fold : lane)
        moves += movesOf(rank.loads[fold].bytes);
      busiest.rate = std::max(busiest.rate, moves * packing.algbw);
    }
  }
  return busiest;
}

/// The most channels of a rank, and how even all its lanes are.
struct Balance {
  LaneBalance lanes;
  int channels = 0;
};
Balance balanceOfRanks(const PackingProblem &problem, const Packing &packing,
                       const Parts &parts, size_t maxLanes) {
  Balance balance;
  for (const RankFolds &rank :
       foldsOfRanks(packing, foldsOf(problem, packing),
                    problem.fabric->numRanks(), Protocol::simple, parts)) {
    balance.lanes.include(balanceOf(rank.loads, maxLanes));
    balance.channels = std::max(balance.channels, rank.channels);
  }
  return balance;
}

/// What holds of every packing.
void checkSpread(const PackingProblem &problem, unsigned maxLanes) {
  Packing packing = packed(problem);
  Parts parts = spreadTrees(problem, packing, {Protocol::simple, maxLanes}, 0);
  Parts least; // that meet the limit
  for (const Tree &tree : packing.trees)
    least.push_back(
        unsigned(std::ceil(busiestFold(problem, tree) / kLimit * (1 - 1e-9))));
  bool fast = std::any_of(
      packing.trees.begin(), packing.trees.end(), [&](const Tree &tree) {
        return busiestFold(problem, tree) > 1.25 * kLimit * (1 + 1e-9);
      });
  if (!fast || maxLanes == 1) {
    CHECK(parts.empty());
    return;
  }
  Busiest wanted = busiestLane(problem, packing, least, maxLanes);
  if (wanted.folds <= maxLanes) {
    CHECK(wanted.rate <= kLimit * (1 + 1e-9));
    REQUIRE(!parts.empty());
    for (size_t t = 0; t < parts.size(); ++t)
      CHECK(parts[t] >= least[t]);
  }
  if (parts.empty())
    return;
  // More parts than the limit asks for even lanes out.
  if (!std::equal(parts.begin(), parts.end(), least.begin(),
                  std::less_equal<unsigned>())) {
    CHECK(*std::max_element(parts.begin(), parts.end()) <= maxLanes);
    CHECK(balanceOfRanks(problem, packing, parts, maxLanes).channels <= 512);
  }
  MessageTime before = timeOf(problem, packing, {Protocol::simple, maxLanes});
  MessageTime after = timeOf(problem, packing, foldsOf(problem, packing),
                             {Protocol::simple, maxLanes}, parts);
  CHECK(after.perByte < before.perByte);
  Packing split = splitInto(packing, parts);
  CHECK(!problem.verify(split));
  // The model sees in the trees what it saw in the parts.
  CHECK(timeOf(problem, split, {Protocol::simple, maxLanes})
            .at(kReferenceBytes) ==
        doctest::Approx(after.at(kReferenceBytes)).epsilon(1e-9));
  Shares shares = valueOf(exactShares(problem, split));
  CHECK(rateOfShares(problem, split, shares) ==
        doctest::Approx(packing.algbw).epsilon(1e-6));
}

} // namespace

TEST_CASE("a pair of GPUs has as many lanes as its link needs") {
  auto parts = [](double bandwidth, unsigned maxLanes = 16,
                  size_t maxTrees = 0) {
    Fabric fabric = pairOf(bandwidth);
    PackingProblem problem{&fabric, Collective::broadcast, 0};
    Packing packing = packed(problem);
    REQUIRE(packing.trees.size() == 1);
    return spreadTrees(problem, packing, {Protocol::simple, maxLanes},
                       maxTrees);
  };
  // The root loads a byte and stores it twice, to its output and the other's.
  CHECK(parts(10).empty());
  CHECK(parts(kLimit / 1.5).empty());
  CHECK(parts(kLimit * 1.25 / 1.5 - 0.01).empty());
  CHECK(parts(kLimit * 1.25 / 1.5 + 1) == Parts{2});
  CHECK(parts(400) == Parts{12});
  CHECK(parts(8 * kLimit / 1.5 + 1) == Parts{9});
  // As many as there are, and one stays one.
  CHECK(parts(400, 5) == Parts{5});
  CHECK(parts(400, 2) == Parts{2});
  CHECK(parts(400, 1).empty());
  CHECK(parts(900, 16) == Parts{16});
  // No more trees than are allowed.
  CHECK(parts(400, 16, 3) == Parts{3});
  CHECK(parts(400, 16, 1).empty());
}

TEST_CASE("what a tree's folds move") {
  // A star over a switch: the root reads and writes seven channels, others one.
  Fabric fabric = fabricOf(shippedTopology("dgx-h100"));
  PackingProblem problem{&fabric, Collective::allreduce, 0};
  Packing packing = packed(problem);
  REQUIRE(packing.trees.size() == 8);
  // It loads eight inputs and stores eight outputs; what others do is done by
  // then: they lend it their inputs, and find the result in their outputs.
  CHECK(busiestFold(problem, packing.trees[0]) ==
        doctest::Approx(8 * 450.0 * 4 / 7 / 8));
  std::vector<TreeFold> folds = foldsOf(problem, packing.trees[0]);
  REQUIRE(folds.size() == 15);
  CHECK(folds[0].channels == 14);
  CHECK(folds[0].moves.direct == 16);
  CHECK(folds[0].moves.slots == 16);
  CHECK(folds[1].up);
  CHECK(!folds[2].up);
  for (size_t i = 1; i < folds.size(); ++i) {
    CHECK(folds[i].moves.direct == 0);
    CHECK(folds[i].moves.slots == 2);
  }

  // Chains: a copy, then from the root to each of seven, or back. The sender
  // moves it.
  for (Collective collective : {Collective::scatter, Collective::gather}) {
    problem.collective = collective;
    packing = packed(problem);
    folds = foldsOf(problem, packing.trees[0]);
    REQUIRE(folds.size() == 15);
    CHECK(folds[0].channels == 0);
    CHECK(folds[0].moves.direct == 2);
    bool gathers = collective == Collective::gather;
    for (size_t i = 1; i < folds.size(); ++i) {
      CHECK(folds[i].channels == 1);
      CHECK(folds[i].up == ((folds[i].rank == 0) != gathers));
      CHECK(folds[i].moves.direct == (folds[i].up ? 2 : 0));
      CHECK(folds[i].moves.slots == 2);
    }
    CHECK(busiestFold(problem, packing.trees[0]) ==
          doctest::Approx(packing.trees[0].weight));
  }
}

TEST_CASE("every lane of an H100 box moves data, and as much as the others") {
  Fabric fabric = fabricOf(shippedTopology("dgx-h100"));
  for (Collective collective : kCollectives)
    for (unsigned lanes : {4, 16}) {
      CAPTURE(toString(collective).str());
      CAPTURE(lanes);
      PackingProblem problem{&fabric, collective, 0};
      Packing packing = packed(problem);
      Parts parts = spreadTrees(problem, packing, {Protocol::simple, lanes}, 0);
      REQUIRE(!parts.empty());
      Balance balance = balanceOfRanks(problem, packing, parts, lanes);
      CHECK(balance.lanes.isEven());
      CHECK(balance.channels <= 512);
    }
  // A root that does what 16 folds of a copy do goes into 16 lanes, though five
  // would be below the limit: the other lanes are there for passive folds.
  PackingProblem problem{&fabric, Collective::allreduce, 0};
  CHECK(spreadTrees(problem, packed(problem), {Protocol::simple}, 0) ==
        Parts(8, 16));
}

TEST_CASE("a DGX-1 stays as it is, and an H100 box has no lane far above") {
  for (const char *name : {"dgx1", "dgx1p", "pcie-8gpu"}) {
    CAPTURE(name);
    Fabric fabric = fabricOf(shippedTopology(name));
    for (Collective collective : kCollectives) {
      CAPTURE(toString(collective).str());
      PackingProblem problem{&fabric, collective, 0};
      CHECK(
          spreadTrees(problem, packed(problem), {Protocol::simple}, 0).empty());
    }
  }
  Fabric fabric = fabricOf(shippedTopology("dgx-h100"));
  for (Collective collective : kCollectives) {
    CAPTURE(toString(collective).str());
    PackingProblem problem{&fabric, collective, 0};
    Packing packing = packed(problem);
    Parts parts = spreadTrees(problem, packing, {Protocol::simple}, 0);
    REQUIRE(!parts.empty());
    CHECK(busiestLane(problem, packing, {}, 16).rate > kLimit * 1.2);
    CHECK(busiestLane(problem, packing, parts, 16).rate <= kLimit * 1.2);
  }
}

TEST_CASE("what holds of all machines") {
  for (const char *name : {"a100-nv4", "dgx-a100", "dgx-h100", "dgx1", "dgx2",
                           "mi250", "pcie-8gpu"}) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    for (std::vector<int> gpus : {std::vector<int>{}, {0, 1}, {0, 2, 3}}) {
      CAPTURE(gpus.size());
      Fabric fabric = fabricOf(topology, gpus);
      for (Collective collective : kCollectives) {
        CAPTURE(toString(collective).str());
        PackingProblem problem{&fabric, collective, 0};
        if (llvm::Error error = problem.check()) {
          llvm::consumeError(std::move(error)); // GPUs that are not joined
          continue;
        }
        for (unsigned lanes : {16, 4, 1})
          checkSpread(problem, lanes);
      }
    }
  }
}

TEST_CASE("what holds of random machines") {
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    std::mt19937 random(trial);
    int gpus = 2 + int(random() % 6), switches = int(random() % 3);
    int nodes = gpus + switches;
    int links = std::min(nodes * (nodes - 1) / 2, nodes + int(random() % 8));
    Topology topology = valueOf(generateRandom(gpus, switches, links, trial,
                                               /*directed=*/false, Wire()));
    for (Link &link : topology.links)
      link.bandwidth *= 1 << trial % 5;
    Fabric fabric = fabricOf(topology);
    Collective collective = kCollectives[trial % 8];
    CAPTURE(toString(collective).str());
    for (unsigned lanes : {16, 3, 1})
      checkSpread({&fabric, collective, trial % gpus}, lanes);
  }
}

TEST_CASE("parts get equal shares, which add up to those of the trees") {
  SpreadShares shares = spreadShares({1}, 1, {8});
  CHECK(shares.denominator == 8);
  CHECK(shares.numerators ==
        std::vector<std::vector<uint32_t>>{std::vector<uint32_t>(8, 1)});
  shares = spreadShares({1, 2, 4}, 7, {1, 2, 3});
  CHECK(shares.denominator == 21);
  CHECK(shares.numerators ==
        std::vector<std::vector<uint32_t>>{{3}, {3, 3}, {4, 4, 4}});
  // 2^30 is no multiple of three, and three times as much has too many bits:
  // nothing is lost, and no two parts differ by more than a unit.
  uint32_t large = 1u << 30;
  shares = spreadShares({large - 100, 100}, large, {7, 1});
  CHECK(shares.denominator == large);
  CHECK(shares.numerators[1] == std::vector<uint32_t>{100});
  const std::vector<uint32_t> &parts = shares.numerators[0];
  REQUIRE(parts.size() == 7);
  CHECK(std::accumulate(parts.begin(), parts.end(), uint64_t(0)) ==
        large - 100);
  CHECK(parts.front() - parts.back() <= 1);
  // A unit cannot be cut.
  shares = spreadShares({3, UINT32_MAX - 3}, UINT32_MAX, {5, 2});
  CHECK(shares.numerators[0] == std::vector<uint32_t>{1, 1, 1});
  CHECK(shares.numerators[1].size() == 2);
  // Many different parts: their common multiple has more than 64 bits.
  std::vector<uint32_t> units;
  Parts counts;
  for (unsigned i = 0; i < 60; ++i) {
    units.push_back(large / 64);
    counts.push_back(i + 1);
  }
  units.push_back(large / 16);
  counts.push_back(1);
  shares = spreadShares(units, large, counts);
  for (size_t t = 0; t < units.size(); ++t)
    CHECK(std::accumulate(shares.numerators[t].begin(),
                          shares.numerators[t].end(), uint64_t(0)) == units[t]);
}
