//===- LaneChoice.cpp - which folds share a lane --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LaneChoice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace blink;

namespace {
using Lanes = std::vector<std::vector<size_t>>;
} // namespace

/// What each fold moves, in units that are whole: what is equal but for
/// rounding is equal, and makes the same lanes wherever it was computed.
static std::vector<int64_t> unitsOf(const std::vector<FoldLoad> &folds) {
  constexpr double kUnits = int64_t(1) << 40; // of all folds together
  double sum = 0;
  for (const FoldLoad &fold : folds)
    sum += fold.bytes;
  std::vector<int64_t> units;
  for (const FoldLoad &fold : folds)
    units.push_back(sum > 0 ? std::llround(fold.bytes / sum * kUnits) : 0);
  return units;
}

/// Appends to `lanes`.
static void balance(const std::vector<int64_t> &units,
                    std::vector<size_t> members, size_t numLanes,
                    Lanes &lanes) {
  numLanes = std::min(numLanes, members.size());
  if (numLanes == 0)
    return;
  Lanes bins(numLanes);
  std::vector<int64_t> load(numLanes, 0);
  std::stable_sort(members.begin(), members.end(),
                   [&](size_t a, size_t b) { return units[a] > units[b]; });
  for (size_t fold : members) {
    // Sums of rounded units differ by half a unit a fold.
    int64_t equal =
        *std::min_element(load.begin(), load.end()) + int64_t(units.size());
    size_t least = std::find_if(load.begin(), load.end(),
                                [&](int64_t bin) { return bin <= equal; }) -
                   load.begin();
    load[least] += units[fold];
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
  std::vector<int64_t> units = unitsOf(folds);
  std::vector<size_t> up, down;
  double upBytes = 0, downBytes = 0;
  for (size_t fold = 0; fold < folds.size(); ++fold) {
    (folds[fold].up ? up : down).push_back(fold);
    (folds[fold].up ? upBytes : downBytes) += folds[fold].bytes;
  }
  if (maxLanes == 1) {
    up.insert(up.end(), down.begin(), down.end());
    balance(units, std::move(up), 1, lanes);
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
  balance(units, std::move(up), upLanes, lanes);
  balance(units, std::move(down), downLanes, lanes);
  return lanes;
}
