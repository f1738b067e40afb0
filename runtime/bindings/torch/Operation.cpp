//===- Operation.cpp - a method of the back end, to be run ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Operation.h"

#include <ATen/core/LegacyTypeDispatch.h>

namespace blink::pytorch {

void runOperations(const std::vector<Operation> &operations, const Site &site) {
  // Writing to a model's parameters must not become a step of their autograd
  // history.
  const at::AutoDispatchBelowADInplaceOrView noHistory;
  if (operations.size() == 1) {
    if (const After after = operations[0].calls(site))
      after();
    return;
  }
  std::vector<After> afters;
  CallGroup group;
  for (const Operation &operation : operations)
    afters.push_back(operation.calls(site));
  group.end();
  for (const After &after : afters)
    if (after)
      after();
}

} // namespace blink::pytorch
