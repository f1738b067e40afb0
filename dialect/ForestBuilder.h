//===- ForestBuilder.h - what forests and schedules are built of -*- C++ -*-==//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule says the same of itself as the forest it came from. Private to the
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_FORESTBUILDER_H
#define BLINK_DIALECT_FORESTBUILDER_H

#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"

namespace blink::collective {

/// Sets the properties that ForestOp and ScheduleOp share, and adds the body.
template <typename ConcreteOp>
void buildCarrier(mlir::OpBuilder &builder, mlir::OperationState &state,
                  CollectiveKind collective, mlir::FlatSymbolRefAttr topology,
                  llvm::ArrayRef<int32_t> gpus, LinkKindsAttr links,
                  std::optional<int32_t> root, double algbw, double bound,
                  llvm::ArrayRef<double> prices) {
  auto &properties =
      state.getOrAddProperties<typename ConcreteOp::Properties>();
  properties.collective =
      CollectiveKindAttr::get(builder.getContext(), collective);
  properties.topology = topology;
  properties.gpus = builder.getDenseI32ArrayAttr(gpus);
  properties.links = links;
  if (root)
    properties.root = builder.getI32IntegerAttr(*root);
  properties.algbw = builder.getF64FloatAttr(algbw);
  properties.bound = builder.getF64FloatAttr(bound);
  properties.prices = builder.getDenseF64ArrayAttr(prices);
  state.addRegion()->emplaceBlock();
}

} // namespace blink::collective

#endif // BLINK_DIALECT_FORESTBUILDER_H
