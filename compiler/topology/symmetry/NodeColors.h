//===- NodeColors.h - nodes and links that look alike -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The properties that a renaming of a machine must keep, as colours for a
// ColoredGraph.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H

#include "compiler/topology/Topology.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace blink {

/// Numbers distinct things from `first` on. A thing keeps its number in all
/// calls; the new things of a call get theirs in ascending order.
template <typename Thing> class Numbering {
public:
  explicit Numbering(int first) : first_(first) {}

  std::vector<int> of(const std::vector<Thing> &things) {
    for (const Thing &thing : std::set<Thing>(things.begin(), things.end()))
      numbers_.try_emplace(thing, first_ + static_cast<int>(numbers_.size()));
    std::vector<int> numbers;
    for (const Thing &thing : things)
      numbers.push_back(numbers_.at(thing));
    return numbers;
  }

private:
  const int first_;
  std::map<Thing, int> numbers_;
};

/// Numbers the distinct values from 0, ascending, and returns the number of
/// each.
template <typename T>
std::vector<int> numberDistinct(const std::vector<T> &values) {
  return Numbering<T>(0).of(values);
}

/// Per node: equal for nodes of one kind that are equal in `multicast` and
/// `reduce`.
using NodeProperties = std::tuple<NodeKind, bool, bool>;
std::vector<NodeProperties> nodeProperties(const Topology &topology);
/// Per link: equal for links of the same kind, bandwidth and latency.
using LinkProperties = std::tuple<LinkKind, double, double>;
std::vector<LinkProperties> linkProperties(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_NODECOLORS_H
