//===- SymmetryIR.cpp - symmetries in and out of IR -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/SymmetryIR.h"

using namespace mlir;
using namespace blink;

ArrayAttr blink::symmetryToIR(MLIRContext *context, const Symmetry *symmetry) {
  if (!symmetry)
    return nullptr;
  SmallVector<Attribute> renamings;
  for (const Symmetry::Generator &generator : symmetry->generators())
    renamings.push_back(collective::RenamingAttr::get(context, generator.steps,
                                                      generator.nodes));
  return ArrayAttr::get(context, renamings);
}

FailureOr<std::shared_ptr<const Symmetry>>
blink::symmetryFromIR(Operation *op, std::optional<ArrayAttr> attr,
                      const RankTopology &rankTopology) {
  if (!attr)
    return std::shared_ptr<const Symmetry>();
  std::vector<Symmetry::Generator> generators;
  for (auto renaming : attr->getAsRange<collective::RenamingAttr>())
    generators.push_back({renaming.getNodes().vec(), renaming.getSteps()});
  llvm::Expected<Symmetry> symmetry =
      Symmetry::create(rankTopology, std::move(generators));
  if (!symmetry)
    return op->emitError(toString(symmetry.takeError()));
  return std::make_shared<const Symmetry>(std::move(*symmetry));
}
