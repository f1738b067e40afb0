//===- TopologyOps.cpp - level 1, the machine -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of collective.topology, collective.node and collective.link.
//
//===----------------------------------------------------------------------===//

#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace blink::collective;

unsigned TopologyOp::getNumGpus() {
  return llvm::count_if(getBody().getOps<NodeOp>(), [](NodeOp node) {
    return node.getKind() == NodeKind::Gpu;
  });
}

unsigned TopologyOp::getNumLinks() {
  auto links = getBody().getOps<LinkOp>();
  return std::distance(links.begin(), links.end());
}

LogicalResult TopologyOp::verifyRegions() {
  llvm::DenseSet<std::tuple<Attribute, Attribute, int>> joined;
  for (Operation &op : getBody().front()) {
    if (!isa<NodeOp, LinkOp>(op))
      return op.emitOpError("does not belong in a topology: expected "
                            "collective.node or collective.link");
    auto link = dyn_cast<LinkOp>(op);
    if (link && !joined
                     .insert({link.getFromAttr(), link.getToAttr(),
                              static_cast<int>(link.getKind())})
                     .second)
      return op.emitOpError(
          "joins nodes that a link of the same kind joins already; parallel "
          "links are one link whose bandwidths add up");
  }
  if (getNumGpus() == 0)
    return emitOpError("has no gpu node");
  return success();
}

LogicalResult NodeOp::verify() {
  if ((getMulticast() || getReduce()) && getKind() != NodeKind::Switch)
    return emitOpError("only a switch can multicast or reduce");
  if (getDevice() && getKind() != NodeKind::Nic)
    return emitOpError("only a nic has a device");
  if (getDevice() && getDevice()->empty())
    return emitOpError("has a device without a name");
  return success();
}

LogicalResult LinkOp::verify() {
  // The ranges are those of schedules/MachineLimits.h.
  double bandwidth = getBandwidth().convertToDouble();
  double latency = getLatency().convertToDouble();
  if (!(bandwidth >= 1e-3 && bandwidth <= 1e6)) // also refuses NaN
    return emitOpError() << "bandwidth must be 0.001 to 1000000 GB/s";
  if (!(latency >= 0 && latency <= 1e6))
    return emitOpError() << "latency must be 0 to 1000000 us";
  if (getFrom() == getTo())
    return emitOpError() << "joins " << getFromAttr() << " to itself";
  return success();
}

LogicalResult LinkOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr end : {getFromAttr(), getToAttr()})
    if (!symbols.lookupNearestSymbolFrom<NodeOp>(*this, end))
      return emitOpError()
             << "ends at " << end
             << ", which is not a collective.node of this topology";
  return success();
}
