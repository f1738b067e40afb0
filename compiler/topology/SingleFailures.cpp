//===- SingleFailures.cpp - what may break, one thing at a time -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/SingleFailures.h"

#include "compiler/topology/PathLinks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace blink;

std::vector<FailedLinkClass>
blink::failedLinkClasses(const Fabric &fabric, const Symmetry &symmetry) {
  using Ends = std::pair<int, int>;
  const std::vector<Link> &links = fabric.topology().links;
  auto endsOf = [&](int link) -> Ends {
    return std::minmax(links[link].from, links[link].to);
  };
  std::map<Ends, std::vector<int>> between;
  for (size_t link = 0; link < links.size(); ++link)
    between[endsOf(static_cast<int>(link))].push_back(static_cast<int>(link));

  PathLinks onPaths(fabric);
  std::set<Ends> seen;
  std::vector<FailedLinkClass> classes;
  for (const auto &[ends, parallel] : between) {
    if (seen.count(ends))
      continue;
    FailedLinkClass members;
    for (int element = 0; element < symmetry.order(); ++element) {
      Ends image = endsOf(symmetry.mapLink(element, parallel.front()));
      if (seen.insert(image).second)
        members.push_back({image.first, image.second, element});
    }
    // Whether a path uses them is the same for all members.
    if (std::none_of(parallel.begin(), parallel.end(),
                     [&](int link) { return onPaths.contains(link); }))
      continue;
    std::sort(members.begin(), members.end(),
              [](const FailedLink &a, const FailedLink &b) {
                return std::make_pair(a.nodeA, a.nodeB) <
                       std::make_pair(b.nodeA, b.nodeB);
              });
    classes.push_back(std::move(members));
  }
  return classes;
}

std::vector<LostGpu> blink::lostGpus(const Fabric &fabric) {
  std::vector<LostGpu> losses;
  for (int rank = 0; rank < fabric.numRanks() && fabric.numRanks() > 1;
       ++rank) {
    losses.push_back({rank, fabric.gpus()});
    losses.back().gpus.erase(losses.back().gpus.begin() + rank);
  }
  return losses;
}
