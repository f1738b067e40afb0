//===- SimulationTest.cpp - the proofs against random runs ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random schedules with random faults are judged by the verifier and run by the
// simulation, and both must agree.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/Simulation.h"
#include "test/common/Sanitizers.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// The number of random schedules.
constexpr int kTimes = kSanitized ? 150 : 600;

/// Returns the block of the inputs that the folds of a tree may read.
uint32_t inputBlockOf(TestSchedule &schedule, uint32_t tree) {
  const uint32_t block = schedule.variant().trees[tree].block;
  switch (schedule.programs[0].collective) {
  case Collective::reducescatter:
  case Collective::scatter:
    return block;
  case Collective::alltoall:
  case Collective::sendrecv:
    return block % uint32_t(schedule.programs[0].allocation.size());
  default:
    return 0;
  }
}

/// Redistributes the folds of each rank over lanes, in any order.
void shuffleLanes(TestSchedule &schedule, std::mt19937 &random) {
  for (TestRank &rank : schedule.variant().ranks) {
    std::vector<TestFold> folds;
    for (const std::vector<TestFold> &lane : lanesOf(rank))
      folds.insert(folds.end(), lane.begin(), lane.end());
    for (size_t i = folds.size(); i > 1; --i)
      std::swap(folds[i - 1], folds[random() % i]);
    TestLanes lanes(1 + random() % 3);
    for (const TestFold &fold : folds)
      lanes[random() % lanes.size()].push_back(fold);
    rank = rankOf(lanes);
  }
}

/// Damages the data flow of one fold, sometimes in a way that does not matter.
void damage(TestSchedule &schedule, std::mt19937 &random) {
  TestRank &rank =
      schedule.variant().ranks[random() % schedule.variant().ranks.size()];
  TestLanes lanes = lanesOf(rank);
  std::vector<TestFold> &lane = lanes[random() % lanes.size()];
  TestFold &fold = lane[random() % lane.size()];
  const auto isLocal = [](const TestOperand &operand) {
    return operand.kind != OperandKind::channel;
  };
  switch (random() % 4) {
  case 0:
    std::reverse(fold.sources.begin(), fold.sources.end());
    break;
  case 1:
    if (fold.sources.size() > 1)
      fold.sources.erase(
          std::remove_if(fold.sources.begin(), fold.sources.end(), isLocal),
          fold.sources.end());
    break;
  case 2:
    if (fold.destinations.size() > 1)
      fold.destinations.erase(std::remove_if(fold.destinations.begin(),
                                             fold.destinations.end(), isLocal),
                              fold.destinations.end());
    break;
  case 3:
    if (std::none_of(fold.sources.begin(), fold.sources.end(), isLocal))
      fold.sources.push_back(input(inputBlockOf(schedule, fold.tree)));
    break;
  }
  rank = rankOf(lanes);
}

/// Returns a schedule in which every rank sends its input to every other one
/// and adds up in the order of ranks.
TestSchedule directAllreduce(int numRanks) {
  TestSchedule schedule = emptySchedule(Collective::allreduce, numRanks);
  std::vector<TestLanes> lanes(numRanks);
  std::vector<TestFold> sums(numRanks);
  for (int to = 0; to < numRanks; ++to) {
    sums[to] = {0, {}, {output()}, true};
    for (int from = 0; from < numRanks; ++from) {
      if (from == to) {
        sums[to].sources.push_back(input());
        continue;
      }
      const uint32_t number = addChannel(schedule, from, to);
      sums[to].sources.push_back(channel(number));
      lanes[from].push_back({{0, {input()}, {channel(number)}, false}});
    }
  }
  for (int rank = 0; rank < numRanks; ++rank) {
    lanes[rank].push_back({sums[rank]});
    schedule.variant().ranks[rank] = rankOf(lanes[rank]);
  }
  return schedule;
}

TestSchedule randomSchedule(std::mt19937 &random) {
  const auto &collectives = sched::EnumValuesCollective();
  const int numRanks = 2 + int(random() % 3);
  if (random() % 4 == 0)
    return directAllreduce(numRanks);
  BuildOptions options;
  options.shape = Shape::random;
  options.treesPerBlock = 1 + int(random() % 2);
  options.slots = uint16_t(1 + random() % 2);
  options.splitRoot = random() % 2;
  options.seed = uint32_t(random());
  return makeSchedule(collectives[random() % std::size(collectives)],
                      int(random() % numRanks), numRanks, options);
}

std::vector<uint32_t> randomChunks(const TestSchedule &schedule, uint32_t least,
                                   std::mt19937 &random) {
  std::vector<uint32_t> chunks;
  for (size_t i = 0; i < schedule.programs[0].variants[0].trees.size(); ++i)
    chunks.push_back(least + uint32_t(random() % (6 - least)));
  return chunks;
}

/// Whether a run's outputs are what the collective promises, judged by counting
/// in its words.
bool isRight(const TestSchedule &schedule, const SimulationResult &result) {
  const TestProgram &program = schedule.programs[0];
  const size_t numRanks = program.allocation.size();
  std::map<std::vector<uint32_t>, std::set<std::string>> words;
  for (const auto &[place, word] : result.outputs) {
    const uint32_t rank = place[0], block = place[1];
    std::string expected;
    switch (program.collective) {
    case Collective::broadcast:
      expected = std::to_string(program.root);
      break;
    case Collective::allgather:
      expected = std::to_string(block);
      break;
    case Collective::reduce:
      expected = rank == program.root ? "" : "?";
      break;
    case Collective::reducescatter:
      expected = rank == block ? "" : "?";
      break;
    case Collective::gather:
      expected = rank == program.root ? std::to_string(block) : "?";
      break;
    case Collective::scatter:
      expected = rank == block ? std::to_string(program.root) : "?";
      break;
    case Collective::alltoall:
    case Collective::sendrecv:
      expected =
          rank == block % numRanks ? std::to_string(block / numRanks) : "?";
      break;
    case Collective::allreduce:
      break;
    }
    if (!expected.empty()) {
      if (word != expected)
        return false;
      continue;
    }
    // There are at most 4 ranks, with one digit each.
    for (size_t other = 0; other < numRanks; ++other)
      if (std::count(word.begin(), word.end(), char('0' + other)) != 1)
        return false;
    words[{place[1], place[2]}].insert(word); // by block and tree
  }
  return std::all_of(words.begin(), words.end(), [](const auto &entry) {
    return entry.second.size() == 1;
  });
}

bool passes(const VerifyReport &report, const std::string &name) {
  return std::none_of(
      report.checks.begin(), report.checks.end(),
      [&](const Check &check) { return check.name == name && !check.ok; });
}

} // namespace

TEST_CASE("progress is proved exactly when no run gets stuck") {
  std::mt19937 random(1);
  int live = 0, dead = 0;
  for (int i = 0; i < kTimes; ++i) {
    TestSchedule schedule = randomSchedule(random);
    shuffleLanes(schedule, random);
    const bool proved = passes(judge(schedule), "progress");
    ++(proved ? live : dead);
    for (int run = 0; run < 5; ++run) {
      // Any numbers of chunks if the schedule is live; at least one each if it
      // is not.
      const auto chunks = randomChunks(schedule, proved ? 0 : 1, random);
      CHECK(simulate(schedule, chunks, false, random).finished == proved);
    }
  }
  CHECK(live > kTimes / 6);
  CHECK(dead > kTimes / 6);
}

TEST_CASE("a result is proved exactly when every run is right") {
  std::mt19937 random(2);
  int right = 0, wrong = 0;
  for (int i = 0; i < kTimes; ++i) {
    TestSchedule schedule = randomSchedule(random);
    // The loader refuses a damaged sendrecv.
    if (random() % 2 || schedule.programs[0].collective == Collective::sendrecv)
      shuffleLanes(schedule, random);
    else
      damage(schedule, random);
    const VerifyReport report = judge(schedule);
    if (!passes(report, "progress"))
      continue;
    const bool proved = passes(report, "result");
    ++(proved ? right : wrong);
    bool sawWrong = false;
    for (int run = 0; run < (proved ? 5 : 60) && !sawWrong; ++run) {
      const auto chunks = randomChunks(schedule, 1, random);
      const SimulationResult result = simulate(schedule, chunks, false, random);
      sawWrong = !isRight(schedule, result);
    }
    CAPTURE(detailOf(report, "result"));
    CHECK(sawWrong == !proved);
  }
  CHECK(right > kTimes / 6);
  CHECK(wrong > kTimes / 12);
}

TEST_CASE("in place is proved exactly when every run in place is right") {
  std::mt19937 random(3);
  int safe = 0, unsafe = 0;
  for (int i = 0; i < kTimes; ++i) {
    TestSchedule schedule = randomSchedule(random);
    shuffleLanes(schedule, random);
    const VerifyReport report = judge(schedule);
    if (!passes(report, "progress") || !passes(report, "result"))
      continue;
    const bool proved = passes(report, "in-place");
    ++(proved ? safe : unsafe);
    bool sawWrong = false;
    for (int run = 0; run < (proved ? 5 : 100) && !sawWrong; ++run) {
      const auto chunks = randomChunks(schedule, 1, random);
      sawWrong = !isRight(schedule, simulate(schedule, chunks, true, random));
    }
    CAPTURE(detailOf(report, "in-place"));
    CHECK(sawWrong == !proved);
  }
  CHECK(safe > kTimes / 6);
  CHECK(unsafe > kTimes / 30);
}
