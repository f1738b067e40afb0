//===- PathRulesTest.cpp - paths that the runtime cannot drive ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/SwitchedStars.h"
#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;
using sched::ChannelKind;
using sched::LinkKind;
using sched::NodeKind;

namespace {

enum : uint32_t { gpu0, gpu1, gpu2, plx, cpu, nic, nvs, numNodes };

/// Returns three GPUs below one PCIe switch with a CPU and a NIC; gpu0 and gpu2
/// also share an NVSwitch. Ranks 0 and 1 are gpu0 and gpu1, or as given.
TestSchedule machine(std::vector<uint16_t> allocation = {0, 1}) {
  TestSchedule schedule =
      makeSchedule(Collective::broadcast, 0, 2, BuildOptions());
  schedule.nodes = {NodeKind::gpu,     NodeKind::gpu, NodeKind::gpu,
                    NodeKind::switch_, NodeKind::cpu, NodeKind::nic,
                    NodeKind::switch_};
  schedule.links.clear();
  const auto join = [&](uint32_t a, uint32_t b, LinkKind kind) {
    schedule.links.push_back({1, 1, a, b, kind});
    schedule.links.push_back({1, 1, b, a, kind});
  };
  for (uint32_t node : {gpu0, gpu1, gpu2, cpu, nic})
    join(node, plx, LinkKind::pcie);
  join(gpu0, nvs, LinkKind::nvlink);
  join(gpu2, nvs, LinkKind::nvlink);
  schedule.linkKinds = 0x3f;
  schedule.programs[0].allocation = allocation;
  schedule.programs[0].prices.assign(schedule.links.size(), 1);
  return schedule;
}

/// Routes the only channel over these nodes.
void route(TestSchedule &schedule, const std::vector<uint32_t> &nodes,
           ChannelKind kind) {
  TestVariant &variant = schedule.variant();
  variant.paths.clear();
  for (size_t hop = 0; hop + 1 < nodes.size(); ++hop)
    for (uint32_t link = 0; link < schedule.links.size(); ++link)
      if (schedule.links[link].from == nodes[hop] &&
          schedule.links[link].to == nodes[hop + 1])
        variant.paths.push_back(link);
  REQUIRE(variant.paths.size() + 1 == nodes.size());
  variant.channels[0].pathBegin = 0;
  variant.channels[0].pathCount = uint16_t(variant.paths.size());
  variant.channels[0].kind = kind;
}

/// Returns the problem of the check "paths" for the only channel; empty if it
/// passes.
std::string problemOf(const TestSchedule &schedule) {
  const VerifyReport report = judge(schedule);
  for (const Check &check : report.checks)
    if (check.name == "paths" && !check.ok)
      return check.detail;
  return "";
}

} // namespace

TEST_CASE("paths of each kind of channel") {
  TestSchedule schedule = machine();
  route(schedule, {gpu0, plx, gpu1}, ChannelKind::peer);
  CHECK(problemOf(schedule) == "");
  route(schedule, {gpu0, plx, cpu, plx, gpu1}, ChannelKind::staged);
  CHECK(problemOf(schedule) == "");
  route(schedule, {gpu0, plx, nic, plx, gpu1}, ChannelKind::network);
  CHECK(problemOf(schedule) == "");
  route(schedule, {gpu0, plx, cpu, plx, nic, plx, gpu1}, ChannelKind::network);
  CHECK(problemOf(schedule) == "");
}

TEST_CASE("a channel of the wrong kind") {
  TestSchedule schedule = machine();
  route(schedule, {gpu0, plx, gpu1}, ChannelKind::staged);
  CHECK(problemOf(schedule) == "channel 0 from rank 0 to rank 1: the channel "
                               "is of kind staged, but its path is peer");
  route(schedule, {gpu0, plx, cpu, plx, gpu1}, ChannelKind::peer);
  CHECK(contains(problemOf(schedule), "kind peer, but its path is staged"));
  route(schedule, {gpu0, plx, nic, plx, gpu1}, ChannelKind::staged);
  CHECK(contains(problemOf(schedule), "kind staged, but its path is network"));
}

TEST_CASE("peer-joined GPUs stay on their fabric") {
  TestSchedule schedule = machine({0, 2});
  route(schedule, {gpu0, nvs, gpu2}, ChannelKind::peer);
  CHECK(problemOf(schedule) == "");
  route(schedule, {gpu0, plx, gpu2}, ChannelKind::peer);
  CHECK(contains(problemOf(schedule), "leaves the fabric"));
  route(schedule, {gpu0, plx, cpu, plx, gpu2}, ChannelKind::staged);
  CHECK(problemOf(schedule) == "");

  SUBCASE("when the options exclude the fabric, too") {
    schedule.linkKinds = 1u << unsigned(LinkKind::pcie);
    route(schedule, {gpu0, plx, gpu2}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "leaves the fabric"));
  }
  SUBCASE("in whatever direction the fabric goes") {
    for (TestLink &link : schedule.links)
      if (link.kind == LinkKind::nvlink && link.from == nvs && link.to == gpu0)
        link.kind = LinkKind::network;
    schedule.programs[0].allocation = {2, 0};
    route(schedule, {gpu2, plx, gpu0}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "leaves the fabric"));
  }
  SUBCASE("but a GPU between two fabrics joins nothing") {
    // gpu2's other fabric reaches gpu1, but does not join gpu0 and gpu1.
    schedule.links.push_back({1, 1, gpu2, gpu1, LinkKind::nvlink});
    schedule.programs[0].prices.push_back(1);
    schedule.programs[0].allocation = {0, 1};
    route(schedule, {gpu0, plx, gpu1}, ChannelKind::peer);
    CHECK(problemOf(schedule) == "");
    schedule.programs[0].allocation = {1, 2};
    route(schedule, {gpu1, plx, gpu2}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "leaves the fabric"));
  }
}

TEST_CASE("paths that are none") {
  TestSchedule schedule = machine();
  SUBCASE("through a GPU") {
    route(schedule, {gpu0, plx, gpu2, plx, gpu1}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "GPUs never relay"));
  }
  SUBCASE("through a GPU of the job") {
    route(schedule, {gpu0, plx, gpu1, plx, gpu1}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "GPUs never relay"));
  }
  SUBCASE("over an excluded kind") {
    route(schedule, {gpu0, plx, gpu1}, ChannelKind::peer);
    schedule.linkKinds = 1u << unsigned(LinkKind::nvlink);
    CHECK(contains(problemOf(schedule),
                   "link 0, node0 -> node3 (pcie), is of a kind that the "
                   "file's options exclude"));
  }
  SUBCASE("from another GPU") {
    route(schedule, {gpu2, plx, gpu1}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "does not go on from where"));
  }
  SUBCASE("with a gap") {
    route(schedule, {gpu0, plx, cpu, plx, gpu1}, ChannelKind::staged);
    schedule.variant().paths.erase(schedule.variant().paths.begin() + 1);
    schedule.variant().channels[0].pathCount = 3;
    CHECK(contains(problemOf(schedule), "does not go on from where"));
  }
  SUBCASE("to another GPU") {
    route(schedule, {gpu0, plx, gpu2}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "does not end at the GPU"));
  }
  SUBCASE("that stop at a switch") {
    route(schedule, {gpu0, plx}, ChannelKind::peer);
    CHECK(contains(problemOf(schedule), "does not end at the GPU"));
  }
  SUBCASE("of no links") {
    schedule.variant().channels[0].pathCount = 0;
    CHECK(contains(problemOf(schedule), "the path is empty"));
  }
}

TEST_CASE(
    "a switch that works for a tree is joined to the root by peer links") {
  // A link of PCIe beside each of NVLink between rank 0 and the switch.
  BuildOptions options;
  options.shape = Shape::star;
  TestSchedule schedule = makeSchedule(Collective::allreduce, 0, 3, options);
  leadOverSwitch(schedule);
  auto &use = schedule.variant().switches.at(0);
  const auto to = uint32_t(schedule.links.size());
  for (uint32_t link : {use.to_switch(), use.from_switch()}) {
    schedule.links.push_back(schedule.links[link]);
    schedule.links.back().kind = LinkKind::pcie;
    schedule.programs[0].prices.push_back(0);
  }
  schedule.linkKinds = 0x3f;
  settleRates(schedule);
  CHECK(failures(judge(schedule)) == "");
  const sched::SwitchUse right = use;
  const auto detailWith = [&](uint32_t toSwitch, uint32_t fromSwitch) {
    use = {0, toSwitch, fromSwitch, true, true};
    const VerifyReport report = judge(schedule);
    CHECK(contains(failures(report), "paths"));
    return detailOf(report, "paths");
  };
  const std::string root =
      "node" + std::to_string(schedule.variant().trees[0].root);
  CHECK(contains(detailWith(to, right.from_switch()),
                 "tree 0: link 12, " + root +
                     " -> node3 (pcie), between the root and the switch that "
                     "works for it, is no peer link"));
  CHECK(contains(detailWith(right.to_switch(), to + 1),
                 "tree 0: link 13, node3 -> " + root + " (pcie), between"));
  schedule.linkKinds = 1;
  CHECK(contains(detailWith(to, right.from_switch()),
                 "is of a kind that the file's options exclude"));
}
