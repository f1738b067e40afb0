//===- ClusterBundleTest.cpp - bundles by shape of placement --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ClusterBundle.h"

#include "compiler/driver/ClassCompiler.h"
#include "compiler/driver/ProveBundle.h"
#include "compiler/generate/Generate.h"
#include "compiler/topology/PlacementList.h"
#include "compiler/topology/symmetry/Cluster.h"
#include "schedules/ClusterRules.h"
#include "schedules/ScheduleFile.h"
#include "test/common/Contains.h"
#include "test/unit/driver/OpenedBundle.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace blink;
using namespace blink::test;

using Numbers = sched::ClusterSymmetry::Numbers;

namespace {

const Wire kNetwork{12.5, 2, LinkKind::network};

Topology pod(const char *machine, int boxes, int rails) {
  return valueOf(generatePod(shippedTopology(machine), boxes, rails, kNetwork));
}

/// Returns boxes of four GPUs in a ring, whose only symmetries are rotations
/// and reflections.
Topology ringPod(int boxes, int rails) {
  return valueOf(
      generatePod(valueOf(generateRing(4, Wire{})), boxes, rails, kNetwork));
}

struct ClusterFile {
  ClusterFile(const Topology &topology, const char *placements,
              std::vector<sched::Collective> collectives) {
    BundleOptions options;
    options.collectives = std::move(collectives);
    bytes = valueOf(
        compileClusterBundle(topology, options, placements, test::ignore));
    std::string error;
    const bool opened =
        sched::openBundle(bytes.data(), bytes.size(), bundle, error);
    REQUIRE_MESSAGE(opened, error);
  }

  std::vector<uint8_t> bytes;
  sched::BundleView bundle;
};

/// Returns the rate of compiling for the job's own GPUs on the whole cluster.
double rateOf(const Topology &topology, const Numbers &gpus,
              Collective collective, int root) {
  CompileOptions options;
  options.gpus.assign(gpus.begin(), gpus.end());
  auto compiler = valueOf(ClassCompiler::create(topology, options, {root}));
  std::vector<uint8_t> bytes = valueOf(compiler->compile(collective));
  std::string error;
  return sched::openSchedule(bytes.data(), bytes.size(), error)
      ->programs()
      ->Get(0)
      ->algbw();
}

/// Returns a random placement with `sizes` GPUs in random boxes.
Numbers randomPlacement(const sched::ClusterSymmetry &cluster,
                        const std::vector<int> &sizes, std::mt19937 &random) {
  Numbers gpus;
  std::vector<int> boxes(cluster.boxes.size());
  for (size_t b = 0; b < boxes.size(); ++b)
    boxes[b] = int(b);
  std::shuffle(boxes.begin(), boxes.end(), random);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Numbers own = cluster.boxes[boxes[i]].gpus;
    std::shuffle(own.begin(), own.end(), random);
    gpus.insert(gpus.end(), own.begin(), own.begin() + sizes[i]);
  }
  std::shuffle(gpus.begin(), gpus.end(), random);
  return gpus;
}

} // namespace

TEST_CASE("any placement of a shape has a schedule as good as its own") {
  struct Case {
    Topology topology;
    const char *shapes;
    std::vector<std::vector<int>> sizes;
  };
  std::mt19937 random(7);
  for (const Case &one :
       {Case{pod("dgx-a100", 5, 1), "3+5/2x2+1", {{3, 5}, {2, 2, 1}}},
        Case{pod("dgx-a100", 4, 4), "3+3", {{3, 3}}},
        Case{ringPod(4, 1), "2+3/3x2", {{2, 3}, {2, 2, 2}}},
        Case{ringPod(3, 4), "2+3", {{2, 3}}}}) {
    CAPTURE(one.topology.name);
    const ClusterFile file(one.topology, one.shapes,
                           {Collective::allreduce, Collective::broadcast});
    const BundleProof proof = proveBundle(file.bundle, 1, test::ignore);
    CHECK_MESSAGE(proof.ok(), proof.problems.front());
    for (const std::vector<int> &sizes : one.sizes)
      for (int time = 0; time < 3; ++time) {
        const Numbers gpus =
            randomPlacement(*file.bundle.cluster, sizes, random);
        CAPTURE(gpus);
        Numbers sorted = gpus;
        std::sort(sorted.begin(), sorted.end());
        const sched::Entry *entry = sched::findEntry(file.bundle, 0, sorted);
        REQUIRE(entry);
        for (uint32_t c : {0u, 1u}) {
          std::string error;
          const sched::Schedule *piece =
              sched::openPiece(file.bundle, entry->class_number(), c, error);
          CHECK(error.empty());
          if (!piece)
            continue; // these are on rails that do not meet
          const Collective collective =
              file.bundle.index->collectives()->Get(c);
          const uint16_t root = uint16_t(random() % gpus.size());
          uint16_t serving = 0;
          Numbers ranks = sched::programRanks(file.bundle, *entry, gpus);
          if (sched::isRooted(collective))
            ranks =
                sched::programRanks(file.bundle, *entry, gpus, root, serving);
          std::sort(ranks.begin(), ranks.end());
          for (size_t r = 0; r < ranks.size(); ++r)
            CHECK(ranks[r] == r);
          bool served = false;
          for (const sched::Program *program : *piece->programs())
            if (program->root() == serving) {
              served = true;
              CHECK(program->algbw() ==
                    doctest::Approx(
                        rateOf(one.topology, gpus, collective,
                               sched::isRooted(collective) ? root : 0))
                        .epsilon(0.02));
            }
          CHECK(served);
        }
      }
  }
}

TEST_CASE("as many placements as shapes, however many boxes") {
  const auto classes = [](const Topology &topology, const char *shapes) {
    const ClusterFile file(topology, shapes, {Collective::allreduce});
    return file.bundle.index->classes()->size();
  };
  CHECK(classes(pod("dgx-a100", 4, 1), "1x2/3+5/4x2") == 3);
  CHECK(classes(pod("dgx-a100", 16, 1), "1x2/3+5/4x2") == 3);
  // There are eight rails: 3 and 5 GPUs share none to three of them.
  CHECK(classes(pod("dgx-a100", 4, 8), "3+5") == 4);
  CHECK(classes(pod("dgx-a100", 4, 8), "2x2") == 3);
  // In a ring of four, two GPUs are neighbours or they are not.
  CHECK(classes(ringPod(4, 1), "2+4") == 2);
  CHECK(classes(ringPod(4, 1), "2x2") == 3);
}

TEST_CASE("boxes that differ are told apart") {
  Topology topology = pod("dgx-a100", 3, 1);
  for (Link &link : topology.links)
    if (topology.nodes[link.from].id.rfind("box2.", 0) == 0 &&
        link.kind == LinkKind::network)
      link.bandwidth /= 2;
  const Cluster cluster = valueOf(Cluster::find(topology));
  CHECK(cluster.kinds.size() == 2);
  const ClusterFile file(topology, "2x1", {Collective::allreduce});
  CHECK(file.bundle.index->classes()->size() == 2);
}

TEST_CASE("boxes whose nics are unlike devices are told apart") {
  Topology topology;
  topology.name = "two";
  auto addBox = [&](const char *device) {
    const int gpu = static_cast<int>(topology.nodes.size());
    const std::string number = std::to_string(gpu);
    topology.nodes.push_back({"gpu" + number, NodeKind::gpu});
    topology.nodes.push_back({"nic" + number, NodeKind::nic});
    topology.nodes.back().device = device;
    for (auto [from, to] : {std::pair(gpu, gpu + 1), {gpu + 1, gpu}})
      topology.links.push_back({from, to, 10, 1, LinkKind::pcie});
    return gpu + 1;
  };
  std::vector<int> nics = {addBox("eth0"), addBox("eth0"), addBox("eth1")};
  const int spine = static_cast<int>(topology.nodes.size());
  topology.nodes.push_back({"spine", NodeKind::switch_});
  for (int nic : nics)
    for (auto [from, to] : {std::pair(nic, spine), {spine, nic}})
      topology.links.push_back({from, to, 5, 1, LinkKind::network});
  const Cluster cluster = valueOf(Cluster::find(topology));
  CHECK(cluster.boxes.size() == 3);
  CHECK(cluster.kinds.size() == 2);
  CHECK(cluster.shared == std::vector<int>{spine});
}

/// Returns boxes of `gpus` GPUs with a nic each. Cables join the nics with the
/// same number of box b and box b + 1.
static Topology cabledBoxes(int boxes, int gpus, bool ring) {
  Topology topology;
  topology.name = "cabled";
  const auto join = [&](int one, int other, LinkKind kind) {
    for (auto [from, to] : {std::pair(one, other), {other, one}})
      topology.links.push_back({from, to, 10, 1, kind});
  };
  for (int box = 0; box < boxes; ++box)
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const std::string number =
          std::to_string(box) + "." + std::to_string(gpu);
      topology.nodes.push_back({"gpu" + number, NodeKind::gpu});
      topology.nodes.push_back({"nic" + number, NodeKind::nic});
      const int node = int(topology.nodes.size()) - 2;
      join(node, node + 1, LinkKind::pcie);
      if (gpu > 0)
        join(node - 2, node, LinkKind::nvlink);
      if (box > 0)
        join(node + 1 - 2 * gpus, node + 1, LinkKind::network);
      if (ring && box == boxes - 1)
        join(node + 1, 2 * gpu + 1, LinkKind::network);
    }
  return topology;
}

TEST_CASE("boxes that are cabled to each other are not alike") {
  // Neighbours on the ring, and boxes that are not.
  const Topology ring = cabledBoxes(4, 1, true);
  const auto alike = [](const Topology &topology, Numbers one, Numbers other) {
    const auto symmetry = valueOf(Cluster::find(topology)).symmetry(topology);
    one = symmetry.representative(one);
    other = symmetry.representative(other);
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    return one == other;
  };
  CHECK(!alike(ring, {0, 1}, {0, 2}));
  // Two servers back to back: GPUs of one rail, and of two.
  CHECK(!alike(cabledBoxes(2, 2, false), {0, 2}, {0, 3}));
  for (const Topology &topology : {ring, cabledBoxes(2, 2, false)}) {
    const ClusterFile file(topology, "1+1", {Collective::allreduce});
    CHECK(proveBundle(file.bundle, 1, test::ignore).ok());
  }
}

TEST_CASE("a shape of a large box has few placements if its GPUs are alike") {
  const Topology box = valueOf(generateFullyConnected(36, Wire{}));
  const Topology cluster = valueOf(generatePod(box, 2, 1, kNetwork));
  const auto symmetry = valueOf(Cluster::find(cluster)).symmetry(cluster);
  const auto number = [&](const char *shapes) {
    return valueOf(parsePlacements(shapes, symmetry)).size();
  };
  CHECK(number("8+8") == 1);
  CHECK(number("18+18") == 1);
  CHECK(number("35+20/36+36/1x36/1x1") == 4);
  // Of a ring of 12, subsets are alike if they are rotated or reflected.
  const Topology rings =
      valueOf(generatePod(valueOf(generateRing(12, Wire{})), 2, 1, kNetwork));
  const auto turned = valueOf(Cluster::find(rings)).symmetry(rings);
  const std::vector<size_t> necklaces = {1,  6,  12, 29, 38, 50,
                                         38, 29, 12, 6,  1};
  for (size_t size = 1; size <= necklaces.size(); ++size)
    CHECK(
        valueOf(parsePlacements("1x" + std::to_string(size), turned)).size() ==
        necklaces[size - 1]);
}

TEST_CASE("a symmetry that is none is found") {
  const Topology topology = pod("dgx-a100", 3, 2);
  ClusterFile file(topology, "1+2", {Collective::allreduce});
  REQUIRE(proveBundle(file.bundle, 1, test::ignore).ok());
  const auto *links = file.bundle.index->cluster()->topology()->links();
  auto *link = const_cast<sched::Link *>(links->Get(links->size() - 1));
  *link = sched::Link(link->bandwidth() / 2, link->latency(), link->from(),
                      link->to(), link->kind());
  const BundleProof proof = proveBundle(file.bundle, 1, test::ignore);
  REQUIRE(!proof.ok());
  CHECK_MESSAGE(contains(proof.problems.front(), "cluster: box 2"),
                proof.problems.front());
}

TEST_CASE("links of a cluster keep to the limits of a machine") {
  ClusterFile file(pod("dgx-a100", 2, 1), "1+1", {Collective::allreduce});
  const sched::Bundle &index = *file.bundle.index;
  auto check = [&] {
    sched::ReadBudget budget(file.bytes.size());
    return sched::checkClusterRules(index, budget);
  };
  CHECK(check() == "");
  auto *link =
      const_cast<sched::Link *>(index.cluster()->topology()->links()->Get(0));
  const sched::Link before = *link;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<double, double> wrong[] = {{before.bandwidth(), kInfinity},
                                             {before.bandwidth(), 2e6},
                                             {1e-4, before.latency()},
                                             {2e6, before.latency()},
                                             {kInfinity, before.latency()}};
  for (auto [bandwidth, latency] : wrong) {
    *link = sched::Link(bandwidth, latency, before.from(), before.to(),
                        before.kind());
    CHECK(contains(check(), "cluster.topology.links[0]: "));
  }
}
