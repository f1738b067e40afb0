//===- ClusterBundle.cpp - schedules for placements on a cluster ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ClusterBundle.h"

#include "compiler/driver/ClassCompiler.h"
#include "compiler/packing/lp/Glpk.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/PlacementList.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "compiler/topology/symmetry/Cluster.h"
#include "schedules/BundleFile.h"

#include <atomic>
#include <set>

using namespace blink;

namespace {

using Numbers = sched::ClusterSymmetry::Numbers;

/// A representing placement.
struct Placement {
  Numbers gpus;
  Numbers roots; ///< For each rank the one whose rooted programs serve it.
  std::vector<std::vector<uint8_t>> pieces; ///< One per collective.
};

llvm::Error compilePlacement(const Topology &part, const Numbers &gpus,
                             const BundleOptions &options, Placement &one) {
  CompileOptions each = options.each;
  each.gpus.assign(gpus.begin(), gpus.end());
  each.linkEdits.clear(); // the part's links are already edited
  llvm::Expected<RankTopology> ranks =
      RankTopology::create(part, each.gpus, each.links);
  if (!ranks)
    return ranks.takeError();
  one.pieces.resize(options.collectives.size());
  if (ranks->stronglyConnectedRanks().size() > 1)
    return llvm::Error::success();
  const std::set<int> roots(one.roots.begin(), one.roots.end());
  auto compiler =
      ClassCompiler::create(part, each, {roots.begin(), roots.end()});
  if (!compiler)
    return compiler.takeError();
  for (auto [piece, collective] :
       llvm::zip_equal(one.pieces, options.collectives)) {
    auto bytes = (*compiler)->compile(collective);
    if (!bytes)
      return makeError("placement {0}: {1}: {2}",
                       formatGpus({one.gpus.begin(), one.gpus.end()}),
                       toString(collective), llvm::toString(bytes.takeError()));
    piece = std::move(*bytes);
  }
  return llvm::Error::success();
}

std::vector<uint16_t> flat(const std::vector<std::vector<int>> &lists) {
  std::vector<uint16_t> numbers;
  for (const std::vector<int> &list : lists)
    numbers.insert(numbers.end(), list.begin(), list.end());
  return numbers;
}

flatbuffers::Offset<sched::Cluster>
writeCluster(flatbuffers::FlatBufferBuilder &builder, const Topology &topology,
             const Cluster &cluster) {
  std::vector<flatbuffers::Offset<sched::BoxKind>> kinds;
  for (auto [number, kind] : llvm::enumerate(cluster.kinds)) {
    auto first = llvm::find_if(cluster.boxes, [&, n = number](const auto &box) {
      return box.kind == static_cast<int>(n);
    });
    auto swaps = flat(kind.swaps), turns = flat(kind.turns);
    kinds.push_back(
        sched::CreateBoxKindDirect(builder, static_cast<uint16_t>(kind.gpus),
                                   static_cast<uint16_t>(first->nodes.size()),
                                   &kind.columns, &swaps, &turns));
  }
  std::vector<flatbuffers::Offset<sched::Box>> boxes;
  for (const Cluster::Box &box : cluster.boxes) {
    std::vector<uint16_t> nodes(box.nodes.begin(), box.nodes.end());
    boxes.push_back(sched::CreateBoxDirect(
        builder, static_cast<uint16_t>(box.kind), &nodes));
  }
  auto written = writeTopology(builder, topology);
  auto exchanges = flat(cluster.exchanges), turns = flat(cluster.turns);
  return sched::CreateClusterDirect(builder, written, &kinds, &boxes,
                                    &cluster.groups, &exchanges, &turns);
}

std::vector<uint8_t> writeBundle(const Topology &topology,
                                 const Cluster &cluster,
                                 const sched::Settings &settings,
                                 const BundleOptions &options,
                                 std::vector<Placement> placements) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::vector<uint8_t>> pieces;
  std::vector<flatbuffers::Offset<sched::AllocationClass>> classes;
  std::vector<sched::Entry> entries;
  std::vector<uint16_t> gpus, gpuNodes, none;
  uint64_t offset = 0;
  for (Placement &one : placements) {
    std::vector<sched::Piece> places;
    for (std::vector<uint8_t> &bytes : one.pieces) {
      places.emplace_back(offset, bytes.size());
      offset += bytes.size();
      pieces.push_back(std::move(bytes));
    }
    entries.emplace_back(static_cast<uint32_t>(gpus.size()),
                         static_cast<uint32_t>(one.gpus.size()),
                         static_cast<uint32_t>(classes.size()), 0);
    llvm::append_range(gpus, one.gpus);
    classes.push_back(sched::CreateAllocationClassDirect(
        builder, sched::kWholeMachine, &one.gpus, &places, &one.roots, &none));
  }
  for (int node : topology.gpus())
    gpuNodes.push_back(static_cast<uint16_t>(node));
  const std::vector<flatbuffers::Offset<sched::Condition>> conditions = {
      sched::CreateConditionDirect(builder, "")};
  auto provenance =
      sched::writeProvenance(builder, "blinkc " BLINK_VERSION_STRING, settings);
  auto written = writeCluster(builder, topology, cluster);
  auto root = sched::CreateBundleDirect(
      builder, provenance, topology.name.c_str(), topology.fingerprint(),
      static_cast<uint32_t>(topology.nodes.size()), &gpuNodes,
      &options.collectives, &conditions, &classes, &entries, &gpus, &none,
      nullptr, written);
  return sched::sealBundle(builder, root, std::move(pieces));
}

} // namespace

llvm::Expected<std::vector<uint8_t>>
blink::compileClusterBundle(const Topology &whole, const BundleOptions &asked,
                            llvm::StringRef placements, BundleWatcher watcher) {
  if (asked.surviveGpus || asked.surviveLinks)
    return makeError("--survive cannot be combined with shapes of placements; "
                     "name the smaller shapes, and make a bundle of the "
                     "cluster --without-link");
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(whole, asked.each.linkEdits);
  if (!degraded)
    return degraded.takeError();
  const Topology &topology = degraded->topology;
  if (topology.nodes.size() >= sched::kUnmapped)
    return makeError("{0} nodes; a bundle is for machines of fewer than 65535",
                     topology.nodes.size());
  llvm::Expected<Cluster> cluster = Cluster::find(topology);
  if (!cluster)
    return cluster.takeError();
  const sched::ClusterSymmetry symmetry = cluster->symmetry(topology);
  auto list = parsePlacements(placements, symmetry);
  if (!list)
    return makeError("--allocations: {0}", llvm::toString(list.takeError()));

  std::vector<Placement> done(list->size());
  std::vector<std::string> errors(list->size());
  std::atomic<bool> failed = false;
  auto compileOne = [&](size_t number) {
    if (failed)
      return;
    Placement &one = done[number];
    one.gpus.assign((*list)[number].begin(), (*list)[number].end());
    for (uint16_t rank = 0; rank < one.gpus.size(); ++rank)
      one.roots.push_back(symmetry.turnTo(one.gpus, rank).least);
    if (llvm::Error error = compilePlacement(
            cluster->part(topology, symmetry.boxesOf(one.gpus)),
            symmetry.partNumbers(one.gpus), asked, one)) {
      errors[number] = llvm::toString(std::move(error));
      failed = true;
    }
  };
  forEachInParallel(done.size(), glpkIsPerThread() ? asked.jobs : 1, compileOne,
                    watcher);
  for (const std::string &error : errors)
    if (!error.empty())
      return makeError(error);
  if (llvm::all_of(done,
                   [](const Placement &p) { return p.pieces[0].empty(); }))
    return makeError(
        "in none of the placements all GPUs can reach each other "
        "over links of {0}; {1}",
        describeKinds(asked.each.links),
        allowMoreKinds(asked.each.links, "choose other placements"));
  BundleOptions recorded = asked;
  recorded.each.linkEdits = degraded->edits; // recorded in a fixed order
  sched::Settings settings = recorded.settings(topology);
  settings.front().value = placements.str();
  return writeBundle(topology, *cluster, settings, recorded, std::move(done));
}
