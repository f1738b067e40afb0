//===- SparseArborescence.h - cheapest arborescence of few edges *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H
#define BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H

#include "compiler/packing/trees/CostGraph.h"

namespace blink {

/// As minArborescence (MinArborescence.h), of the edges into each vertex, in
/// time O(edges x log(edges)) and memory with the edges (Gabow, Galil, Spencer
/// and Tarjan 1986, with leftist heaps). Of several the choice is
/// deterministic, but may be another one than the dense method's.
Parents sparseArborescence(const CostGraph &into, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_SPARSEARBORESCENCE_H
