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

/// Builds a collective.topology with `topology`'s nodes and links, in order.
/// A link is named `from.to`, with the kind appended where several kinds join
/// the same nodes.
collective::TopologyOp buildTopology(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     const Topology &topology);

/// A topology op read back, with the names its links have in IR.
struct TopologyFromIR {
  Topology topology;
  std::vector<mlir::StringAttr> linkNames;          ///< one a link, in order
  llvm::DenseMap<mlir::Attribute, int> linkIndices; ///< the inverse

  explicit TopologyFromIR(collective::TopologyOp op);

  /// A path as IR has it, and back. The names must exist.
  Path path(llvm::ArrayRef<mlir::StringAttr> names) const;
  llvm::SmallVector<mlir::StringAttr> names(const Path &path) const;
};

/// What a switch does for a tree as IR has it, null for nothing, and back.
collective::SwitchUseAttr switchUseToIR(mlir::MLIRContext *context,
                                        const SwitchUse &use,
                                        const TopologyFromIR &machine);
SwitchUse switchUseFromIR(std::optional<collective::SwitchUseAttr> attr,
                          const TopologyFromIR &machine);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_TOPOLOGYIR_H
