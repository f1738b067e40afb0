//===- TopologyIR.h - topologies in and out of IR ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_TOPOLOGYIR_H
#define BLINK_COMPILER_TARGET_TOPOLOGYIR_H

#include "compiler/topology/fabric/SwitchStars.h"
#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"

namespace blink {

/// Builds a collective.topology with the nodes and links of `topology`, in
/// order. A link is named `from.to`; the kind is appended if links of several
/// kinds join the same nodes.
collective::TopologyOp buildTopology(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     const Topology &topology);

/// A topology op read back, with the names of its links in the IR.
struct TopologyFromIR {
  Topology topology;
  std::vector<mlir::StringAttr> linkNames; ///< One per link, in order.
  /// The inverse of linkNames.
  llvm::DenseMap<mlir::Attribute, int> linkIndices;

  explicit TopologyFromIR(collective::TopologyOp op);

  /// Convert a path from and to link names. The names must exist.
  Path path(llvm::ArrayRef<mlir::StringAttr> names) const;
  llvm::SmallVector<mlir::StringAttr> names(const Path &path) const;
};

/// Convert a tree's SwitchUse to and from its attribute, which is null if no
/// switch works for the tree.
collective::SwitchUseAttr switchUseToIR(mlir::MLIRContext *context,
                                        const SwitchUse &use,
                                        const TopologyFromIR &machine);
SwitchUse switchUseFromIR(std::optional<collective::SwitchUseAttr> attr,
                          const TopologyFromIR &machine);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_TOPOLOGYIR_H
