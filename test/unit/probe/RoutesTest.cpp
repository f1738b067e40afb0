//===- RoutesTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every link that copies can cross is crossed alone once, and no GPU runs more
// copies at the same time than it has engines.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Routes.h"

#include "test/unit/probe/TestCopier.h"
#include "test/unit/topology/TestTopology.h"

#include <map>
#include <set>

using namespace blink;
using namespace blink::test;

/// Whether the links of a route form a path.
static bool isPath(const Topology &topology, const Route &route) {
  for (size_t i = 1; i < route.links.size(); ++i)
    if (topology.links[route.links[i - 1]].to !=
        topology.links[route.links[i]].from)
      return false;
  return !route.links.empty();
}

TEST_CASE("every link of shipped machines is measured alone and in few runs") {
  for (const char *name : {"dgx1", "dgx2", "dgx-h100", "a100-nv4", "pcie-8gpu",
                           "pcie-8gpu-2switch", "rtx3090-2gpu"}) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    TestCopier copier;
    MeasurePlan plan = planGpuRuns(topology, copier);
    std::set<int> alone;
    bool isTogether = false;
    for (const Run &run : plan.runs) {
      CHECK(!(isTogether && run.routes.size() == 1));
      isTogether = run.routes.size() > 1;
      std::map<int, int> sends, receives; // between GPUs, by GPU
      for (int number : run.routes) {
        const Route &route = plan.routes[number];
        CHECK(isPath(topology, route));
        if (!isTogether)
          alone.insert(route.links.begin(), route.links.end());
        if (route.from.kind == Place::gpu && route.to.kind == Place::gpu) {
          CHECK(++sends[route.from.index] == 1);
          CHECK(++receives[route.to.index] == 1);
        }
      }
    }
    CHECK(alone.size() == topology.links.size());
    CHECK(plan.runs.size() <= 100); // each takes a sixth of a second
  }
}

static std::vector<std::string>
namesOf(const Topology &topology, const MeasurePlan &plan, const Run &run) {
  std::vector<std::string> names;
  for (int route : run.routes)
    names.push_back(toString(topology, plan.routes[route]));
  return names;
}

TEST_CASE("GPUs copy over NVLink or below a PCIe switch, and to memories") {
  Topology topology = makeTopology(
      R"({"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"},
         {"id": "gpu2", "kind": "gpu"}, {"id": "plx0", "kind": "switch"},
         {"id": "cpu0", "kind": "cpu"}, {"id": "cpu1", "kind": "cpu"})",
      R"({"from": "gpu0", "to": "plx0", "bandwidth": 16, "kind": "pcie"},
         {"from": "gpu1", "to": "plx0", "bandwidth": 16, "kind": "pcie"},
         {"from": "plx0", "to": "cpu0", "bandwidth": 16, "kind": "pcie"},
         {"from": "gpu2", "to": "cpu1", "bandwidth": 16, "kind": "pcie"},
         {"from": "cpu0", "to": "cpu1", "bandwidth": 20, "kind": "host"},
         {"from": "gpu0", "to": "gpu2", "bandwidth": 25})");
  TestCopier copier;
  MeasurePlan plan = planGpuRuns(topology, copier);
  std::vector<std::string> peers;
  std::set<std::vector<std::string>> together;
  for (const Route &route : plan.routes)
    if (route.from.kind == route.to.kind)
      peers.push_back(toString(topology, route));
  for (const Run &run : plan.runs)
    if (run.routes.size() > 1)
      together.insert(namesOf(topology, plan, run));
  // There is no route between gpu1 and gpu2, since a CPU is between them.
  CHECK(peers == std::vector<std::string>{"gpu0 -> gpu1", "gpu2 -> gpu0",
                                          "gpu0 -> gpu2", "gpu1 -> gpu0"});
  using Names = std::vector<std::string>;
  CHECK(together.count(Names{"gpu0 -> cpu0", "gpu1 -> cpu0"}));
  CHECK(together.count(Names{"cpu0 -> gpu0", "cpu0 -> gpu1"}));
  CHECK(together.count(Names{"gpu0 -> cpu1", "gpu1 -> cpu1"}));
  CHECK(together.count(Names{"gpu0 -> cpu0", "gpu1 -> cpu0", "gpu2 -> cpu1"}));
  CHECK(together.count(Names{"gpu0 -> cpu0", "gpu1 -> cpu0", "gpu2 -> cpu1",
                             "cpu0 -> gpu0", "cpu0 -> gpu1", "cpu1 -> gpu2"}));
  CHECK(together.size() == 7); // with the same for the far memories
}

TEST_CASE("cores copy within their memory and to others'") {
  Topology topology = makeTopology(
      R"({"id": "core0", "kind": "gpu"}, {"id": "core1", "kind": "gpu"},
         {"id": "core2", "kind": "gpu"}, {"id": "cpu0", "kind": "cpu"},
         {"id": "cpu1", "kind": "cpu"})",
      R"({"from": "core0", "to": "cpu0", "bandwidth": 10, "kind": "host"},
         {"from": "core1", "to": "cpu0", "bandwidth": 10, "kind": "host"},
         {"from": "core2", "to": "cpu1", "bandwidth": 10, "kind": "host"},
         {"from": "cpu0", "to": "cpu1", "bandwidth": 40, "kind": "host"})");
  TestCopier copier;
  MeasurePlan plan = planHostRuns(topology, copier);
  std::vector<std::vector<std::string>> runs;
  for (const Run &run : plan.runs)
    runs.push_back(namesOf(topology, plan, run));
  CHECK(runs == std::vector<std::vector<std::string>>{
                    {"core0 -> cpu0"},
                    {"core1 -> cpu0"},
                    {"core2 -> cpu1"},
                    {"core0 -> cpu1"},
                    {"core2 -> cpu0"},
                    {"core0 -> cpu0", "core1 -> cpu0"},
                    {"core0 -> cpu0", "core1 -> cpu0", "core2 -> cpu1"},
                    {"core0 -> cpu1", "core1 -> cpu1"}});
}
