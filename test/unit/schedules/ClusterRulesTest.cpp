//===- ClusterRulesTest.cpp - rules of clusters in bundles ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/ClusterRules.h"
#include "schedules/Placement.h"
#include "schedules/Provenance.h"

#include "doctest/doctest.h"

#include <functional>

using namespace blink;
using Numbers = std::vector<uint16_t>;

namespace {

struct TestKind {
  uint16_t gpus = 0, nodes = 0;
  Numbers columns, swaps, turns;
};

/// The cluster of a bundle, as in the file.
struct TestCluster {
  std::vector<sched::NodeKind> nodes;
  std::vector<TestKind> kinds;
  std::vector<std::pair<uint16_t, Numbers>> boxes; ///< kind and nodes
  Numbers groups, exchanges, turns;
};

/// Returns two boxes of two GPUs, of one column each, and a nic; node 6 is a
/// switch between the nics.
TestCluster twoBoxes() {
  using sched::NodeKind;
  TestCluster cluster;
  cluster.nodes = {NodeKind::gpu,    NodeKind::gpu, NodeKind::nic,
                   NodeKind::gpu,    NodeKind::gpu, NodeKind::nic,
                   NodeKind::switch_};
  cluster.kinds = {{2, 3, {0, 1}, {}, {1, 0, 2}}};
  cluster.boxes = {{0, {0, 1, 2}}, {0, {3, 4, 5}}};
  cluster.groups = {0, 0};
  cluster.exchanges = {1, 0, 2, 3};
  cluster.turns = {1, 0, 2, 3};
  return cluster;
}

/// Returns what is wrong with the cluster, or "".
std::string messageOf(const TestCluster &cluster) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  Numbers gpuNodes;
  for (uint16_t node = 0; node < cluster.nodes.size(); ++node) {
    nodes.push_back(sched::CreateNodeDirect(
        builder, std::to_string(node).c_str(), cluster.nodes[node]));
    if (cluster.nodes[node] == sched::NodeKind::gpu)
      gpuNodes.push_back(node);
  }
  const std::vector<sched::Link> links;
  const auto topology =
      sched::CreateTopologyDirect(builder, "test", 1, &nodes, &links);
  std::vector<flatbuffers::Offset<sched::BoxKind>> kinds;
  for (const TestKind &kind : cluster.kinds)
    kinds.push_back(sched::CreateBoxKindDirect(builder, kind.gpus, kind.nodes,
                                               &kind.columns, &kind.swaps,
                                               &kind.turns));
  std::vector<flatbuffers::Offset<sched::Box>> boxes;
  for (const auto &[kind, own] : cluster.boxes)
    boxes.push_back(sched::CreateBoxDirect(builder, kind, &own));
  const auto written = sched::CreateClusterDirect(
      builder, topology, &kinds, &boxes, &cluster.groups, &cluster.exchanges,
      &cluster.turns);
  const std::vector<flatbuffers::Offset<sched::Condition>> conditions;
  const std::vector<flatbuffers::Offset<sched::AllocationClass>> classes;
  const std::vector<sched::Collective> collectives;
  const std::vector<sched::Entry> entries;
  const Numbers none;
  builder.Finish(sched::CreateBundleDirect(
      builder, sched::writeProvenance(builder, "test", {}), "test", 1,
      uint32_t(cluster.nodes.size()), &gpuNodes, &collectives, &conditions,
      &classes, &entries, &none, &none, nullptr, written));
  sched::ReadBudget budget(builder.GetSize());
  return sched::checkClusterRules(
      *flatbuffers::GetRoot<sched::Bundle>(builder.GetBufferPointer()), budget);
}

/// Repeats `list` until it is there `times` times.
void repeat(Numbers &list, size_t times) {
  const Numbers one = list;
  for (size_t i = 1; i < times; ++i)
    list.insert(list.end(), one.begin(), one.end());
}

} // namespace

TEST_CASE("rules of clusters") {
  struct Violation {
    const char *message; ///< its beginning
    std::function<void(TestCluster &)> apply;
  };
  REQUIRE(messageOf(twoBoxes()) == "");
  for (const Violation &violation : std::vector<Violation>{
           {"cluster.kinds: expected one",
            [](auto &c) {
              c.kinds.clear();
              c.groups.clear();
            }},
           {"cluster.boxes[1]: no such kind",
            [](auto &c) { c.boxes[1].first = 1; }},
           {"cluster.kinds[1]: no box is of this kind; expected one",
            [](auto &c) {
              c.kinds.push_back({2, 2, {0, 1}, {}, {}});
              c.exchanges = {1, 0, 2, 4, 3, 5};
              c.turns.clear();
            }},
           {"cluster.kinds[0]: turns: 64 of them, expected at most 63",
            [](auto &c) { repeat(c.kinds[0].turns, 64); }},
           {"cluster.turns: 64 of them, expected at most 63",
            [](auto &c) { repeat(c.turns, 64); }},
           {"cluster.boxes: 2 GPUs, expected 4",
            [](auto &c) { c.boxes.pop_back(); }}}) {
    TestCluster wrong = twoBoxes();
    violation.apply(wrong);
    const std::string message = messageOf(wrong);
    CAPTURE(message);
    CAPTURE(std::string(violation.message));
    CHECK(message.find(violation.message) == 0);
  }
}

TEST_CASE("as many turns as the compiler looks for") {
  TestCluster most = twoBoxes();
  repeat(most.kinds[0].turns, 63);
  repeat(most.turns, 63);
  CHECK(messageOf(most) == "");
}
