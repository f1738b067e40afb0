//===- RecognizeTest.cpp - recognising a machine's type -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Shipped machines are recognised even if names, order or rates differ, NICs
// are added, or links are missing; other graphs are not.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/Recognize.h"
#include "compiler/machines/MachineTypes.h"
#include "compiler/machines/PartMatch.h"

#include "compiler/generate/Generate.h"
#include "compiler/support/Numbers.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>

using namespace blink;

namespace {

Topology machineOf(const char *name) {
  const MachineType *type = findMachineType(name);
  REQUIRE(type != nullptr);
  return type->topology();
}

/// Returns the machine with different names and a different order of nodes and
/// links, and the new place of each node.
std::pair<Topology, std::vector<int>> shuffled(const Topology &machine,
                                               std::mt19937 &random) {
  std::vector<int> places = firstNumbers(machine.nodes.size());
  std::shuffle(places.begin(), places.end(), random);
  Topology other = machine;
  other.name = "box";
  for (size_t node = 0; node < places.size(); ++node) {
    other.nodes[places[node]] = machine.nodes[node];
    other.nodes[places[node]].id = "node" + std::to_string(places[node]);
  }
  for (Link &link : other.links) {
    link.from = places[link.from];
    link.to = places[link.to];
    link.latency *= 1.5;
  }
  std::shuffle(other.links.begin(), other.links.end(), random);
  return {std::move(other), std::move(places)};
}

/// Checks that the links between GPUs are where `recognition` says.
void checkGpus(const Topology &machine, const Topology &type,
               const Recognition &recognition) {
  const std::vector<int> here = machine.gpus(), there = type.gpus();
  REQUIRE(recognition.gpus.size() == here.size());
  for (size_t i = 0; i < here.size(); ++i)
    for (size_t j = 0; j < here.size(); ++j)
      CHECK(machine.bandwidth(here[i], here[j]) ==
            type.bandwidth(there[recognition.gpus[i]],
                           there[recognition.gpus[j]]));
}

Topology degraded(const Topology &machine, const std::vector<LinkEdit> &edits) {
  return llvm::cantFail(degradeLinks(machine, edits)).topology;
}

} // namespace

TEST_CASE("every machine type is itself, and no other") {
  for (const MachineType &type : machineTypes()) {
    CAPTURE(type.name.str());
    auto found = recognize(type.topology());
    REQUIRE(found.has_value());
    CHECK(found->describe() == type.name.str());
    CHECK(found->whole);
    CHECK(found->gpus == firstNumbers(found->gpus.size()));
  }
}

TEST_CASE("names, order and latencies do not matter") {
  std::mt19937 random(1);
  for (const MachineType &type : machineTypes())
    for (int round = 0; round < 3; ++round) {
      CAPTURE(type.name.str());
      Topology machine = type.topology();
      Topology other = shuffled(machine, random).first;
      auto found = recognize(other);
      REQUIRE(found.has_value());
      CHECK(found->type == type.name.str());
      CHECK(found->whole);
      CHECK(found->edits.empty());
      checkGpus(other, machine, *found);
    }
}

TEST_CASE("a link that is missing or thinner is named") {
  std::mt19937 random(2);
  for (const MachineType &type : machineTypes()) {
    const Topology machine = type.topology();
    if (partOf(machine, false).numPairs() < 4)
      continue; // too few pairs to name a missing one
    for (int round = 0; round < 4; ++round) {
      const Link &link = machine.links[random() % machine.links.size()];
      if (link.kind == LinkKind::host)
        continue; // such links may have any rate
      if (round % 2 == 1 && machine.nodes[link.from].kind != NodeKind::gpu &&
          machine.nodes[link.to].kind != NodeKind::gpu)
        continue; // parts cut off with a CPU are ignored
      LinkEdit edit{machine.nodes[link.from].id + ":" +
                        machine.nodes[link.to].id,
                    std::nullopt, ""};
      if (round % 2 == 0)
        edit.limit = machine.bandwidth(link.from, link.to) * 0.75;
      CAPTURE(type.name.str());
      CAPTURE(edit.toString());
      const Topology less = degraded(machine, {edit});
      auto found = recognize(shuffled(less, random).first);
      REQUIRE(found.has_value());
      // A node with at most one remaining link is ignored, and of some machines
      // only NVLinks count.
      if (found->type != type.name.str() || !found->whole)
        continue;
      REQUIRE(found->edits.size() == 1);
      // The named link may be a different one, but must be equivalent.
      auto again = matchPart(partOf(less, false),
                             partOf(degraded(machine, found->edits), false));
      REQUIRE(again.has_value());
      CHECK(again->thin.empty());
      CHECK(again->distance() == doctest::Approx(0));
    }
  }
}

TEST_CASE("what is missing is said as options") {
  Topology h100 = machineOf("dgx-h100");
  auto found = recognize(degraded(h100, {{"gpu3:nvswitch0", 400, ""}}));
  REQUIRE(found.has_value());
  CHECK(found->describe() == "dgx-h100, but gpu3:nvswitch0 has 16 of 18 "
                             "links: --limit-link gpu3:nvswitch0=400.0");
  found = recognize(degraded(machineOf("dgx1"),
                             {{"gpu0:gpu3", {}, ""}, {"gpu1:gpu2", 25, ""}}));
  REQUIRE(found.has_value());
  CHECK(found->describe() ==
        "dgx1, but no link joins gpu0:gpu3, gpu1:gpu2 has 1 of 2 links: "
        "--without-link gpu0:gpu3 --limit-link gpu1:gpu2=25.0");
}

TEST_CASE("some GPUs of a machine are a part of it") {
  struct Case {
    const char *type;
    std::vector<int> gpus;
    const char *text;
  };
  // Of equivalent parts the first is named: GPUs 4 to 7 of a DGX-1V are joined
  // like 0 to 3. NVLinks are attributed to the smallest type that has them.
  for (const Case &one :
       {Case{"dgx1", {0, 1, 2, 3}, "GPUs 0,1,2,3 of dgx1"},
        Case{"dgx1", {7, 4, 5, 6}, "GPUs 2,1,0,3 of dgx1"},
        Case{"dgx1", {1, 4, 5}, "GPUs 4,1,0 of dgx1"},
        Case{"dgx1", {0, 1, 2, 4, 5, 6}, "GPUs 0,1,2,4,5,6 of dgx1"},
        Case{"gb200-nvl72", {5, 17, 70}, "GPUs 0,1,2 of gb200-4gpu"}}) {
    CAPTURE(one.text);
    const Topology type = machineOf(one.type);
    const std::vector<int> all = type.gpus();
    Topology some = type;
    llvm::erase_if(some.links, [&](const Link &link) {
      auto isGone = [&](int node) {
        return type.nodes[node].kind == NodeKind::gpu &&
               !llvm::is_contained(one.gpus, node - all[0]);
      };
      return isGone(link.from) || isGone(link.to);
    });
    // Remove the other GPUs; those that remain come in the order asked for.
    std::vector<int> order;
    for (int gpu : one.gpus)
      order.push_back(all[gpu]);
    for (size_t node = 0; node < type.nodes.size(); ++node)
      if (type.nodes[node].kind != NodeKind::gpu)
        order.push_back(static_cast<int>(node));
    std::vector<int> places(type.nodes.size(), -1);
    for (size_t place = 0; place < order.size(); ++place)
      places[order[place]] = static_cast<int>(place);
    some.nodes.clear();
    for (int node : order)
      some.nodes.push_back(type.nodes[node]);
    for (Link &link : some.links) {
      link.from = places[link.from];
      link.to = places[link.to];
    }
    auto found = recognize(some);
    REQUIRE(found.has_value());
    checkGpus(some, machineOf(found->type.c_str()), *found);
    CHECK(found->describe() == one.text);
  }
}

TEST_CASE("rates of a kind may be others, all of them together") {
  Topology machine = machineOf("dgx-h100");
  std::mt19937 random(3);
  std::uniform_real_distribution<double> spread(0.98, 1);
  for (Link &link : machine.links)
    link.bandwidth *= 0.824 * spread(random);
  auto found = recognize(machine);
  REQUIRE(found.has_value());
  CHECK(found->type == "dgx-h100");
  CHECK(found->edits.empty());
  CHECK(found->scale.at(LinkKind::nvlink) ==
        doctest::Approx(0.824).epsilon(0.02));
  CHECK(found->describe().find("dgx-h100; nvlink at 0.8") == 0);
  // With a third less bandwidth it is a different machine.
  for (Link &link : machine.links)
    link.bandwidth *= 0.67;
  found = recognize(machine);
  CHECK((!found || found->type != "dgx-h100"));
}

TEST_CASE("NICs, and PCIe that the type has not, do not hide a machine") {
  Topology machine = machineOf("dgx-h100");
  auto add = [&](const char *id, NodeKind kind) {
    machine.nodes.push_back({id, kind});
    return static_cast<int>(machine.nodes.size()) - 1;
  };
  auto join = [&](int a, int b, LinkKind kind) {
    machine.links.push_back({a, b, 63, 0.5, kind});
    machine.links.push_back({b, a, 63, 0.5, kind});
  };
  const int cpu = add("cpu", NodeKind::cpu), nic = add("nic", NodeKind::nic);
  for (int gpu = 0; gpu < 8; ++gpu)
    join(gpu, cpu, LinkKind::pcie);
  join(cpu, nic, LinkKind::pcie);
  auto found = recognize(machine);
  REQUIRE(found.has_value());
  CHECK(found->describe() == "dgx-h100");

  // The hives of the MI100, without what is between them.
  machine = machineOf("mi100-8gpu");
  llvm::erase_if(machine.links,
                 [](const Link &link) { return link.kind != LinkKind::xgmi; });
  found = recognize(machine);
  REQUIRE(found.has_value());
  CHECK_FALSE(found->whole);
  CHECK(found->edits.empty());
  CHECK(found->describe() ==
        "links between GPUs as of mi100-8gpu; PCIe or CPUs differ");
}

TEST_CASE("other graphs are of no type") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const int gpus = 4 + static_cast<int>(seed % 5) * 3;
    CAPTURE(seed);
    CHECK_FALSE(recognize(llvm::cantFail(generateRandom(
                              gpus, 2, 3 * gpus, seed, seed % 2 == 1,
                              {25, 0.7, LinkKind::nvlink})))
                    .has_value());
  }
  CHECK_FALSE(recognize(llvm::cantFail(
                            generateTorus({4, 4}, {25, 0.7, LinkKind::nvlink})))
                  .has_value());
  // One link too many.
  Topology machine = machineOf("dgx1");
  machine.links.push_back({0, 7, 25, 0.6, LinkKind::nvlink});
  machine.links.push_back({7, 0, 25, 0.6, LinkKind::nvlink});
  CHECK_FALSE(recognize(machine).has_value());
  // Three pairs of a mesh without a link.
  CHECK_FALSE(recognize(degraded(machineOf("mi300x"), {{"gpu0:gpu1", {}, ""},
                                                       {"gpu0:gpu2", {}, ""},
                                                       {"gpu0:gpu3", {}, ""}}))
                  .has_value());
  // As many GPUs as a type has, but without links.
  machine.links.clear();
  CHECK_FALSE(recognize(machine).has_value());
}

TEST_CASE("a graph with thousands of nodes, and one where all looks alike") {
  Topology machine;
  for (int node = 0; node < 20000; ++node)
    machine.nodes.push_back({"n" + std::to_string(node),
                             node < 8 ? NodeKind::gpu : NodeKind::switch_});
  for (int node = 0; node < 20000; ++node)
    for (int next : {(node + 1) % 20000, (node + 2) % 20000}) {
      machine.links.push_back({node, next, 16, 1, LinkKind::pcie});
      machine.links.push_back({next, node, 16, 1, LinkKind::pcie});
    }
  CHECK_FALSE(recognize(machine).has_value());
  // 16 GPUs in a ring of the MI250's xGMI links.
  CHECK_FALSE(
      recognize(llvm::cantFail(generateRing(16, {200, 0.7, LinkKind::xgmi})))
          .has_value());
}
