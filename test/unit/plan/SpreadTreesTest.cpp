//===- SpreadTreesTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that are too fast for one lane, compared with numbers found by hand,
// and what must hold for every machine.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/FairRate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/FoldMoves.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Parts = std::vector<unsigned>;

constexpr double kLimit = costsOf(Protocol::simple).laneRate;
constexpr Collective kCollectives[] = {
    Collective::allreduce,     Collective::broadcast, Collective::reduce,
    Collective::allgather,     Collective::gather,    Collective::scatter,
    Collective::reducescatter, Collective::alltoall};

/// Returns two GPUs with a link of `bandwidth` GB/s in each direction.
RankTopology pairOf(double bandwidth) {
  return rankTopologyOf(makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": )" + std::to_string(bandwidth) +
          R"(, "latency": 0.5, "kind": "nvlink"})"));
}

Packing packed(const PackingProblem &problem) {
  PackedTrees all = valueOf(packTrees(problem));
  return valueOf(selectTrees(problem, all, {}));
}

/// Returns `packing` with each tree split into its parts.
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

/// Returns `packing` planned in lanes, with `parts[t]` equal trees for each
/// tree t.
FoldProgram planned(const PackingProblem &problem, const Packing &packing,
                    const Parts &parts, unsigned maxLanes) {
  return valueOf(planForest(problem, splitInto(packing, parts),
                            Protocol::simple, maxLanes));
}

Parts spread(const PackingProblem &problem, const Packing &packing,
             unsigned maxLanes = 16, size_t maxTrees = 0) {
  return valueOf(spreadTrees(problem, packing, {maxLanes}, maxTrees));
}

/// Returns the GB/s of each tree's busiest fold.
std::vector<double> busiest(const PackingProblem &problem,
                            const Packing &packing) {
  return busiestFolds(valueOf(expandForest(problem, packing)), packing);
}

/// The GB/s of the busiest lane of any rank, and the maximum number of folds of
/// a rank.
struct Busiest {
  double rate = 0;
  size_t folds = 0;
};
Busiest busiestLane(const PackingProblem &problem, const Packing &packing,
                    const Parts &parts, unsigned maxLanes) {
  Busiest busiest;
  FoldProgram program = planned(problem, packing, parts, maxLanes);
  for (const FoldProgram::Rank &rank : program.ranks) {
    busiest.folds = std::max(busiest.folds, rank.folds.size());
    REQUIRE(rank.lanes.size() <= maxLanes);
    for (const std::vector<size_t> &lane : rank.lanes) {
      double moves = 0;
      for (size_t fold : lane)
        moves += movesOf(
            loadOf(program, rank, rank.folds[fold], Protocol::simple).bytes);
      busiest.rate = std::max(busiest.rate, moves * packing.algbw);
    }
  }
  return busiest;
}

/// The maximum number of channels of a rank, and how even the lanes of all
/// ranks are.
struct Balance {
  LaneBalance lanes;
  long channels = 0;
};
Balance balanceOfRanks(const PackingProblem &problem, const Packing &packing,
                       const Parts &parts, unsigned maxLanes) {
  Balance balance;
  FoldProgram program = planned(problem, packing, parts, maxLanes);
  for (const FoldProgram::Rank &rank : program.ranks) {
    balance.lanes.include(balanceOf(program, rank, Protocol::simple));
    balance.channels = std::max<long>(
        balance.channels,
        std::count_if(rank.operands.begin(), rank.operands.end(),
                      [](auto operand) { return operand.isChannel(); }));
  }
  return balance;
}

/// Checks what must hold for every packing.
void checkSpread(const PackingProblem &problem, unsigned maxLanes) {
  Packing packing = packed(problem);
  Parts parts = spread(problem, packing, maxLanes);
  Parts least; // the parts that meet the limit
  bool fast = false;
  for (double load : busiest(problem, packing)) {
    least.push_back(unsigned(std::ceil(load / kLimit * (1 - 1e-9))));
    fast |= load > 1.25 * kLimit * (1 + 1e-9);
  }
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
  // More parts than the limit requires serve to even out the lanes.
  if (!std::equal(parts.begin(), parts.end(), least.begin(),
                  std::less_equal<unsigned>())) {
    CHECK(*std::max_element(parts.begin(), parts.end()) <= maxLanes);
    CHECK(balanceOfRanks(problem, packing, parts, maxLanes).channels <= 512);
  }
  Parts whole(packing.trees.size(), 1);
  MessageTime before =
      timeOf(planned(problem, packing, whole, maxLanes), Protocol::simple);
  MessageTime after =
      timeOf(planned(problem, packing, parts, maxLanes), Protocol::simple);
  CHECK(after.gapPerByte < before.gapPerByte);
  Packing split = splitInto(packing, parts);
  CHECK(!problem.verify(split));
  // Splitting folds must give the same as folding split trees.
  FoldProgram folds =
      splitTrees(valueOf(expandForest(problem, packing)), parts);
  assignLanes(folds, Protocol::simple, maxLanes, {},
              mixesDirections(problem.collective));
  CHECK(timeOf(folds, Protocol::simple).at(kReferenceBytes) ==
        doctest::Approx(after.at(kReferenceBytes)).epsilon(1e-9));
  Shares shares = valueOf(exactShares(problem, split));
  CHECK(rateOfShares(problem, split, shares) ==
        doctest::Approx(packing.algbw).epsilon(1e-6));
}

} // namespace

TEST_CASE("a pair of GPUs has as many lanes as its link needs") {
  auto parts = [](double bandwidth, unsigned maxLanes = 16,
                  size_t maxTrees = 0) {
    RankTopology rankTopology = pairOf(bandwidth);
    PackingProblem problem{&rankTopology, Collective::broadcast, 0};
    Packing packing = packed(problem);
    REQUIRE(packing.trees.size() == 1);
    return spread(problem, packing, maxLanes, maxTrees);
  };
  // The root loads a byte and stores it twice: to its own output and to the
  // other rank's.
  CHECK(parts(10).empty());
  CHECK(parts(kLimit / 1.5).empty());
  CHECK(parts(kLimit * 1.25 / 1.5 - 0.01).empty());
  CHECK(parts(kLimit * 1.25 / 1.5 + 1) == Parts{2});
  CHECK(parts(400) == Parts{12});
  CHECK(parts(8 * kLimit / 1.5 + 1) == Parts{9});
  // At most as many as there are lanes; and with one lane, no split.
  CHECK(parts(400, 5) == Parts{5});
  CHECK(parts(400, 2) == Parts{2});
  CHECK(parts(400, 1).empty());
  CHECK(parts(900, 16) == Parts{16});
  // No more trees than allowed.
  CHECK(parts(400, 16, 3) == Parts{3});
  CHECK(parts(400, 16, 1).empty());
}

TEST_CASE("what a tree's folds move") {
  // A star over a switch: the root reads and writes seven channels, the others
  // one.
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx-h100"));
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  Packing packing = packed(problem);
  REQUIRE(packing.trees.size() == 8);
  // The root loads eight inputs and stores eight outputs. The other ranks have
  // nothing to move: the root borrows their inputs and writes their outputs.
  CHECK(busiest(problem, packing)[0] == doctest::Approx(8 * 450.0 * 4 / 7 / 8));
  FoldProgram program = valueOf(expandForest(problem, packing));
  auto isUp = [&](int rank, int fold) {
    const FoldProgram::Rank &at = program.ranks[rank];
    return loadOf(program, at, at.folds[fold], Protocol::simple).up;
  };
  const FoldProgram::Fold &root = program.ranks[0].folds[0];
  REQUIRE(root.tree == 0);
  CHECK(root.sources + root.destinations == 14 + 2);
  CHECK(root.directMoves == 16);
  CHECK(root.slotMoves == 16);
  for (int rank = 1; rank < 8; ++rank)
    for (int i : {0, 1}) {
      const FoldProgram::Fold &fold = program.ranks[rank].folds[i];
      REQUIRE(fold.tree == 0);
      CHECK(isUp(rank, i) == (i == 0));
      CHECK(fold.directMoves == 0);
      CHECK(fold.slotMoves == 2);
    }

  // Chains: a copy, then from the root to each of seven ranks, or back. The
  // sender moves the data.
  for (Collective collective : {Collective::scatter, Collective::gather}) {
    problem.collective = collective;
    packing = packed(problem);
    program = valueOf(expandForest(problem, packing));
    bool gathers = collective == Collective::gather;
    int sent = 0;
    for (int rank = 0; rank < 8; ++rank)
      for (size_t i = 0; i < program.ranks[rank].folds.size(); ++i) {
        const FoldProgram::Fold &fold = program.ranks[rank].folds[i];
        if (program.trees[fold.tree].origin != 0)
          continue;
        CHECK(fold.slotMoves == 2);
        if (program.trees[fold.tree].depth == 0) { // the root's own block
          CHECK(rank == 0);
          CHECK(fold.directMoves == 2);
          continue;
        }
        ++sent;
        CHECK(isUp(rank, int(i)) == ((rank == 0) != gathers));
        CHECK(fold.directMoves == (isUp(rank, int(i)) ? 2 : 0));
      }
    CHECK(sent == 14);
    CHECK(busiest(problem, packing)[0] ==
          doctest::Approx(packing.trees[0].weight));
  }
}

TEST_CASE("neither parts nor lanes change what trees decide of the time") {
  for (const char *name : {"dgx1", "dgx-h100", "mi250"})
    for (Collective collective : kCollectives) {
      CAPTURE(name);
      CAPTURE(toString(collective).str());
      RankTopology rankTopology = rankTopologyOf(shippedTopology(name));
      PackingProblem problem{&rankTopology, collective, 0};
      Packing packing = packed(problem);
      const FoldProgram whole = valueOf(expandForest(problem, packing));
      Parts parts;
      for (size_t t = 0; t < packing.trees.size(); ++t)
        parts.push_back(1 + unsigned(t * 5 % 7));
      FoldProgram program = splitTrees(whole, parts);
      assignLanes(program, Protocol::simple, 4);
      const TreeTimes known = treeTimes(whole, Protocol::simple);
      const TreeTimes anew = treeTimes(program, Protocol::simple);
      const auto isAbout = [](double value) {
        return doctest::Approx(value).epsilon(1e-9);
      };
      CHECK(known.start == isAbout(anew.start));
      CHECK(known.rate == isAbout(anew.rate));
      CHECK(known.hops == isAbout(anew.hops));
      CHECK(known.latency == isAbout(anew.latency));
      const MessageTime given = timeOfLarge(program, 0, &known);
      const MessageTime time = timeOfLarge(program);
      CHECK(given.flow.chunkBytes == time.flow.chunkBytes);
      for (uint64_t bytes = 1 << 10; bytes <= 1 << 30; bytes *= 4)
        CHECK(given.at(bytes) == isAbout(time.at(bytes)));
    }
}

TEST_CASE("every lane of an H100 box moves data, and as much as the others") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx-h100"));
  for (Collective collective : kCollectives)
    for (unsigned lanes : {4, 16}) {
      CAPTURE(toString(collective).str());
      CAPTURE(lanes);
      PackingProblem problem{&rankTopology, collective, 0};
      Packing packing = packed(problem);
      Parts parts = spread(problem, packing, lanes);
      // In an alltoall whole trees are even in four lanes.
      REQUIRE(parts.empty() ==
              (collective == Collective::alltoall && lanes == 4));
      if (parts.empty())
        parts.assign(packing.trees.size(), 1);
      Balance balance = balanceOfRanks(problem, packing, parts, lanes);
      CHECK(balance.lanes.isEven());
      CHECK(balance.channels <= 512);
    }
  // A root that does as much as 16 folds of a copy is split over 16 lanes,
  // although five would be below the limit: the other lanes exist anyway, for
  // passive folds.
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  CHECK(spread(problem, packed(problem)) == Parts(8, 16));
}

TEST_CASE("trees that links would not keep to go in equal parts") {
  const RankTopology rankTopology =
      rankTopologyOf(shippedTopology("pcie-8gpu"));
  const PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  const std::vector<Packing> fair = valueOf(selectFairTrees(
      problem, valueOf(packTrees(problem)), SelectOptions(), {0.05}));
  REQUIRE(fair.size() == 1);
  const Packing &packing = fair[0];
  const Parts whole(packing.trees.size(), 1);
  REQUIRE(fairRate(problem, packing, whole) < 0.9 * packing.algbw);
  const Parts parts = valueOf(chooseParts(problem, packing, {16}, 0));
  REQUIRE(parts.size() == packing.trees.size());
  CHECK(fairRate(problem, packing, parts) >= 0.99 * packing.algbw);
  for (size_t t = 1; t < parts.size(); ++t)
    CHECK(packing.trees[t].weight / parts[t] ==
          doctest::Approx(packing.trees[0].weight / parts[0]));
  // In a single lane the trees wait for each other, so there is no split; nor
  // is there if the limit on trees forbids it.
  CHECK(valueOf(chooseParts(problem, packing, {1}, 0)).empty());
  CHECK(valueOf(chooseParts(problem, packing, {16}, packing.trees.size()))
            .empty());
}

TEST_CASE("a DGX-1 stays as it is, and an H100 box has no lane far above") {
  for (const char *name : {"dgx1", "dgx1p", "pcie-8gpu"}) {
    CAPTURE(name);
    RankTopology rankTopology = rankTopologyOf(shippedTopology(name));
    for (Collective collective : kCollectives) {
      CAPTURE(toString(collective).str());
      PackingProblem problem{&rankTopology, collective, 0};
      CHECK(spread(problem, packed(problem)).empty());
    }
  }
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx-h100"));
  for (Collective collective : kCollectives) {
    CAPTURE(toString(collective).str());
    PackingProblem problem{&rankTopology, collective, 0};
    Packing packing = packed(problem);
    Parts parts = spread(problem, packing);
    REQUIRE(!parts.empty());
    CHECK(
        busiestLane(problem, packing, Parts(packing.trees.size(), 1), 16).rate >
        kLimit * 1.2);
    CHECK(busiestLane(problem, packing, parts, 16).rate <= kLimit * 1.2);
  }
}

TEST_CASE("lanes that are left take more parts of all trees") {
  const RankTopology dgx1 = rankTopologyOf(shippedTopology("dgx1"));
  const PackingProblem problem{&dgx1, Collective::broadcast, 0};
  const Packing packing = packed(problem);
  const Parts whole(packing.trees.size(), 1);
  REQUIRE(whole.size() < 8);
  const Parts parts = valueOf(chooseParts(problem, packing, {16}, 0));
  REQUIRE(!parts.empty());
  const MessageTime before = timeOfLarge(planned(problem, packing, whole, 16));
  const MessageTime after = timeOfLarge(planned(problem, packing, parts, 16));
  CHECK(isFasterWhenLong(after, before, 0.98));
  CHECK(!isFasterWhenLong(before, after, 1));
  // No lane is left, or no more trees are allowed.
  CHECK(valueOf(chooseParts(problem, packing, {4}, 0)).empty());
  CHECK(valueOf(chooseParts(problem, packing, {16}, whole.size())).empty());
}

TEST_CASE("lanes beyond those that a link needs pay for chunks") {
  const RankTopology pair = pairOf(400);
  const PackingProblem problem{&pair, Collective::broadcast, 0};
  const Packing packing = packed(problem);
  REQUIRE(packing.trees.size() == 1);
  const Parts needed = spread(problem, packing, 16);
  const Parts parts = valueOf(chooseParts(problem, packing, {16}, 0));
  REQUIRE(parts.size() == 1);
  CHECK(parts.front() > needed.front());
  CHECK(isFasterWhenLong(timeOfLarge(planned(problem, packing, parts, 16)),
                         timeOfLarge(planned(problem, packing, needed, 16)),
                         0.98));
  CHECK(valueOf(chooseParts(problem, packing, {12}, 0)) == Parts{12});
}

TEST_CASE("lanes that no long message needs make short ones shorter") {
  const RankTopology pair = pairOf(25);
  const PackingProblem problem{&pair, Collective::reduce, 0};
  const Packing packing = packed(problem);
  REQUIRE(spread(problem, packing, 16).empty());
  const Parts parts = valueOf(chooseParts(problem, packing, {16}, 0));
  REQUIRE(parts.size() == 1);
  const MessageTime before = timeOfLarge(planned(problem, packing, {1}, 16));
  const MessageTime after = timeOfLarge(planned(problem, packing, parts, 16));
  CHECK(after.at(kReferenceBytes / 16) <
        0.95 * before.at(kReferenceBytes / 16));
  CHECK(!isFasterWhenLong(after, before, 0.99));
  CHECK(isFasterWhenLong(after, before, 1.001));
  CHECK(valueOf(chooseParts(problem, packing, {1}, 0)).empty());
}

TEST_CASE("no parts for their time alone, if links keep less to weights") {
  for (const char *name : {"mi100-8gpu", "rtx-a6000-4gpu", "azure-ndv2"}) {
    const RankTopology ranks = rankTopologyOf(shippedTopology(name));
    for (Collective collective :
         {Collective::allreduce, Collective::reducescatter}) {
      CAPTURE(std::string(name));
      CAPTURE(toString(collective).str());
      const PackingProblem problem{&ranks, collective, 0};
      const Packing packing = packed(problem);
      Parts parts = valueOf(chooseParts(problem, packing, {16}, 0));
      if (parts.empty())
        parts.assign(packing.trees.size(), 1);
      CHECK(fairRate(problem, packing, parts) >=
            0.99 * fairRate(problem, packing, evenParts(problem, packing)));
    }
  }
}

TEST_CASE("what holds of all machines") {
  for (const char *name : {"a100-nv4", "dgx-a100", "dgx-h100", "dgx1", "dgx2",
                           "mi250", "pcie-8gpu"}) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    for (std::vector<int> gpus : {std::vector<int>{}, {0, 1}, {0, 2, 3}}) {
      CAPTURE(gpus.size());
      RankTopology rankTopology = rankTopologyOf(topology, gpus);
      for (Collective collective : kCollectives) {
        CAPTURE(toString(collective).str());
        PackingProblem problem{&rankTopology, collective, 0};
        if (llvm::Error error = problem.check()) {
          llvm::consumeError(std::move(error)); // the GPUs are not joined
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
    RankTopology rankTopology = rankTopologyOf(topology);
    Collective collective = kCollectives[trial % 8];
    CAPTURE(toString(collective).str());
    for (unsigned lanes : {16, 3, 1})
      checkSpread({&rankTopology, collective, trial % gpus}, lanes);
  }
}

TEST_CASE("no fold that copies to several places stores more than a lane can") {
  for (const char *machine : {"dgx-a100", "dgx-h100", "dgx-b200", "mi300x"}) {
    CAPTURE(machine);
    RankTopology rankTopology = rankTopologyOf(shippedTopology(machine));
    PackingProblem problem{&rankTopology, Collective::broadcast, 0};
    const Packing packing = packed(problem);
    FoldProgram program = valueOf(
        planParts(problem, packing,
                  valueOf(chooseParts(problem, packing, {16}, 0)), {16}));
    double most = 0;
    for (const FoldProgram::Rank &rank : program.ranks)
      for (const FoldProgram::Fold &fold : rank.folds)
        if (fold.directMoves > 2 * fold.sources)
          most = std::max(most, packing.algbw * program.trees[fold.tree].share *
                                    (fold.directMoves - fold.sources));
    CHECK(most > 0);
    // A quarter more is tolerated, as in spreadTrees.
    CHECK(most <= kLimit * 1.25);
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
  // 2^30 is not a multiple of three, and three times it has too many bits.
  // Nothing is lost, and no two parts differ by more than one unit.
  uint32_t large = 1u << 30;
  shares = spreadShares({large - 100, 100}, large, {7, 1});
  CHECK(shares.denominator == large);
  CHECK(shares.numerators[1] == std::vector<uint32_t>{100});
  const std::vector<uint32_t> &parts = shares.numerators[0];
  REQUIRE(parts.size() == 7);
  CHECK(std::accumulate(parts.begin(), parts.end(), uint64_t(0)) ==
        large - 100);
  CHECK(parts.front() - parts.back() <= 1);
  // A single unit cannot be split.
  shares = spreadShares({3, UINT32_MAX - 3}, UINT32_MAX, {5, 2});
  CHECK(shares.numerators[0] == std::vector<uint32_t>{1, 1, 1});
  CHECK(shares.numerators[1].size() == 2);
  // Many different numbers of parts: their common multiple has more than 64
  // bits.
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
