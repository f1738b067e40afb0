//===- LaneChoice.cpp - which folds share a lane --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/LaneChoice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace blink;

namespace {

using Lanes = std::vector<std::vector<size_t>>;
using Members = std::vector<size_t>;

/// Bytes as whole units: loads that differ only by rounding are equal, and so
/// give the same lanes on every machine.
struct Load {
  int64_t bytes = 0, slots = 0;
  int64_t work = 0; ///< bytes, and what turns cost
};

std::vector<Load> loadsOf(const std::vector<FoldLoad> &folds) {
  constexpr double kUnits = int64_t(1) << 40; // for all folds together
  double sum = 0;                             // of slots; bytes are no more
  for (const FoldLoad &fold : folds)
    sum += fold.slots;
  auto units = [&](double bytes) {
    return sum > 0 ? int64_t(std::llround(bytes / sum * kUnits)) : 0;
  };
  std::vector<Load> loads;
  for (const FoldLoad &fold : folds)
    loads.push_back({units(fold.bytes), units(fold.slots),
                     units(fold.bytes > 0 ? fold.bytes + fold.turns : 0)});
  return loads;
}

/// Lanes that are being filled; the heaviest folds are put in first.
class Bins {
public:
  Bins(const std::vector<Load> &folds, size_t numLanes)
      : folds_(folds), lanes_(numLanes), loads_(numLanes), empty_(numLanes) {
    for (const Load &fold : folds) {
      slots_ += double(fold.slots);
      work_ += double(fold.work);
    }
    for (Members &lane : lanes_)
      lane.reserve(2 * folds.size() / numLanes);
  }

  struct Range {
    size_t begin, end;
  };
  /// Puts each of `members`, which all move something, into the lane of `range`
  /// with the least work.
  void addMoving(Members members, Range range);
  /// Puts folds that move something into the lane with the least work: of the
  /// range of their direction, as long as it has no more than the mean of all
  /// lanes, and otherwise of all lanes.
  void addMixed(const Members &up, Range upRange, const Members &down,
                Range downRange);
  /// Puts passive folds into the lanes with the least bytes through slots: into
  /// lanes of `range` as long as these have no more than 1.3 times the mean of
  /// all lanes.
  void addPassive(Members members, Range range);
  Lanes finish();

private:
  void sort(Members &members, int64_t Load::*what) const {
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return folds_[a].*what > folds_[b].*what;
    });
  }
  /// Returns the lane of `range` with the least `what`, unless it would have
  /// more than `most` with `fold` and another lane has less: then the lane with
  /// the least of all.
  size_t leastWith(size_t fold, Range range, int64_t Load::*what,
                   double most) const;
  /// Returns the lane of `range` with the least `what`: an empty lane if there
  /// is one, otherwise the first of equal lanes.
  size_t least(Range range, int64_t Load::*what) const;
  void put(size_t fold, size_t lane);

  const std::vector<Load> &folds_;
  Lanes lanes_;
  std::vector<Load> loads_; ///< of the lanes
  size_t empty_;            ///< lanes
  double slots_ = 0;        ///< of all folds
  double work_ = 0;         ///< of all folds
};

size_t Bins::least(Range range, int64_t Load::*what) const {
  if (empty_ > 0)
    for (size_t lane = range.begin; lane < range.end; ++lane)
      if (lanes_[lane].empty())
        return lane;
  int64_t least = INT64_MAX;
  for (size_t lane = range.begin; lane < range.end; ++lane)
    least = std::min(least, loads_[lane].*what);
  // Sums of rounded units differ by up to half a unit for each fold.
  int64_t equal = least + int64_t(folds_.size());
  size_t lane = range.begin;
  while (loads_[lane].*what > equal)
    ++lane;
  return lane;
}

void Bins::put(size_t fold, size_t lane) {
  loads_[lane].bytes += folds_[fold].bytes;
  loads_[lane].slots += folds_[fold].slots;
  loads_[lane].work += folds_[fold].work;
  empty_ -= lanes_[lane].empty();
  lanes_[lane].push_back(fold);
}

size_t Bins::leastWith(size_t fold, Range range, int64_t Load::*what,
                       double most) const {
  const size_t lane = least(range, what);
  if (double(loads_[lane].*what + folds_[fold].*what) <= most)
    return lane;
  const size_t other = least({0, lanes_.size()}, what);
  return loads_[other].*what < loads_[lane].*what ? other : lane;
}

void Bins::addMoving(Members members, Range range) {
  sort(members, &Load::work);
  for (size_t fold : members)
    put(fold, least(range, &Load::work));
}

void Bins::addMixed(const Members &up, Range upRange, const Members &down,
                    Range downRange) {
  const double mean = work_ / double(lanes_.size());
  std::vector<char> isUp(folds_.size(), false);
  for (size_t fold : up)
    isUp[fold] = true;
  Members members = up;
  members.insert(members.end(), down.begin(), down.end());
  sort(members, &Load::work);
  for (size_t fold : members)
    put(fold,
        leastWith(fold, isUp[fold] ? upRange : downRange, &Load::work, mean));
}

void Bins::addPassive(Members members, Range range) {
  const double most = 1.3 * slots_ / double(lanes_.size());
  sort(members, &Load::slots);
  for (size_t fold : members)
    put(fold, leastWith(fold, range, &Load::slots, most));
}

Lanes Bins::finish() {
  for (Members &lane : lanes_)
    std::sort(lane.begin(), lane.end());
  return std::move(lanes_);
}

/// Returns how many of `numLanes` the folds `up` get if there are more folds
/// than lanes: a number in proportion to their work. With 0 or all of them, no
/// lanes are kept apart.
size_t lanesOfUp(const std::vector<Load> &folds, const Members &up,
                 const Members &down, size_t numLanes) {
  // The folds of a direction that do something, and their work.
  struct Direction {
    size_t folds = 0;
    double work = 0;
  };
  auto sum = [&](const Members &members, int64_t Load::*what) {
    Direction direction;
    for (size_t fold : members) {
      direction.folds += folds[fold].*what > 0;
      direction.work += double(folds[fold].*what);
    }
    return direction;
  };
  Direction ups = sum(up, &Load::work), downs = sum(down, &Load::work);
  if (ups.folds + downs.folds < numLanes) { // too few to fill lanes
    ups = sum(up, &Load::slots);
    downs = sum(down, &Load::slots);
  }
  if (ups.folds == 0)
    return 0;
  if (downs.folds == 0)
    return numLanes;
  auto lanes = size_t(
      std::lround(ups.work / (ups.work + downs.work) * double(numLanes)));
  lanes = std::clamp<size_t>(lanes, 1, numLanes - 1);
  // Lanes that one direction cannot fill serve the other one.
  lanes = std::min(lanes, ups.folds);
  return std::max(lanes, numLanes - std::min(numLanes, downs.folds));
}

} // namespace

std::vector<std::vector<size_t>>
blink::chooseLanes(const std::vector<FoldLoad> &folds, size_t maxLanes,
                   Directions directions) {
  std::vector<Load> loads = loadsOf(folds);
  Members up, down;
  for (size_t fold = 0; fold < folds.size(); ++fold)
    (folds[fold].up ? up : down).push_back(fold);
  size_t numLanes = std::min(folds.size(), maxLanes);
  size_t upLanes = up.size();
  if (folds.size() > maxLanes)
    upLanes = maxLanes > 1 ? lanesOfUp(loads, up, down, maxLanes) : 0;
  bool apart = upLanes > 0 && upLanes < numLanes;
  Bins::Range all{0, numLanes};
  Bins::Range upRange = apart ? Bins::Range{0, upLanes} : all;
  Bins::Range downRange = apart ? Bins::Range{upLanes, numLanes} : all;

  auto partition = [&](const Members &members, bool moving) {
    Members some;
    for (size_t fold : members)
      if ((loads[fold].bytes > 0) == moving)
        some.push_back(fold);
    return some;
  };
  if (numLanes == 0)
    return {};
  Bins bins(loads, numLanes);
  if (directions == Directions::mixed) {
    bins.addMixed(partition(up, true), upRange, partition(down, true),
                  downRange);
  } else {
    bins.addMoving(partition(up, true), upRange);
    bins.addMoving(partition(down, true), downRange);
  }
  bins.addPassive(partition(up, false), upRange);
  bins.addPassive(partition(down, false), downRange);
  return bins.finish();
}
