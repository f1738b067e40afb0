//===- RenamingTest.cpp - programs carried to other GPUs ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A correct program with a correct map, and then with one thing wrong.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Renaming.h"
#include "VerifySupport.h"
#include "schedules/BundleFile.h"
#include "schedules/ScheduleFile.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <set>

using namespace blink;
using namespace blink::test;
using sched::LinkKind;
using sched::NodeKind;
using Nodes = std::vector<uint16_t>;

namespace {

constexpr uint16_t kNone = sched::kUnmapped;

/// Returns the problem of carrying the first program by `map`, or "" if there
/// is none.
std::string problemOf(const TestSchedule &schedule, const Nodes &map,
                      const std::vector<uint32_t> &gpus) {
  const OpenedSchedule opened(schedule);
  const sched::Program &program = opened.program();
  const VerifyReport report = verifyProgram(*opened.file, program);
  REQUIRE_MESSAGE(report.ok, failures(report));
  return verify::Renaming(*opened.file).check(program, map, gpus).value_or("");
}

/// Does the same onto the machine of another file, without failed links. Sets
/// `used` if given.
std::string problemOnto(const TestSchedule &schedule, const TestSchedule &onto,
                        verify::FailedLinks failed, const Nodes &map,
                        const std::vector<uint32_t> &gpus,
                        std::set<uint32_t> *used = nullptr) {
  const OpenedSchedule own(schedule), other(onto);
  return verify::Renaming(*own.file, *other.file, failed)
      .check(own.program(), map, gpus, used)
      .value_or("");
}

void addPair(TestSchedule &schedule, uint32_t a, uint32_t b, TestLink like) {
  for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    like.from = from;
    like.to = to;
    schedule.links.push_back(like);
    schedule.programs[0].prices.push_back(0);
  }
}

/// Returns an allreduce of GPUs 0 and 1 on a machine in which `other` joins 2
/// and 3.
TestSchedule twoPairs(const TestLink &other) {
  TestSchedule schedule = makeSchedule(Collective::allreduce, 0, 2, {});
  schedule.nodes.resize(4, NodeKind::gpu);
  schedule.linkKinds = 0x3f;
  addPair(schedule, 2, 3, other);
  return schedule;
}

/// Returns a broadcast of two equal trees from GPU 0 to GPU 1, one over switch
/// 2 and one over switch 3. Nodes 6 and 7, of kind `relay`, join GPUs 4 and 5.
TestSchedule overSwitches(NodeKind relay) {
  std::vector<TestTree> trees(2);
  for (TestTree &tree : trees) {
    tree.denominator = 2;
    tree.parents = {-1, 0};
  }
  TestSchedule schedule = makeSchedule(Collective::broadcast, 0, 2, trees, {});
  schedule.nodes = {NodeKind::gpu,
                    NodeKind::gpu,
                    NodeKind::switch_,
                    NodeKind::switch_,
                    NodeKind::gpu,
                    NodeKind::gpu,
                    relay,
                    relay};
  schedule.linkKinds = 0x3f;
  schedule.links.clear();
  schedule.programs[0].prices.clear();
  const TestLink pcie = {1, 1, 0, 0, LinkKind::pcie};
  for (uint32_t first : {0u, 4u})
    for (uint32_t relayNode : {first + 2, first + 3}) {
      addPair(schedule, first, relayNode, pcie);
      addPair(schedule, relayNode, first + 1, pcie);
    }
  // Links come in pairs, there and back.
  TestVariant &variant = schedule.variant();
  variant.paths = {0, 2, 4, 6};
  for (uint32_t i = 0; i < 2; ++i) {
    variant.channels[i].pathBegin = 2 * i;
    variant.channels[i].pathCount = 2;
  }
  schedule.programs[0].prices[0] = schedule.programs[0].prices[4] = 1;
  schedule.programs[0].algbw = schedule.programs[0].bound = 2;
  return schedule;
}

const Nodes kOver = {4, 5, 6, 7, kNone, kNone, kNone, kNone};

} // namespace

TEST_CASE("a program holds on GPUs that are joined alike") {
  const TestSchedule schedule = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  CHECK(problemOf(schedule, {0, 1, kNone, kNone}, {0, 1}) == "");
  CHECK(problemOf(schedule, {1, 0, kNone, kNone}, {0, 1}) == "");
  CHECK(problemOf(schedule, {2, 3, kNone, kNone}, {2, 3}) == "");
  CHECK(problemOf(schedule, {3, 2, kNone, kNone}, {2, 3}) == "");
  CHECK(problemOf(twoPairs({1, 0.5, 0, 0, LinkKind::nvlink}),
                  {2, 3, kNone, kNone}, {2, 3}) == "");
  CHECK(problemOf(overSwitches(NodeKind::switch_), kOver, {4, 5}) == "");
}

TEST_CASE("a link that is not as good is found") {
  const Nodes map = {2, 3, kNone, kNone};
  CHECK(contains(
      problemOf(twoPairs({0.99, 1, 0, 0, LinkKind::nvlink}), map, {2, 3}),
      "which has less bandwidth"));
  CHECK(contains(
      problemOf(twoPairs({1, 1.01, 0, 0, LinkKind::nvlink}), map, {2, 3}),
      "which has more latency"));
  CHECK(contains(problemOf(twoPairs({1, 1, 0, 0, LinkKind::pcie}), map, {2, 3}),
                 "to where no link of its kind is"));
  // More would be possible there, so the stated bound is wrong.
  CHECK(
      contains(problemOf(twoPairs({2, 1, 0, 0, LinkKind::nvlink}), map, {2, 3}),
               "prove a bound of 2.0"));
  // The same with a second link, which has no price.
  TestSchedule twoWays = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  addPair(twoWays, 2, 3, {1, 1, 0, 0, LinkKind::xgmi});
  CHECK(contains(problemOf(twoWays, map, {2, 3}),
                 "the cheapest tree costs nothing"));
  // A link that only has a price counts as well.
  TestSchedule schedule = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  schedule.programs[0].prices[2] = 1e-12;
  CHECK(contains(problemOf(schedule, map, {2, 3}), "is used or priced"));
}

TEST_CASE("a map that carries GPUs to the wrong places is found") {
  const TestSchedule schedule = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  CHECK(contains(problemOf(schedule, {0, 2, kNone, kNone}, {0, 2}),
                 "to where no link"));
  CHECK(contains(problemOf(schedule, {2, 2, kNone, kNone}, {2, 3}),
                 "onto the GPU of another rank"));
  CHECK(contains(problemOf(schedule, {2, 3, kNone, kNone}, {0, 1}),
                 "onto no GPU of the allocation"));
  CHECK(contains(problemOf(schedule, {2, kNone, kNone, kNone}, {2, 3}),
                 "onto no GPU of the allocation"));
  CHECK(contains(problemOf(schedule, {2, 3, kNone, kNone}, {1, 2, 3}),
                 "2 ranks for 3 GPUs"));
  CHECK(contains(problemOf(schedule, {2, 3}, {2, 3}), "a map of 2 nodes"));
}

TEST_CASE("what is on the way is looked at") {
  Nodes map = kOver;
  map[3] = kNone;
  CHECK(contains(problemOf(overSwitches(NodeKind::switch_), map, {4, 5}),
                 "the map says nothing of an end"));
  CHECK(contains(problemOf(overSwitches(NodeKind::cpu), kOver, {4, 5}),
                 "a node of another kind"));
  // Both switches are carried onto one, whose links would carry twice as much.
  map[3] = 6;
  CHECK(contains(problemOf(overSwitches(NodeKind::switch_), map, {4, 5}),
                 "the links sustain 1.0"));
  // Peers over NVLink cannot reach each other over a PCIe switch.
  TestSchedule schedule = overSwitches(NodeKind::switch_);
  addPair(schedule, 4, 5, {1, 1, 0, 0, LinkKind::nvlink});
  CHECK(contains(problemOf(schedule, kOver, {4, 5}), "leaves the fabric"));
}

TEST_CASE("a program with relays is not carried") {
  TestSchedule schedule = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  schedule.programs[0].relays = {2};
  schedule.variant().ranks.emplace_back();
  CHECK(contains(problemOf(schedule, {0, 1, 2, 3}, {0, 1}), "relays"));
}

TEST_CASE("what is left of a machine is what counts") {
  const TestSchedule whole = twoPairs({1, 1, 0, 0, LinkKind::nvlink});
  const Nodes there = {2, 3, kNone, kNone}, here = {0, 1, kNone, kNone};
  CHECK(problemOnto(whole, whole, {0, 1}, there, {2, 3}) == "");
  CHECK(problemOnto(whole, whole, {2, 3}, here, {0, 1}) == "");
  for (verify::FailedLinks failed :
       {verify::FailedLinks{2, 3}, verify::FailedLinks{3, 2}})
    CHECK(contains(problemOnto(whole, whole, failed, there, {2, 3}),
                   "to where no link of its kind is"));
  CHECK(contains(problemOnto(whole, whole, {0, 1}, here, {0, 1}),
                 "to where no link of its kind is"));

  // The file of a machine that has lost the links between 2 and 3, carried to
  // these GPUs on the whole machine. Links have the numbers of the whole
  // machine.
  TestSchedule left = makeSchedule(Collective::allreduce, 0, 2, {});
  left.nodes.resize(4, NodeKind::gpu);
  left.linkKinds = 0x3f;
  CHECK(contains(problemOf(left, there, {2, 3}), "to where no link"));
  std::set<uint32_t> used;
  CHECK(problemOnto(left, whole, {0, 1}, there, {2, 3}, &used) == "");
  CHECK(used == std::set<uint32_t>{2, 3});
  used.clear();
  CHECK(problemOnto(left, whole, {}, here, {0, 1}, &used) == "");
  CHECK(used == std::set<uint32_t>{0, 1});

  TestSchedule small = whole;
  small.nodes.push_back(NodeKind::gpu);
  CHECK(contains(problemOnto(whole, small, {}, here, {0, 1}),
                 "a map of 4 nodes for a machine of 5"));
}

TEST_CASE("GPUs whose own fabric has failed may use other links") {
  TestSchedule schedule = overSwitches(NodeKind::switch_);
  addPair(schedule, 4, 5, {1, 1, 0, 0, LinkKind::nvlink});
  CHECK(contains(problemOnto(schedule, schedule, {}, kOver, {4, 5}),
                 "leaves the fabric"));
  CHECK(problemOnto(schedule, schedule, {4, 5}, kOver, {4, 5}) == "");
}
