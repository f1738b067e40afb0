//===- NodeColors.h - nodes and links that look alike -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What renaming a machine must keep, as colours for a ColoredGraph.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H

#include "compiler/topology/Topology.h"

#include <algorithm>

namespace blink {

/// Numbers distinct values from 0, ascending: the number of each value.
template <typename T>
std::vector<int> numberDistinct(const std::vector<T> &values) {
  std::vector<T> distinct = values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<int> numbers;
  for (const T &value : values)
    numbers.push_back(static_cast<int>(
        std::lower_bound(distinct.begin(), distinct.end(), value) -
        distinct.begin()));
  return numbers;
}

/// Per node: equal for nodes of one kind that multicast and reduce alike.
std::vector<int> nodeColors(const Topology &topology);

/// Per link: equal for links of one kind, bandwidth and latency.
std::vector<int> linkColors(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H
