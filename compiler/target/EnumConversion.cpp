//===- EnumConversion.cpp - enums of the file and of the dialect ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/EnumConversion.h"

using namespace blink;

LinkKindSet blink::fromIR(collective::LinkKindsAttr kinds) {
  LinkKindSet set;
  for (collective::LinkKind kind : kinds.getKinds())
    set.insert(fromIR(kind));
  return set;
}

collective::LinkKindsAttr blink::toIR(mlir::MLIRContext *context,
                                      LinkKindSet kinds) {
  llvm::SmallVector<collective::LinkKind> list;
  for (LinkKind kind : sched::EnumValuesLinkKind())
    if (kinds.contains(kind))
      list.push_back(toIR(kind));
  return collective::LinkKindsAttr::get(context, list);
}
