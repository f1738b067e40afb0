//===- TestTopology.h - helpers of the topology tests -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Shorthands to build machines in tests and to inspect errors.
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

/// Returns the text of an error, which must have occurred.
inline std::string textOf(llvm::Error error) {
  REQUIRE(bool(error));
  return llvm::toString(std::move(error));
}

/// Returns the value of a result, which must not be an error.
template <typename T> T valueOf(llvm::Expected<T> result) {
  if (!result)
    FAIL(llvm::toString(result.takeError()));
  return std::move(*result);
}

inline Topology shippedTopology(const std::string &name) {
  return valueOf(
      readTopologyFile(sourceFolder() + "/topologies/" + name + ".topo"));
}

/// Returns a topology; `nodes` and `links` are the contents of the two JSON
/// arrays.
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

/// Returns servers with one GPU each, g0, g1, ..., whose NICs n0, n1, ... have
/// these GB/s and meet in a switch s.
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

/// Returns the first link between two nodes, or -1 if there is none.
inline int linkBetween(const Topology &topology, const std::string &from,
                       const std::string &to) {
  for (size_t i = 0; i < topology.links.size(); ++i)
    if (topology.links[i].from == nodeNamed(topology, from) &&
        topology.links[i].to == nodeNamed(topology, to))
      return static_cast<int>(i);
  return -1;
}

/// Returns the path over the named nodes.
inline Path pathOver(const Topology &topology,
                     const std::vector<std::string> &ids) {
  Path path;
  for (size_t i = 1; i < ids.size(); ++i)
    path.push_back(linkBetween(topology, ids[i - 1], ids[i]));
  return path;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_TOPOLOGY_TESTTOPOLOGY_H
