//===- TestTopology.h - helpers of the topology tests -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Shorthands to build machines in tests and to look at errors.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_TOPOLOGY_TESTTOPOLOGY_H
#define BLINK_TEST_UNIT_TOPOLOGY_TESTTOPOLOGY_H

#include "compiler/topology/TopologyReader.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "test/common/Folders.h"

#include "doctest/doctest.h"

#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace blink::test {

/// The text of an error that must be there.
inline std::string textOf(llvm::Error error) {
  REQUIRE(bool(error));
  return llvm::toString(std::move(error));
}

/// The value of a result that must be there.
template <typename T> T valueOf(llvm::Expected<T> result) {
  if (!result)
    FAIL(llvm::toString(result.takeError()));
  return std::move(*result);
}

inline Topology shippedTopology(const std::string &name) {
  return valueOf(
      readTopologyFile(sourceFolder() + "/topologies/" + name + ".topo"));
}

/// `nodes` and `links` are the insides of the two JSON arrays.
inline Topology makeTopology(const std::string &nodes,
                             const std::string &links) {
  return valueOf(
      parseTopology(R"({"format": "blink-topology", "version": 1, "nodes": [)" +
                        nodes + R"(], "links": [)" + links + "]}",
                    "test.topo"));
}

inline RankTopology rankTopologyOf(Topology topology,
                                   std::vector<int> gpus = {},
                                   LinkKindSet kinds = LinkKindSet::all()) {
  return valueOf(
      RankTopology::create(std::move(topology), std::move(gpus), kinds));
}

/// Servers of a GPU each, g0 and so on, whose NICs, n0 and so on, of so many
/// GB/s, meet in a switch, s.
inline RankTopology serversOf(const std::vector<double> &nics,
                              double latency = 12) {
  std::string nodes, links;
  for (size_t i = 0; i < nics.size(); ++i) {
    nodes += llvm::formatv(R"({{"id": "g{0}", "kind": "gpu"},
        {{"id": "n{0}", "kind": "nic"},)",
                           i);
    links += llvm::formatv(
        R"({3}{{"from": "g{0}", "to": "n{0}", "bandwidth": 64, "kind": "pcie"},
        {{"from": "n{0}", "to": "s", "bandwidth": {1}, "latency": {2},
          "kind": "network"})",
        i, nics[i], latency, i > 0 ? "," : "");
  }
  return rankTopologyOf(
      makeTopology(nodes + R"({"id": "s", "kind": "switch"})", links));
}

inline int nodeNamed(const Topology &topology, const std::string &id) {
  for (size_t i = 0; i < topology.nodes.size(); ++i)
    if (topology.nodes[i].id == id)
      return static_cast<int>(i);
  FAIL("no node " << id);
  return -1;
}

/// The first link between two nodes, -1 if there is none.
inline int linkBetween(const Topology &topology, const std::string &from,
                       const std::string &to) {
  for (size_t i = 0; i < topology.links.size(); ++i)
    if (topology.links[i].from == nodeNamed(topology, from) &&
        topology.links[i].to == nodeNamed(topology, to))
      return static_cast<int>(i);
  return -1;
}

/// The path over the named nodes.
inline Path pathOver(const Topology &topology,
                     const std::vector<std::string> &ids) {
  Path path;
  for (size_t i = 1; i < ids.size(); ++i)
    path.push_back(linkBetween(topology, ids[i - 1], ids[i]));
  return path;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_TOPOLOGY_TESTTOPOLOGY_H
