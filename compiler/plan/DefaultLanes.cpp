//===- DefaultLanes.cpp - how many lanes a rank may have ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/DefaultLanes.h"

#include <algorithm>

using namespace blink;

unsigned blink::defaultLanes(const Topology &topology, llvm::ArrayRef<int> gpus,
                             LinkKindSet kinds) {
  constexpr unsigned kFew = 16, kMany = 32;
  constexpr double kFast = 500; // GB/s
  const std::vector<int> nodes = topology.gpus();
  std::vector<bool> isRank(topology.nodes.size(), false);
  for (int gpu : gpus)
    isRank[size_t(nodes[size_t(gpu)])] = true;
  auto isJobs = [&](int node) {
    return isRank[size_t(node)] ||
           topology.nodes[size_t(node)].kind != NodeKind::gpu;
  };
  std::vector<double> from(topology.nodes.size()), to(topology.nodes.size());
  for (const Link &link : topology.links)
    if (isPeerLink(link.kind) && kinds.contains(link.kind) &&
        isJobs(link.from) && isJobs(link.to)) {
      from[size_t(link.from)] += link.bandwidth;
      to[size_t(link.to)] += link.bandwidth;
    }
  for (size_t node = 0; node < isRank.size(); ++node)
    if (isRank[node] && std::max(from[node], to[node]) > kFast)
      return kMany;
  return kFew;
}
