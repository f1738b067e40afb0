//===- RouteBound.h - what need not be routed -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H
#define BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H

#include "compiler/packing/select/TreeRouter.h"

namespace blink {

/// Whether there may be such trees, of whatever depth. At the prices of a
/// certificate all trees cost so much a GB/s at least, and what links have room
/// for of whole trees is worth no more than so much: as UniformBound.h, which
/// knows the trees, of trees that nobody knows.
bool mayFit(const PackingProblem &problem, const PackingCertificate &proof,
            const RouteRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_ROUTEBOUND_H
