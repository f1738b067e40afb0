//===- BundleBuilder.cpp - bundles for tests ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"

#include "test/common/Cluster.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace blink::test {
namespace {

using sched::kUnmapped;

/// Returns 0, 1, ..., count - 1.
Numbers inOrder(size_t count) {
  Numbers list(count);
  std::iota(list.begin(), list.end(), uint16_t(0));
  return list;
}

/// Returns 0, 1, ..., count - 1 in random order, but with `first` at index
/// `place`.
Numbers shuffled(size_t count, size_t place, uint16_t first,
                 std::mt19937 &random) {
  Numbers list = inOrder(count);
  for (size_t i = count; i > 1; --i)
    std::swap(list[i - 1], list[random() % i]);
  std::swap(list[place], *std::find(list.begin(), list.end(), first));
  return list;
}

/// Returns a node map that maps GPU from[i] to GPU to[order[i]].
Numbers nodeMap(const TestBundle &bundle, const Numbers &from,
                const Numbers &to, const Numbers &order) {
  Numbers map(bundle.numNodes, kUnmapped);
  for (size_t i = 0; i < from.size(); ++i)
    map[bundle.gpuNodes[from[i]]] = bundle.gpuNodes[to[order[i]]];
  return map;
}

/// Returns a piece: the programs of one collective, one for each serving root.
std::vector<uint8_t> makePiece(Collective collective, const TestClass &one,
                               const BundleOptions &options) {
  const int ranks = int(one.gpus.size());
  const std::set<uint16_t> roots(one.roots.begin(), one.roots.end());
  TestSchedule piece;
  for (uint16_t root : roots) {
    BuildOptions layout = options.layout;
    layout.seed += root;
    TestSchedule program = makeSchedule(collective, root, ranks, layout);
    layout.shape = Shape::random;
    layout.treesPerBlock = 1;
    TestVariant small = makeSchedule(collective, root, ranks, layout).variant();
    small.protocol = sched::Protocol::low_latency;
    small.maxBytes = program.variant().minBytes = 1024;
    program.programs[0].variants.insert(program.programs[0].variants.begin(),
                                        small);
    if (piece.programs.empty())
      piece = program;
    else
      piece.programs.push_back(program.programs[0]);
    if (!sched::isRooted(collective))
      break;
  }
  piece = onMachine(piece, options.numGpus, one.gpus);
  if (!options.serverOf.empty())
    spread(piece, options.serverOf, options.rails);
  return seal(piece);
}

TestClass makeClass(const TestBundle &bundle, const Numbers &gpus,
                    const BundleOptions &options, std::mt19937 &random) {
  TestClass one;
  one.gpus = gpus;
  for (uint16_t rank = 0; rank < gpus.size(); ++rank) {
    uint16_t root = uint16_t(random() % (rank + 1u));
    if (!options.serverOf.empty() || (root != rank && one.roots[root] != root))
      root = rank;
    one.roots.push_back(root);
    const Numbers order = options.serverOf.empty()
                              ? shuffled(gpus.size(), root, rank, random)
                              : inOrder(gpus.size());
    Numbers map = nodeMap(bundle, gpus, gpus, order);
    one.rootMaps.insert(one.rootMaps.end(), map.begin(), map.end());
  }
  for (Collective collective : bundle.collectives)
    one.pieces.push_back(makePiece(collective, one, options));
  return one;
}

} // namespace

std::vector<uint8_t> seal(const TestBundle &m) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<sched::Condition>> conditions;
  for (const TestCondition &one : m.conditions)
    conditions.push_back(sched::CreateConditionDirect(
        b, one.description.c_str(), one.nodeA, one.nodeB,
        one.idA.empty() ? nullptr : one.idA.c_str(),
        one.idB.empty() ? nullptr : one.idB.c_str()));
  std::vector<flatbuffers::Offset<sched::AllocationClass>> classes;
  std::vector<std::vector<uint8_t>> pieces;
  uint64_t offset = 0;
  for (const TestClass &one : m.classes) {
    std::vector<sched::Piece> places;
    for (const std::vector<uint8_t> &bytes : one.pieces) {
      places.emplace_back(offset, bytes.size());
      offset += bytes.size();
      pieces.push_back(bytes);
    }
    classes.push_back(sched::CreateAllocationClassDirect(
        b, one.condition, &one.gpus, &places, &one.roots, &one.rootMaps));
  }
  std::vector<sched::Entry> entries;
  Numbers gpus, maps;
  for (const TestEntry &entry : m.entries) {
    entries.emplace_back(gpus.size(), entry.gpus.size(), entry.classNumber,
                         maps.size());
    gpus.insert(gpus.end(), entry.gpus.begin(), entry.gpus.end());
    maps.insert(maps.end(), entry.map.begin(), entry.map.end());
  }
  maps.insert(maps.end(), m.survivorMaps.begin(), m.survivorMaps.end());
  std::vector<sched::Survivor> survivors;
  for (const TestSurvivor &one : m.survivors)
    survivors.emplace_back(sched::Entry(one.gpusBegin, one.gpusCount,
                                        one.classNumber, one.mapBegin),
                           one.condition);
  auto provenance = sched::writeProvenance(b, "test", {});
  auto root = sched::CreateBundleDirect(
      b, provenance, "machine", m.fingerprint, m.numNodes, &m.gpuNodes,
      &m.collectives, &conditions, &classes, &entries, &gpus, &maps,
      survivors.empty() ? nullptr : &survivors);
  return sched::sealBundle(b, root, pieces);
}

uint16_t addCondition(TestBundle &bundle, uint16_t nodeA, uint16_t nodeB) {
  const std::string a = "n" + std::to_string(nodeA);
  const std::string b = "n" + std::to_string(nodeB);
  bundle.conditions.push_back(
      {"--without-link " + a + ":" + b, nodeA, nodeB, a, b});
  return uint16_t(bundle.conditions.size() - 1);
}

void addSurvivor(TestBundle &bundle, uint16_t condition, size_t entry,
                 uint32_t classNumber, const Numbers *map) {
  TestSurvivor one;
  one.condition = condition;
  one.classNumber = classNumber;
  one.gpusCount = uint32_t(bundle.entries[entry].gpus.size());
  for (size_t e = 0; e < entry; ++e)
    one.gpusBegin += uint32_t(bundle.entries[e].gpus.size());
  one.mapBegin = bundle.numNodes * uint32_t(entry);
  if (map) {
    one.mapBegin = bundle.numNodes * uint32_t(bundle.entries.size()) +
                   uint32_t(bundle.survivorMaps.size());
    bundle.survivorMaps.insert(bundle.survivorMaps.end(), map->begin(),
                               map->end());
  }
  bundle.survivors.push_back(one);
}

TestSchedule onMachine(TestSchedule schedule, int numGpus,
                       const Numbers &gpus) {
  schedule.nodes.assign(size_t(numGpus) + 1, sched::NodeKind::gpu);
  schedule.nodes[0] = sched::NodeKind::switch_;
  schedule.links.clear();
  for (int from = 0; from < numGpus; ++from)
    for (int to = 0; to < numGpus; ++to)
      if (from != to)
        schedule.links.push_back({1, 1, uint32_t(from) + 1, uint32_t(to) + 1,
                                  sched::LinkKind::nvlink});
  for (TestProgram &program : schedule.programs) {
    program.allocation = gpus;
    program.prices.assign(schedule.links.size(), 1);
    for (TestVariant &variant : program.variants)
      for (const TestChannel &channel : variant.channels) {
        const uint32_t from = gpus[channel.source];
        const uint32_t to = gpus[channel.destination];
        variant.paths[channel.pathBegin] =
            from * (uint32_t(numGpus) - 1) + to - (to > from);
      }
  }
  return schedule;
}

TestBundle makeBundle(const BundleOptions &options) {
  std::mt19937 random(options.layout.seed);
  TestBundle bundle;
  bundle.numNodes = uint32_t(options.numGpus) + 1;
  if (!options.serverOf.empty())
    bundle.numNodes += uint32_t(
        options.rails * (1 + *std::max_element(options.serverOf.begin(),
                                               options.serverOf.end())));
  for (int gpu = 0; gpu < options.numGpus; ++gpu)
    bundle.gpuNodes.push_back(uint16_t(gpu + 1));
  bundle.collectives = options.collectives;
  bundle.fingerprint = TestSchedule().fingerprint;
  std::map<size_t, uint32_t> classOfSize;
  for (const Numbers &gpus : options.allocations) {
    auto [found, isNew] =
        classOfSize.emplace(gpus.size(), bundle.classes.size());
    if (isNew || !options.alike || !options.serverOf.empty()) {
      found->second = uint32_t(bundle.classes.size());
      bundle.classes.push_back(makeClass(bundle, gpus, options, random));
    }
    const Numbers order =
        options.serverOf.empty()
            ? shuffled(gpus.size(), 0, uint16_t(random() % gpus.size()), random)
            : inOrder(gpus.size());
    bundle.entries.push_back(
        {gpus, found->second,
         nodeMap(bundle, bundle.classes[found->second].gpus, gpus, order)});
  }
  return bundle;
}

std::vector<Numbers> allAllocations(int numGpus) {
  std::vector<Numbers> all;
  for (unsigned mask = 1; mask < 1u << numGpus; ++mask) {
    Numbers gpus;
    for (int gpu = 0; gpu < numGpus; ++gpu)
      if (mask >> gpu & 1)
        gpus.push_back(uint16_t(gpu));
    all.push_back(gpus);
  }
  std::sort(all.begin(), all.end(), [](const Numbers &a, const Numbers &b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return all;
}

} // namespace blink::test
