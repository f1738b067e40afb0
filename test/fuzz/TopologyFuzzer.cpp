//===- TopologyFuzzer.cpp - any bytes as a .topo file ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A topology that the reader accepts must be valid, and must be read back as
// the same machine after it has been written.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/TopologyReader.h"
#include "compiler/topology/TopologyWriter.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "test/fuzz/FuzzTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace blink;
using test::require;

/// Returns the nodes in order, then the links sorted: two directions that are
/// written together may change places with other links.
static std::vector<std::string> linesOf(const Topology &topology) {
  std::vector<std::string> lines, links;
  for (const Node &node : topology.nodes)
    lines.push_back(node.id + " " + toString(node.kind).str() + " " +
                    node.device + (node.multicast ? " m" : "") +
                    (node.reduce ? " r" : ""));
  for (const Link &link : topology.links)
    links.push_back(llvm::formatv("{0} {1} {2} {3:e17} {4:e17}", link.from,
                                  link.to, toString(link.kind), link.bandwidth,
                                  link.latency));
  llvm::sort(links);
  lines.insert(lines.end(), links.begin(), links.end());
  return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<Topology> topology =
      parseTopology(test::textOfInput(data, size), "input.topo");
  if (!topology) {
    const std::string error = llvm::toString(topology.takeError());
    require(error.rfind("input.topo:", 0) == 0, "an error names its place");
    return 0;
  }
  // The reader leaves to check() the rules that concern whole topologies only.
  if (llvm::Error error = topology->check()) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  llvm::Expected<Topology> again =
      parseTopology(writeTopology(*topology, ""), "again.topo");
  require(bool(again), "what was written is read");
  require(linesOf(*again) == linesOf(*topology),
          "what was written is the same machine");
  if (llvm::Expected<RankTopology> ranks =
          RankTopology::create(*topology, {}, LinkKindSet::all(), {});
      !ranks)
    llvm::consumeError(ranks.takeError());
  return 0;
}
