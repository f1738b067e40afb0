//===- ListsFuzzer.cpp - any bytes as lists on a command line -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers the values of flags that blinkc parses itself: --allocations, for a
// machine and for a cluster, --links, --limit-link, --without-link and --gpus.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/AllocationList.h"
#include "compiler/topology/DegradeLinks.h"
#include "compiler/topology/PlacementList.h"
#include "compiler/topology/TopologyReader.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "test/fuzz/FuzzTarget.h"

#include "llvm/ADT/StringExtras.h"

using namespace blink;
using test::require;

/// A machine with ids that contain separators of the command line, and ids that
/// do not.
static Topology machine() {
  llvm::Expected<Topology> topology = parseTopology(R"({
    "format": "blink-topology", "version": 1, "name": "lists",
    "nodes": [{"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"},
              {"id": "a:b", "kind": "gpu"}, {"id": "a", "kind": "switch"},
              {"id": "b=1", "kind": "switch"}],
    "links": [{"from": "gpu0", "to": "gpu1", "bandwidth": 25},
              {"from": "gpu0", "to": "gpu1", "bandwidth": 10, "kind": "pcie"},
              {"from": "gpu1", "to": "a:b", "bandwidth": 25, "count": 2},
              {"from": "a", "to": "b=1", "bandwidth": 50},
              {"from": "gpu0", "to": "a", "bandwidth": 50}]})",
                                                    "lists.topo");
  require(bool(topology), "the machine of the test is right");
  return std::move(*topology);
}

static sched::ClusterSymmetry cluster() {
  sched::ClusterSymmetry cluster;
  cluster.kinds = {{{0, 0, 1, 1}, {{0, 1, 2, 3}}}};
  cluster.boxes = {{0, {0, 1, 2, 3}}, {0, {4, 5, 6, 7}}};
  cluster.turns = {{{0, 1, 2, 3}}};
  cluster.index();
  return cluster;
}

static void check(llvm::Error error) {
  if (error)
    require(!llvm::toString(std::move(error)).empty(),
            "an error says what is wrong");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Topology box = machine();
  static const sched::ClusterSymmetry boxes = cluster();
  const llvm::StringRef text = test::textOfInput(data, size);
  check(parseAllocations(text, 4).takeError());
  if (hasShapes(text))
    check(parsePlacements(text, boxes).takeError());
  check(parseLinkKinds(text).takeError());

  std::vector<LinkEdit> edits;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (llvm::Expected<LinkEdit> edit = parseLinkLimit(line, "--limit-link"))
      edits.push_back(std::move(*edit));
    else {
      check(edit.takeError());
      edits.push_back({line.str(), std::nullopt, "--without-link"});
    }
  llvm::Expected<DegradedTopology> degraded = degradeLinks(box, edits);
  if (!degraded) {
    check(degraded.takeError());
    return 0;
  }
  if (llvm::Error error = degraded->topology.check())
    require(false, llvm::toString(std::move(error)).c_str());
  describeEdits(degraded->edits);
  return 0;
}
