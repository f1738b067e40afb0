//===- MirrorForests.cpp - forests of mirrored collectives ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/MirrorForests.h"

#include "compiler/target/EnumConversion.h"
#include "compiler/target/ForestIR.h"
#include "compiler/target/TopologyIR.h"
#include "dialect/KnownAttrs.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace blink;

std::optional<std::vector<int>> blink::reverseLinks(const Topology &topology) {
  const auto indices = topology.linkIndices();
  std::vector<int> reverse;
  for (const Link &link : topology.links) {
    auto found = indices.find({link.to, link.from, link.kind});
    if (found == indices.end())
      return std::nullopt;
    const Link &back = topology.links[found->second];
    if (back.bandwidth != link.bandwidth || back.latency != link.latency)
      return std::nullopt;
    reverse.push_back(found->second);
  }
  return reverse;
}

/// Reverses each edge, and the order from parents first to children first.
static ArrayAttr mirrorEdges(ArrayAttr edges, const TopologyFromIR &machine,
                             ArrayRef<int> reverse) {
  SmallVector<Attribute> list;
  for (auto edge : llvm::reverse(edges.getAsRange<collective::EdgeAttr>())) {
    Path path = machine.path(edge.getPath());
    std::reverse(path.begin(), path.end());
    for (int &link : path)
      link = reverse[link];
    list.push_back(collective::EdgeAttr::get(
        edges.getContext(), edge.getTo(), edge.getFrom(), machine.names(path)));
  }
  return ArrayAttr::get(edges.getContext(), list);
}

OwningOpRef<ModuleOp> blink::mirrorForests(ModuleOp module,
                                           Collective collective,
                                           ArrayRef<int> reverse) {
  OwningOpRef<ModuleOp> result = module.clone();
  SymbolTableCollection symbols;
  for (auto forest : result->getOps<collective::ForestOp>()) {
    TopologyFromIR machine(
        collective::lookupTopology(forest, symbols, forest.getTopologyAttr()));
    forest.setCollective(toIR(collective));
    std::vector<double> prices(reverse.size());
    for (auto [link, price] : llvm::enumerate(forest.getPrices()))
      prices[reverse[link]] = price;
    forest.setPrices(prices);
    // The parts were chosen for the lanes of the original trees; mirrored trees
    // have other folds.
    forest->removeAttr(collective::kPartsAttr);
    for (auto tree : forest.getBody().getOps<collective::TreeOp>()) {
      tree.setUpAttr(mirrorEdges(tree.getDown(), machine, reverse));
      tree.setDownAttr(ArrayAttr::get(tree.getContext(), {}));
    }
  }
  return result;
}
