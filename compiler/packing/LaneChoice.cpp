//===- LaneChoice.cpp - which folds share a lane --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LaneChoice.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {
using Lanes = std::vector<std::vector<size_t>>;
} // namespace

/// Appends to `lanes`.
static void balance(const std::vector<FoldLoad> &folds,
                    std::vector<size_t> members, size_t numLanes,
                    Lanes &lanes) {
  numLanes = std::min(numLanes, members.size());
  if (numLanes == 0)
    return;
  Lanes bins(numLanes);
  std::vector<double> load(numLanes, 0);
  std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
    return folds[a].bytes > folds[b].bytes;
  });
  for (size_t fold : members) {
    size_t least = std::min_element(load.begin(), load.end()) - load.begin();
    load[least] += folds[fold].bytes;
    bins[least].push_back(fold);
  }
  for (std::vector<size_t> &bin : bins) {
    std::sort(bin.begin(), bin.end());
    lanes.push_back(std::move(bin));
  }
}

std::vector<std::vector<size_t>>
blink::chooseLanes(const std::vector<FoldLoad> &folds, size_t maxLanes) {
  Lanes lanes;
  std::vector<size_t> up, down;
  double upBytes = 0, downBytes = 0;
  for (size_t fold = 0; fold < folds.size(); ++fold) {
    (folds[fold].up ? up : down).push_back(fold);
    (folds[fold].up ? upBytes : downBytes) += folds[fold].bytes;
  }
  if (maxLanes == 1) {
    up.insert(up.end(), down.begin(), down.end());
    balance(folds, std::move(up), 1, lanes);
    return lanes;
  }
  size_t upLanes = up.size();
  if (folds.size() > maxLanes && !up.empty() && !down.empty()) {
    // In proportion to what they move.
    double fraction = upBytes / (upBytes + downBytes);
    upLanes = std::clamp<size_t>(std::lround(fraction * double(maxLanes)), 1,
                                 maxLanes - 1);
    // Lanes that one direction cannot fill serve the other.
    upLanes = std::min(upLanes, up.size());
    if (maxLanes - upLanes > down.size())
      upLanes = maxLanes - down.size();
  } else if (folds.size() > maxLanes) {
    upLanes = maxLanes;
  }
  size_t downLanes =
      up.empty() ? maxLanes : std::max<size_t>(1, maxLanes - upLanes);
  balance(folds, std::move(up), upLanes, lanes);
  balance(folds, std::move(down), downLanes, lanes);
  return lanes;
}
