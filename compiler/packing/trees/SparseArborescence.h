//===- SparseArborescence.h - cheapest arborescence of few edges *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H
#define BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H

#include "compiler/packing/trees/CostGraph.h"

namespace blink {

/// Like minArborescence (MinArborescence.h), for edges listed by the vertex
/// that they enter, in time O(edges x log(edges)) and memory proportional to
/// the edges (Gabow, Galil, Spencer and Tarjan 1986, with leftist heaps). If
/// there are several cheapest trees, the choice is deterministic but may differ
/// from that of the dense method.
Parents sparseArborescence(const CostGraph &into, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H
