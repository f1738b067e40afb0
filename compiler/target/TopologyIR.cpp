//===- TopologyIR.cpp - topologies in and out of IR -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/TopologyIR.h"

#include "compiler/target/EnumConversion.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace blink;

/// Returns unique names for the links of `topology`; none is the name of a
/// node.
static std::vector<std::string> nameLinks(const Topology &topology) {
  std::map<std::pair<int, int>, int> kindsBetween;
  llvm::StringSet<> taken;
  for (const Link &link : topology.links)
    ++kindsBetween[{link.from, link.to}];
  for (const Node &node : topology.nodes)
    taken.insert(node.id);
  std::vector<std::string> names;
  for (const Link &link : topology.links) {
    std::string name =
        topology.nodes[link.from].id + "." + topology.nodes[link.to].id;
    if (kindsBetween[{link.from, link.to}] > 1)
      name += "." + toString(link.kind).str();
    while (!taken.insert(name).second)
      name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

collective::TopologyOp blink::buildTopology(OpBuilder &builder, Location loc,
                                            const Topology &topology) {
  auto op = builder.create<collective::TopologyOp>(loc, topology.name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().front());
  for (const Node &node : topology.nodes)
    builder.create<collective::NodeOp>(
        loc, node.id, toIR(node.kind), node.multicast, node.reduce,
        node.device.empty() ? StringAttr()
                            : builder.getStringAttr(node.device));
  std::vector<std::string> names = nameLinks(topology);
  for (auto [link, name] : llvm::zip_equal(topology.links, names))
    builder.create<collective::LinkOp>(
        loc, name, toIR(link.kind), topology.nodes[link.from].id,
        topology.nodes[link.to].id, llvm::APFloat(link.bandwidth),
        llvm::APFloat(link.latency));
  return op;
}

TopologyFromIR::TopologyFromIR(collective::TopologyOp op) {
  topology.name = op.getSymName();
  llvm::StringMap<int> nodes;
  for (collective::NodeOp node : op.getBody().getOps<collective::NodeOp>()) {
    nodes[node.getSymName()] = static_cast<int>(topology.nodes.size());
    topology.nodes.push_back({node.getSymName().str(), fromIR(node.getKind()),
                              node.getMulticast(), node.getReduce(),
                              node.getDevice().value_or("").str()});
  }
  for (collective::LinkOp link : op.getBody().getOps<collective::LinkOp>()) {
    linkIndices[link.getSymNameAttr()] = static_cast<int>(linkNames.size());
    linkNames.push_back(link.getSymNameAttr());
    topology.links.push_back(
        {nodes.lookup(link.getFrom()), nodes.lookup(link.getTo()),
         link.getBandwidth().convertToDouble(),
         link.getLatency().convertToDouble(), fromIR(link.getKind())});
  }
}

Path TopologyFromIR::path(ArrayRef<StringAttr> names) const {
  Path path;
  for (StringAttr name : names)
    path.push_back(linkIndices.lookup(name));
  return path;
}

llvm::SmallVector<StringAttr> TopologyFromIR::names(const Path &path) const {
  SmallVector<StringAttr> list;
  for (int link : path)
    list.push_back(linkNames[link]);
  return list;
}

collective::SwitchUseAttr blink::switchUseToIR(MLIRContext *context,
                                               const SwitchUse &use,
                                               const TopologyFromIR &machine) {
  if (!use.works())
    return {};
  return collective::SwitchUseAttr::get(
      context, use.reduces, use.multicasts,
      machine.names({use.toSwitch, use.fromSwitch}));
}

SwitchUse blink::switchUseFromIR(std::optional<collective::SwitchUseAttr> attr,
                                 const TopologyFromIR &machine) {
  if (!attr)
    return {};
  const Path path = machine.path(attr->getPath());
  return {path.front(), path.back(), attr->getReduces(), attr->getMulticasts()};
}
