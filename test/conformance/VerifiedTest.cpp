//===- VerifiedTest.cpp - what is verified is right when it runs ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Changes programs at random and runs what `blinkc verify` accepts. The
// verifier and the runtime share no code, so a hole in the one is a wrong
// result of the other. With BLINK_CONFORMANCE=whole the test tries 100 times
// as many.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Verify.h"
#include "schedules/Collectives.h"
#include "test/conformance/Job.h"
#include "test/conformance/Matrix.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

/// Changes of a program, each of which might go unnoticed.
class Changes {
public:
  Changes(TestSchedule &model, std::mt19937 &random)
      : program_(model.programs.front()), variant_(model.variant()),
        random_(random) {}

  /// Changes one thing.
  void apply() {
    const size_t rank = below(variant_.ranks.size());
    if (below(4) == 0) {
      changeVariant();
      return;
    }
    TestLanes lanes = lanesOf(variant_.ranks[rank]);
    changeLanes(lanes);
    variant_.ranks[rank] = rankOf(lanes);
  }

private:
  size_t below(size_t end) { return random_() % end; }
  template <typename List> auto &any(List &list) {
    return list[below(list.size())];
  }

  TestOperand anyOperand() {
    const auto kind = sched::OperandKind(below(3));
    const size_t ranks = variant_.ranks.size();
    return {kind, uint32_t(below(kind == sched::OperandKind::channel
                                     ? variant_.channels.size() + 1
                                 : below(2) ? 1
                                            : ranks))};
  }

  void changeOperands(std::vector<TestOperand> &list) {
    switch (below(4)) {
    case 0:
      if (!list.empty())
        std::swap(any(list), any(list));
      break;
    case 1:
      list.insert(list.begin() + ptrdiff_t(below(list.size() + 1)),
                  anyOperand());
      break;
    case 2:
      if (!list.empty())
        list.erase(list.begin() + ptrdiff_t(below(list.size())));
      break;
    default:
      if (!list.empty())
        any(list) = anyOperand();
    }
  }

  void changeLanes(TestLanes &lanes) {
    std::vector<TestFold> &lane = any(lanes);
    TestFold &fold = any(lane);
    std::vector<TestFold> &other = any(lanes);
    switch (below(10)) {
    case 0:
      std::swap(fold, any(other));
      break;
    case 1: { // into another lane, perhaps a new one
      const TestFold moved = fold;
      lane.erase(lane.begin() + (&fold - lane.data()));
      if (below(4) == 0)
        lanes.push_back({moved});
      else
        other.insert(other.begin() + ptrdiff_t(below(other.size() + 1)), moved);
      break;
    }
    case 2:
      fold.delay = uint16_t(below(4));
      break;
    case 3:
      for (TestFold &later : lane)
        later.delay = uint16_t(later.delay + (&later >= &fold));
      break;
    case 4:
      changeOperands(below(2) ? fold.sources : fold.destinations);
      break;
    case 5:
      std::swap(fold.sources, any(other).sources);
      break;
    case 6:
      std::swap(fold.destinations, any(other).destinations);
      break;
    case 7:
      fold.completes ^= 1;
      break;
    case 8: { // done twice, or its result read back
      TestFold again = fold;
      if (below(2)) {
        again.destinations = {{sched::OperandKind::output, anyOperand().index}};
        again.sources = {anyOperand()};
      }
      other.insert(other.begin() + ptrdiff_t(below(other.size() + 1)), again);
      break;
    }
    default:
      fold.tree = uint32_t(below(variant_.trees.size()));
    }
  }

  void changeVariant() {
    TestChannel none;
    TestChannel &channel =
        variant_.channels.empty() ? none : any(variant_.channels);
    TestTree &tree = any(variant_.trees);
    switch (below(8)) {
    case 0:
      channel.slots = uint16_t(1 + below(4));
      break;
    case 1:
      channel.kind = sched::ChannelKind::staged;
      break;
    case 2:
      channel.tree = uint32_t(below(variant_.trees.size()));
      break;
    case 3:
      if (!variant_.channels.empty())
        std::swap(channel, any(variant_.channels));
      break;
    case 4: { // shares within a block
      TestTree &other = any(variant_.trees);
      if (other.block == tree.block && other.numerator > 1) {
        --other.numerator;
        ++tree.numerator;
      }
      break;
    }
    case 5:
      std::swap(tree.numerator, any(variant_.trees).numerator);
      break;
    case 6:
      tree.root = uint16_t(below(variant_.ranks.size()));
      break;
    default:
      if (sched::isReduction(program_.collective))
        program_.accumulate = sched::Accumulation::f32;
    }
  }

  TestProgram &program_;
  TestVariant &variant_;
  std::mt19937 &random_;
};

/// Returns whether everything is proved that the result depends on; rates are
/// of no interest here.
bool isProved(const sched::Schedule &file) {
  const VerifyReport report = verifyProgram(file, *file.programs()->Get(0));
  return std::all_of(
      report.checks.begin(), report.checks.end(), [](const Check &check) {
        const bool rate = check.name == "bandwidth" || check.name == "pace" ||
                          check.name == "certificate";
        return check.ok || rate;
      });
}

TestSchedule anySchedule(Collective collective, std::mt19937 &random) {
  BuildOptions layout;
  layout.shape = Shape(random() % 5);
  layout.treesPerBlock = 1 + int(random() % 3);
  layout.lanes = 1 + int(random() % 4);
  layout.chunkBytes = 64u << random() % 3;
  layout.slots = uint16_t(1 + random() % 3);
  layout.splitRoot = random() % 4 == 0;
  layout.skewed = random() % 2;
  layout.seed = uint32_t(random());
  return makeSchedule(collective, 0, 2 + int(random() % 4), layout);
}

} // namespace

TEST_CASE("programs changed at random are right if they are verified") {
  const int runs = isWhole() ? 200000 : 2000;
  const std::vector<Collective> all = collectives();
  std::mt19937 random(17);
  int accepted = 0;
  for (int run = 0; run < runs; ++run) {
    const Collective collective = all[random() % all.size()];
    TestSchedule model = anySchedule(collective, random);
    Changes changes(model, random);
    for (unsigned left = 1 + random() % 3; left > 0; --left)
      changes.apply();
    const std::vector<uint8_t> bytes = seal(model);
    std::string error;
    const sched::Schedule *file =
        sched::openSchedule(bytes.data(), bytes.size(), error);
    if (!file || !isProved(*file))
      continue;
    ++accepted;
    Job job(model, int(model.programs[0].allocation.size()), 5000);
    for (int calls = 0; calls < 3; ++calls) {
      Case c = variedCase(collective, random() % 700, 0, unsigned(random()));
      c.threads = random() % 4 == 0;
      INFO("change ", run);
      CHECK(runCase(job, c) == "");
    }
  }
  CHECK(accepted > runs / 20);
}
