//===- Arborescence.h - the cheapest spanning tree of a root ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_ARBORESCENCE_H
#define BLINK_COMPILER_VERIFY_ARBORESCENCE_H

#include <cstdint>
#include <vector>

namespace blink::verify {

/// Returns the cost of the cheapest arborescence that leads away from `root`
/// and spans nodes 0 .. count - 1; infinite if there is none. `costs[to * count
/// + from]` is the cost of an edge, >= 0, infinite if there is no such edge.
/// Takes time and memory in O(count^2).
///
/// This is Edmonds' algorithm (Chu and Liu 1965, Edmonds 1967) as contraction
/// along a growing path (Gabow, Galil, Spencer and Tarjan 1986). The value is
/// the sum of the dual variables. It is therefore a lower bound on every
/// arborescence as soon as each of them is a true reduced cost, and the
/// arborescence itself is not needed.
double cheapestArborescence(uint32_t count, std::vector<double> costs,
                            uint32_t root);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_ARBORESCENCE_H
