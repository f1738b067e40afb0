//===- RouteBound.h - requests that cannot be routed ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H
#define BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H

#include "compiler/packing/select/TreeRouter.h"

namespace blink {

/// Returns false if no trees of any depth can satisfy `request`. At the prices
/// of `proof`, each GB/s of any trees costs at least a certain amount. If the
/// room that links have for whole trees is worth less than the requested rate
/// costs, there are no such trees. UniformBound.h has the same test for trees
/// that are known; this one needs no trees.
bool mayFit(const PackingProblem &problem, const PackingCertificate &proof,
            const RouteRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H
