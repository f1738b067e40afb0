//===- AssignLanes.cpp - lanes for loose folds ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignLanes.h"

#include "compiler/plan/AssignDelays.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/Latency.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/TimeModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

using namespace blink;

namespace {

/// What chunks cost lanes besides moving them, expressed as the bytes of the
/// whole buffer that a lane loads and stores in that time.
class TurnCosts {
public:
  /// Costs of chunks of `chunkBytes`; 0: none.
  TurnCosts(const FoldProgram &program, uint32_t chunkBytes) {
    if (chunkBytes == 0)
      return;
    engines_ = engineCosts(program);
    bytes_ = 2 * kCosts.laneRate * kBytesPerMicrosecond *
             largestShare(program) / chunkBytes;
  }

  double of(const FoldProgram::Rank &rank,
            const FoldProgram::Fold &fold) const {
    double microseconds = kCosts.chunkOverhead;
    if (!engines_.empty())
      for (const FoldProgram::Operand &operand : rank.operandsOf(fold))
        microseconds += operand.isChannel() ? engines_[operand.index] : 0;
    return microseconds * bytes_;
  }

private:
  static constexpr ProtocolCosts kCosts = costsOf(sched::Protocol::simple);
  std::vector<double> engines_; ///< of each channel
  double bytes_ = 0; ///< that a lane loads and stores in a microsecond
};

using Lanes = std::vector<std::vector<size_t>>;

/// How folds are put into lanes, besides their loads.
struct LaneRules {
  sched::Protocol protocol;
  unsigned maxLanes;
  llvm::ArrayRef<int> places = {}; ///< of trees
  bool mayMix = false;             ///< directions
};

/// Returns the folds of `rank` by the places of their trees, or as they are if
/// there are no places.
std::vector<size_t> foldsByPlace(const FoldProgram::Rank &rank,
                                 llvm::ArrayRef<int> places) {
  std::vector<size_t> folds(rank.folds.size());
  std::iota(folds.begin(), folds.end(), size_t(0));
  if (!places.empty())
    llvm::stable_sort(folds, [&](size_t a, size_t b) {
      return places[rank.folds[a].tree] < places[rank.folds[b].tree];
    });
  return folds;
}

/// Returns the lanes of each of `ranks` for chunks of `chunkBytes`, with the
/// folds of a lane by the places of their trees.
std::vector<Lanes> lanesFor(const FoldProgram &program,
                            const std::vector<size_t> &ranks,
                            const LaneRules &rules, uint32_t chunkBytes,
                            Directions directions) {
  const TurnCosts turns(program, chunkBytes);
  std::vector<Lanes> lanes;
  for (const size_t rank : ranks) {
    const FoldProgram::Rank &own = program.ranks[rank];
    const std::vector<size_t> folds = foldsByPlace(own, rules.places);
    std::vector<FoldLoad> loads;
    for (const size_t fold : folds) {
      loads.push_back(loadOf(program, own, own.folds[fold], rules.protocol));
      loads.back().turns = turns.of(own, own.folds[fold]);
    }
    lanes.push_back(chooseLanes(loads, rules.maxLanes, directions));
    for (std::vector<size_t> &lane : lanes.back())
      for (size_t &fold : lane)
        fold = folds[fold];
  }
  return lanes;
}

/// Exchanges `lanes` with the lanes that the ranks have.
void swapLanes(FoldProgram &program, const std::vector<size_t> &ranks,
               std::vector<Lanes> &lanes) {
  for (auto [rank, own] : llvm::zip_equal(ranks, lanes))
    std::swap(program.ranks[rank].lanes, own);
}

/// Returns true if `lanes` are the lanes that the ranks have.
bool haveLanes(const FoldProgram &program, const std::vector<size_t> &ranks,
               const std::vector<Lanes> &lanes) {
  return llvm::all_of(llvm::zip_equal(ranks, lanes), [&](auto of) {
    return program.ranks[std::get<0>(of)].lanes == std::get<1>(of);
  });
}

/// Returns the ranks without lanes.
std::vector<size_t> looseRanks(const FoldProgram &program) {
  std::vector<size_t> loose;
  for (size_t rank = 0; rank < program.ranks.size(); ++rank)
    if (program.ranks[rank].lanes.empty())
      loose.push_back(rank);
  return loose;
}

/// Puts the folds of `ranks` into lanes. Returns the timeOfLarge of the result,
/// or std::nullopt if chunk sizes do not matter because no lane has several
/// folds or messages are too short.
std::optional<MessageTime> fillLanesOf(FoldProgram &program,
                                       const std::vector<size_t> &ranks,
                                       const LaneRules &rules,
                                       const TreeTimes *trees) {
  const bool shared = llvm::any_of(ranks, [&](size_t rank) {
    return program.ranks[rank].folds.size() > rules.maxLanes;
  });
  std::vector<Lanes> lanes =
      lanesFor(program, ranks, rules, 0, Directions::apart);
  swapLanes(program, ranks, lanes);
  if (!shared || rules.protocol == sched::Protocol::low_latency)
    return std::nullopt;
  // The cost of a chunk depends on its size, and the size on the lanes.
  constexpr double kFaster = 0.995, kFasterMixed = 0.98;
  const TreeTimes known = trees ? *trees : treeTimes(program, rules.protocol);
  MessageTime time = timeOfLarge(program, 0, &known);
  const uint32_t chunkBytes = time.flow.chunkBytes;
  auto offer = [&](Directions directions, double part) {
    lanes = lanesFor(program, ranks, rules, chunkBytes, directions);
    swapLanes(program, ranks, lanes);
    if (haveLanes(program, ranks, lanes))
      return;
    const MessageTime now = timeOfLarge(program, 0, &known);
    if (isFasterWhenLong(now, time, part))
      time = now;
    else
      swapLanes(program, ranks, lanes);
  };
  offer(Directions::apart, kFaster);
  if (rules.mayMix)
    offer(Directions::mixed, kFasterMixed);
  return time;
}

/// Returns how many ranks after `own` the rank stands to which `fold` sends on
/// another server before any data arrives; 0 if the fold does no such thing.
int distanceOf(const FoldProgram &program, int own,
               const FoldProgram::Fold &fold) {
  const FoldProgram::Rank &rank = program.ranks[own];
  for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
    if (from.isChannel())
      return 0;
  const int n = int(program.ranks.size());
  for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
    if (to.isChannel() && program.channels[to.index].leavesMachine())
      return (program.channels[to.index].destination - own + n) % n;
  return 0;
}

/// Sorts those lanes whose first fold begins the route of some data by the
/// distance of the rank that it sends to. A host's thread steps lanes one after
/// the other, and a NIC sends in that order. In the order of trees all ranks
/// would begin with the NIC of the same rank, while the others had nothing to
/// do.
void beginWithNext(FoldProgram &program, int own) {
  std::vector<std::vector<size_t>> &lanes = program.ranks[own].lanes;
  std::vector<std::pair<int, std::vector<size_t>>> moved;
  std::vector<size_t> places;
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const FoldProgram::Fold &first = program.ranks[own].folds[lanes[lane][0]];
    if (const int distance = distanceOf(program, own, first)) {
      moved.emplace_back(distance, std::move(lanes[lane]));
      places.push_back(lane);
    }
  }
  llvm::stable_sort(moved, llvm::less_first());
  for (auto [place, lane] : llvm::zip_equal(places, moved))
    lanes[place] = std::move(lane.second);
}

} // namespace

void blink::sortLanes(FoldProgram::Rank &rank, llvm::ArrayRef<double> hops) {
  for (std::vector<size_t> &lane : rank.lanes)
    std::stable_sort(lane.begin(), lane.end(), [&](size_t a, size_t b) {
      return std::pair(rank.folds[a].delay, hops[a]) <
             std::pair(rank.folds[b].delay, hops[b]);
    });
}

void blink::assignLanes(FoldProgram &program, sched::Protocol protocol,
                        unsigned maxLanes, llvm::ArrayRef<int> places,
                        bool mayMix) {
  if (isPairwise(program.collective))
    return assignLanePerTree(program);
  const std::vector<double> hops = readyTimes(program, kCountHops);
  const std::vector<size_t> loose = looseRanks(program);
  const std::optional<MessageTime> time = fillLanesOf(
      program, loose, {protocol, maxLanes, places, mayMix}, nullptr);
  const bool lags = loose.size() == program.ranks.size();
  if (lags)
    assignDelays(program, hops, 1);
  size_t before = 0, rank = 0; // folds of the ranks so far
  for (const size_t next : loose) {
    for (; rank < next; ++rank)
      before += program.ranks[rank].folds.size();
    sortLanes(program.ranks[rank], llvm::ArrayRef(hops).drop_front(before));
    beginWithNext(program, int(rank));
  }
  if (lags && time)
    if (const int lag = leastLag(program, time->flow.chunkBytes); lag > 1)
      assignDelays(program, hops, lag);
}

std::optional<MessageTime> blink::fillLanes(FoldProgram &program,
                                            sched::Protocol protocol,
                                            unsigned maxLanes,
                                            const TreeTimes &trees) {
  return fillLanesOf(
      program, looseRanks(program),
      {protocol, maxLanes, {}, mixesDirections(program.collective)}, &trees);
}

void blink::assignSmallLanes(FoldProgram &program, unsigned maxLanes) {
  const std::vector<double> hops = readyTimes(program, kCountHops);
  assignDelays(program, hops, kSmallLag);
  const std::vector<double> engines = engineCosts(program);
  size_t before = 0; // folds of the ranks so far
  for (int own = 0; own < int(program.ranks.size()); ++own) {
    FoldProgram::Rank &rank = program.ranks[own];
    std::vector<FoldLoad> loads;
    for (const FoldProgram::Fold &fold : rank.folds) {
      double time = costsOf(sched::Protocol::simple).chunkOverhead;
      for (const FoldProgram::Operand &operand : rank.operandsOf(fold))
        time += operand.isChannel() ? engines[operand.index] : 0;
      loads.push_back({time, time, /*up=*/false});
    }
    rank.lanes = chooseLanes(loads, maxLanes);
    sortLanes(rank, llvm::ArrayRef(hops).drop_front(before));
    beginWithNext(program, own);
    before += rank.folds.size();
  }
}

void blink::assignLanePerTree(FoldProgram &program) {
  for (FoldProgram::Rank &rank : program.ranks) {
    if (!rank.lanes.empty())
      continue;
    for (size_t fold = 0; fold < rank.folds.size(); ++fold) {
      if (fold == 0 || program.placeOf(rank, rank.folds[fold]) !=
                           program.placeOf(rank, rank.folds[fold - 1]))
        rank.lanes.emplace_back();
      rank.lanes.back().push_back(fold);
    }
  }
}
