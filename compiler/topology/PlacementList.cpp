//===- PlacementList.cpp - placements on a cluster ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A shape becomes placements box by box. After each box only one of the partial
// placements that are alike is kept, so a cluster of many boxes of few kinds
// has few of them.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/PlacementList.h"

#include "compiler/support/Error.h"
#include "compiler/topology/AllocationList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <set>

using namespace blink;
using sched::ClusterSymmetry;

using Numbers = ClusterSymmetry::Numbers;

bool blink::hasShapes(llvm::StringRef text) {
  return text.find_first_of("+x") != llvm::StringRef::npos;
}

/// Returns the number of GPUs on each box, the largest first.
static llvm::Expected<std::vector<size_t>> parseShape(llvm::StringRef shape,
                                                      size_t mostBoxes) {
  auto number = [&](llvm::StringRef word) -> llvm::Expected<size_t> {
    size_t value = 0;
    if (word.trim().getAsInteger(10, value) || value == 0)
      return makeError("shape '{0}': '{1}' is not a number of GPUs or boxes; "
                       "expected as in 3+5, 4x8 or 2x4+1",
                       shape.trim(), word.trim());
    return value;
  };
  std::vector<size_t> boxes;
  llvm::SmallVector<llvm::StringRef> parts;
  shape.split(parts, '+');
  for (llvm::StringRef part : parts) {
    auto [times, size] = part.split('x');
    const bool many = part.contains('x');
    llvm::Expected<size_t> gpus = number(many ? size : part);
    if (!gpus)
      return gpus.takeError();
    llvm::Expected<size_t> count = many ? number(times) : size_t(1);
    if (!count)
      return count.takeError();
    if (*count > mostBoxes - std::min(mostBoxes, boxes.size()))
      return makeError("shape '{0}': the cluster has {1} boxes", shape.trim(),
                       mostBoxes);
    boxes.insert(boxes.end(), *count, *gpus);
  }
  llvm::sort(boxes, std::greater<>());
  return boxes;
}

static Numbers representing(const ClusterSymmetry &cluster,
                            const Numbers &gpus) {
  Numbers one = cluster.representative(gpus);
  llvm::sort(one);
  return one;
}

/// Adds a GPU of `box` to the placement, or takes one away, in each way that is
/// not like another. Puts what comes of it into `results`.
static void change(const ClusterSymmetry &cluster, const Numbers &placement,
                   uint16_t box, bool adds, std::set<Numbers> &results) {
  for (uint16_t gpu : cluster.boxes[box].gpus) {
    const auto at = llvm::find(placement, gpu);
    if ((at == placement.end()) != adds)
      continue;
    Numbers changed = placement;
    if (adds)
      changed.push_back(gpu);
    else
      changed.erase(changed.begin() + (at - placement.begin()));
    results.insert(representing(cluster, changed));
  }
}

/// Extends `before` by `size` GPUs of `box`, a box that it does not use. It
/// goes GPU by GPU, and keeps one of the placements that are alike each time:
/// a box has too many subsets to look at all of them. A large subset is what is
/// left when few GPUs are taken away. `before` has at least `size` GPUs on each
/// box, so it does not matter from which of several boxes that have the same
/// number of GPUs they are taken. Returns early with more than kMostPlacements.
static std::set<Numbers> extend(const ClusterSymmetry &cluster, Numbers before,
                                uint16_t box, size_t size) {
  const Numbers &all = cluster.boxes[box].gpus;
  const bool adds = size <= all.size() / 2;
  size_t count = adds ? 1 : all.size(); // GPUs of the box that is changed
  std::set<Numbers> placements;
  if (adds) {
    change(cluster, before, box, true, placements);
  } else {
    before.insert(before.end(), all.begin(), all.end());
    placements.insert(representing(cluster, before));
  }
  while (count != size && placements.size() <= kMostPlacements) {
    std::set<Numbers> next;
    for (const Numbers &placement : placements) {
      std::map<uint16_t, size_t> counts;
      for (uint16_t gpu : placement)
        ++counts[cluster.boxOf(gpu)];
      for (const auto &[other, gpus] : counts)
        if (gpus == count)
          change(cluster, placement, other, adds, next);
    }
    placements = std::move(next);
    count += adds ? 1 : -1;
  }
  return placements;
}

/// Returns all representing placements with the numbers of GPUs per box that
/// `shape` gives.
static llvm::Expected<std::set<Numbers>>
placementsOf(const ClusterSymmetry &cluster, llvm::StringRef text,
             const std::vector<size_t> &shape) {
  std::set<Numbers> partial = {{}};
  for (size_t size : shape) {
    std::set<Numbers> next;
    for (const Numbers &before : partial) {
      const Numbers used = cluster.boxesOf(before);
      std::set<uint16_t> kindsDone;
      for (uint16_t b = 0; b < cluster.boxes.size(); ++b) {
        const ClusterSymmetry::Box &box = cluster.boxes[b];
        if (next.size() <= kMostPlacements && !llvm::is_contained(used, b) &&
            box.gpus.size() >= size && kindsDone.insert(box.kind).second)
          next.merge(extend(cluster, before, b, size));
      }
    }
    if (next.empty())
      return makeError("shape '{0}': no box is left that has {1} GPUs",
                       text.trim(), size);
    if (next.size() > kMostPlacements)
      return makeError("shape '{0}' stands for more than {1} placements that "
                       "are not alike; name those that jobs get by their GPUs, "
                       "as in 0,1,8,9",
                       text.trim(), kMostPlacements);
    partial = std::move(next);
  }
  return partial;
}

llvm::Expected<std::vector<std::vector<int>>>
blink::parsePlacements(llvm::StringRef text, const ClusterSymmetry &cluster) {
  std::set<Numbers> found;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, '/');
  for (llvm::StringRef word : words) {
    if (hasShapes(word)) {
      auto shape = parseShape(word, cluster.boxes.size());
      if (!shape)
        return shape.takeError();
      auto placements = placementsOf(cluster, word, *shape);
      if (!placements)
        return placements.takeError();
      found.insert(placements->begin(), placements->end());
    } else {
      auto sets = parseAllocations(word, static_cast<int>(cluster.numGpus()));
      if (!sets)
        return sets.takeError();
      for (const std::vector<int> &gpus : *sets)
        found.insert(representing(cluster, Numbers(gpus.begin(), gpus.end())));
    }
    if (found.size() > kMostPlacements)
      return makeError("'{0}': more than {1} placements that are not alike",
                       word.trim(), kMostPlacements);
  }
  std::vector<std::vector<int>> list;
  for (const Numbers &gpus : found)
    list.emplace_back(gpus.begin(), gpus.end());
  llvm::sort(list, isSmallerSet);
  return list;
}
