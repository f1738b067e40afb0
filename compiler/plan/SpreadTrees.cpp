//===- SpreadTrees.cpp - fast trees over several lanes --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"

#include "compiler/packing/FairRate.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/NetworkCosts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace blink;

/// Returns, for each tree of the packing, the GB/s of its busiest fold, which
/// handles what the tree carries `timesOf(fold)` times.
template <typename TimesOf>
static std::vector<double> busiest(const FoldProgram &program,
                                   const Packing &packing, TimesOf timesOf) {
  std::vector<double> most(packing.trees.size(), 0);
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      int tree = program.trees[fold.tree].origin;
      most[tree] = std::max(most[tree], timesOf(fold));
    }
  for (size_t tree = 0; tree < most.size(); ++tree)
    most[tree] *= packing.trees[tree].weight;
  return most;
}

std::vector<double> blink::busiestFolds(const FoldProgram &program,
                                        const Packing &packing) {
  return busiest(program, packing, [](const FoldProgram::Fold &fold) {
    return movesOf(fold.directMoves);
  });
}

/// Returns, for each tree of the packing, the GB/s that one of its folds stores
/// at most with zero copy; 0 if no fold stores more than it loads.
static std::vector<double> busiestStores(const FoldProgram &program,
                                         const Packing &packing) {
  return busiest(program, packing, [](const FoldProgram::Fold &fold) {
    // With a switch there may be fewer loads than sources.
    const double loads = fold.sources, stores = fold.directMoves - loads;
    return stores > loads ? stores : 0;
  });
}

/// The part of laneRate that a fold may move before its tree is split: it is an
/// estimate, and each part costs overheads.
static constexpr double kMargin = 1.25;

/// Returns the fewest parts of which none is above `level`.
static unsigned partsOf(double load, double level) {
  constexpr double kRounding = 1e-9;
  return std::max(1u, unsigned(std::ceil(load / level * (1 - kRounding))));
}

void LaneBalance::include(const LaneBalance &rank) {
  fullest = std::max(fullest, rank.fullest);
  idle |= rank.idle;
}

LaneBalance blink::balanceOf(const FoldProgram &program,
                             const FoldProgram::Rank &rank, Protocol protocol) {
  double sum = 0, fullest = 0, least = std::numeric_limits<double>::infinity();
  for (const std::vector<size_t> &lane : rank.lanes) {
    double bytes = 0;
    for (size_t fold : lane)
      bytes += loadOf(program, rank, rank.folds[fold], protocol).bytes;
    sum += bytes;
    fullest = std::max(fullest, bytes);
    least = std::min(least, bytes);
  }
  if (sum == 0)
    return {};
  return {fullest * double(rank.lanes.size()) / sum, least == 0};
}

/// Returns the limit on all parts of all trees as one on those of the trees
/// that the packing lists, of which each stands for an orbit; 0: none.
static size_t mostParts(const Packing &packing, size_t maxTrees) {
  if (maxTrees == 0 || !packing.symmetry)
    return maxTrees;
  return std::max(maxTrees / size_t(packing.symmetry->order()), size_t(1));
}

namespace {

/// The ways to split the trees of a packing down to equal loads.
class Splits {
public:
  Splits(FoldProgram whole, const Packing &packing, Protocol protocol,
         ScheduleLimits limits, size_t maxTrees = 0)
      : whole_(std::move(whole)), loads_(busiestFolds(whole_, packing)),
        stores_(busiestStores(whole_, packing)),
        trees_(treeTimes(whole_, protocol)), protocol_(protocol),
        limits_(limits), maxParts_(mostParts(packing, maxTrees)) {}

  bool leavesMachine() const { return blink::leavesMachine(whole_); }
  /// Returns the load of the busiest fold.
  double most() const {
    return *std::max_element(loads_.begin(), loads_.end());
  }
  /// Returns the parts into which trees must be split to carry no more than
  /// `level` each; empty if these are too many.
  std::vector<unsigned> downTo(double level) const {
    std::vector<unsigned> parts;
    for (double load : loads_)
      parts.push_back(partsOf(load, level));
    if (maxParts_ > 0 &&
        std::accumulate(parts.begin(), parts.end(), size_t(0)) > maxParts_)
      parts.clear();
    return parts;
  }
  /// Returns true if no tree has both fewer parts than in `given` and a fold
  /// that stores more than a lane can. The model of time counts loads and
  /// stores alike, but a lane that copies to several places is limited by what
  /// it stores: a multiprocessor of an H200 stores 44 to 49 GB/s, to one place
  /// as to eight (docs/gpu-results.md).
  bool canStore(const std::vector<unsigned> &parts,
                const std::vector<unsigned> &given) const {
    const double limit = costsOf(protocol_).laneRate * kMargin;
    for (size_t tree = 0; tree < parts.size(); ++tree)
      if (parts[tree] < given[tree] &&
          parts[tree] <
              std::min(partsOf(stores_[tree], limit), limits_.maxLanes))
        return false;
    return true;
  }
  /// Returns the schedule of these parts, or with each tree in `parts` parts,
  /// as far as it matters to how long it takes.
  FoldProgram plan(const std::vector<unsigned> &parts) const {
    FoldProgram program = splitTrees(whole_, parts);
    fillLanes(program, protocol_, limits_.maxLanes, trees_);
    return program;
  }
  FoldProgram plan(unsigned parts) const {
    return plan(std::vector<unsigned>(loads_.size(), parts));
  }
  /// Returns the time without the drain: the last chunk is no reason for fewer
  /// parts than lanes need.
  MessageTime timeOf(const FoldProgram &program) const {
    MessageTime time =
        blink::timeOf(program, protocol_, limits_.chunkBytes, 1, &trees_);
    time.flow.slotDrain = time.flow.directDrain = 0;
    return time;
  }
  MessageTime timeOfLarge(const std::vector<unsigned> &parts) const {
    FoldProgram program = splitTrees(whole_, parts);
    std::optional<MessageTime> time =
        fillLanes(program, protocol_, limits_.maxLanes, trees_);
    if (time && limits_.chunkBytes == 0)
      return std::move(*time);
    return blink::timeOfLarge(program, limits_.chunkBytes, &trees_);
  }
  MessageTime timeOfLarge(unsigned parts) const {
    return timeOfLarge(std::vector<unsigned>(loads_.size(), parts));
  }
  /// Returns true if all trees may be split into this many parts: there are not
  /// too many parts then, and no rank has too many channels.
  bool allows(unsigned parts) const;
  /// Returns the balance of the ranks that use all lanes; std::nullopt if some
  /// rank has too many channels.
  std::optional<LaneBalance> balance(const FoldProgram &program) const;

private:
  FoldProgram whole_;
  std::vector<double> loads_;  ///< busiestFolds
  std::vector<double> stores_; ///< busiestStores
  TreeTimes trees_;
  Protocol protocol_;
  ScheduleLimits limits_;
  size_t maxParts_; ///< mostParts
};

} // namespace

/// Returns true if the rank would have too many channels with each of its folds
/// split into `parts`.
static bool hasMany(const FoldProgram::Rank &rank, unsigned parts) {
  constexpr long kMostChannels = 256; // read by a rank
  auto isChannel = [](const auto &operand) { return operand.isChannel(); };
  return llvm::count_if(rank.operands, isChannel) * parts > 2 * kMostChannels;
}

bool Splits::allows(unsigned parts) const {
  return (maxParts_ == 0 || loads_.size() * parts <= maxParts_) &&
         llvm::none_of(whole_.ranks, [&](const FoldProgram::Rank &rank) {
           return hasMany(rank, parts);
         });
}

std::optional<LaneBalance> Splits::balance(const FoldProgram &program) const {
  LaneBalance balance;
  for (const FoldProgram::Rank &rank : program.ranks) {
    if (hasMany(rank, 1))
      return std::nullopt;
    if (rank.folds.size() >= limits_.maxLanes)
      balance.include(balanceOf(program, rank, protocol_));
  }
  return balance;
}

Packing blink::splitPacking(const Packing &packing,
                            const std::vector<unsigned> &parts) {
  Packing split;
  split.algbw = packing.algbw;
  split.symmetry = packing.symmetry;
  for (size_t t = 0; t < parts.size(); ++t)
    for (unsigned part = 0; part < parts[t]; ++part) {
      split.trees.push_back(packing.trees[t]);
      split.trees.back().weight /= parts[t];
    }
  return split;
}

/// Returns the parts into which all trees are split between servers, so that a
/// lane has the messages of fewer trees. Parts are doubled as long as that
/// makes the time a tenth less, and pipelines fill within a twentieth of the
/// time. Trees of a collective without a root are low; for these it suffices
/// that pipelines fill as soon as before.
static std::vector<unsigned> spreadMessages(const Splits &splits,
                                            size_t numTrees, unsigned maxLanes,
                                            bool rooted) {
  constexpr double kFaster = 0.9, kMayFill = 0.05;
  constexpr uint64_t kLong = 4 * kReferenceBytes;
  std::vector<unsigned> best;
  if (!splits.leavesMachine())
    return best;
  MessageTime least = splits.timeOfLarge(1);
  for (unsigned split = 2; split <= maxLanes && splits.allows(split);
       split *= 2) {
    MessageTime time = splits.timeOfLarge(split);
    const double before = rooted ? 0 : least.fillAt(kLong);
    if (time.at(kReferenceBytes) > kFaster * least.at(kReferenceBytes) ||
        time.at(kLong) > kFaster * least.at(kLong) ||
        time.fillAt(kLong) > std::max(kMayFill * time.linksAt(kLong), before))
      break;
    least = std::move(time);
    best.assign(numTrees, split);
  }
  return best;
}

static llvm::Expected<Splits> splitsOf(const PackingProblem &problem,
                                       const Packing &packing,
                                       ScheduleLimits limits, size_t maxTrees) {
  llvm::Expected<FoldProgram> whole = expandForest(problem, packing);
  if (!whole)
    return whole.takeError();
  return Splits(std::move(*whole), packing, Protocol::simple, limits, maxTrees);
}

/// Does the work of spreadTrees, given the splits of the trees.
static std::vector<unsigned> spread(const Splits &splits,
                                    const PackingProblem &problem,
                                    const Packing &packing,
                                    ScheduleLimits limits) {
  // A split makes the fullest lane lighter. A gain that is only rounding, or
  // only due to shorter pipelines, is not worth more trees.
  constexpr double kFaster = 1 - 1e-6;
  constexpr unsigned kMostSplits = 64;
  const double limit = costsOf(Protocol::simple).laneRate;
  double most = splits.most();
  std::vector<unsigned> best;
  if (partsOf(most, limit * kMargin) == 1)
    return spreadMessages(splits, packing.trees.size(), limits.maxLanes,
                          isRooted(problem.collective));
  // If links are faster than any that exist, lanes carry as much as they can.
  const unsigned needed =
      std::min(partsOf(most, limit), std::max(kMostSplits, limits.maxLanes));
  FoldProgram fastest = splits.plan(1);
  MessageTime least = splits.timeOf(fastest);
  for (unsigned split = 2; split <= needed; ++split) {
    std::vector<unsigned> parts = splits.downTo(std::max(limit, most / split));
    if (parts.empty())
      break;
    FoldProgram program = splits.plan(parts);
    MessageTime time = splits.timeOf(program);
    if (time.gapPerByte < least.gapPerByte * kFaster &&
        time.at(kReferenceBytes) < least.at(kReferenceBytes) * kFaster) {
      least = std::move(time);
      best = std::move(parts);
      fastest = std::move(program);
    }
  }
  if (best.empty())
    return best;
  std::optional<LaneBalance> balance = splits.balance(fastest);
  for (unsigned split = 2; split <= limits.maxLanes; ++split) {
    if (!balance || balance->isEven())
      break;
    std::vector<unsigned> parts = splits.downTo(most / split);
    if (parts.empty())
      break;
    // No fewer parts than the limit of a lane asks for.
    for (size_t t = 0; t < parts.size(); ++t)
      parts[t] = std::max(parts[t], best[t]);
    std::optional<LaneBalance> now = splits.balance(splits.plan(parts));
    if (!now)
      break;
    if (now->isEven() || now->fullest < balance->fullest * kFaster) {
      balance = now;
      best = std::move(parts);
    }
  }
  return best;
}

llvm::Expected<std::vector<unsigned>>
blink::spreadTrees(const PackingProblem &problem, const Packing &packing,
                   ScheduleLimits limits, size_t maxTrees) {
  llvm::Expected<Splits> splits = splitsOf(problem, packing, limits, maxTrees);
  if (!splits)
    return splits.takeError();
  return spread(*splits, problem, packing, limits);
}

namespace {

/// Trees in parts, and their time on links that share themselves fairly.
struct TimedParts {
  std::vector<unsigned> parts;
  MessageTime time = {};
};

} // namespace

/// Splits each tree into its `even` parts, and spreads each of these over
/// lanes.
static llvm::Expected<TimedParts> spreadParts(const PackingProblem &problem,
                                              const Packing &packing,
                                              const std::vector<unsigned> &even,
                                              ScheduleLimits limits,
                                              size_t maxTrees) {
  llvm::Expected<std::vector<unsigned>> spread =
      spreadTrees(problem, splitPacking(packing, even), limits, maxTrees);
  if (!spread)
    return spread.takeError();
  TimedParts timed{even};
  size_t next = 0;
  if (!spread->empty())
    for (unsigned &part : timed.parts) {
      auto first = spread->begin() + long(next);
      next += part;
      part = std::accumulate(first, first + part, 0u);
    }
  llvm::Expected<FoldProgram> program =
      planForest(problem, splitPacking(packing, timed.parts), Protocol::simple,
                 limits.maxLanes);
  if (!program)
    return program.takeError();
  const double part = fairRate(problem, packing, timed.parts) / packing.algbw;
  timed.time = timeOf(*program, Protocol::simple, limits.chunkBytes, part);
  return timed;
}

llvm::Expected<FoldProgram> blink::planParts(const PackingProblem &problem,
                                             const Packing &packing,
                                             std::vector<unsigned> parts,
                                             ScheduleLimits limits) {
  llvm::Expected<FoldProgram> whole = expandForest(problem, packing);
  if (!whole)
    return whole;
  if (parts.empty())
    parts.assign(packing.trees.size(), 1);
  FoldProgram program = splitTrees(*whole, parts);
  assignLanes(program, Protocol::simple, limits.maxLanes, {},
              mixesDirections(problem.collective));
  return program;
}

/// Returns the parts of a sendrecv: as many as its fastest message needs lanes,
/// as long as no rank reads too many channels. Small, even parts are not
/// needed, since no lane waits for another one's message.
static llvm::Expected<std::vector<unsigned>>
spreadPairs(const PackingProblem &problem, const Packing &packing,
            ScheduleLimits limits) {
  constexpr size_t kMostChannels = 128; // read by a rank
  llvm::Expected<FoldProgram> whole = expandForest(problem, packing);
  if (!whole)
    return whole.takeError();
  const std::vector<double> loads = busiestFolds(*whole, packing);
  const double most = *std::max_element(loads.begin(), loads.end());
  unsigned parts = std::min(partsOf(most, costsOf(Protocol::simple).laneRate),
                            limits.maxLanes);
  const size_t channels =
      whole->channels.size() / size_t(problem.rankTopology->numRanks());
  while (parts > 1 && parts * channels > kMostChannels)
    parts /= 2;
  return std::vector<unsigned>(packing.trees.size(), parts);
}

/// Returns true if messages from 1 MiB on, which the large variant often serves
/// as well, would become slower because a chunk is a larger part of them. For
/// the smallest ones the model overestimates the time to fill pipelines.
static bool isSlowerWhenShort(const MessageTime &time,
                              const MessageTime &other) {
  constexpr double kSlower = 1.02, kSlowerAtFirst = 1.3;
  constexpr uint64_t kFirst = kReferenceBytes / 64;
  for (uint64_t bytes = kFirst; bytes < kReferenceBytes; bytes *= 2)
    if (time.at(bytes) >
        (bytes < 4 * kFirst ? kSlowerAtFirst : kSlower) * other.at(bytes))
      return true;
  return false;
}

/// Returns `best`, or the fastest for 4 MiB of those `others` that have no
/// fewer trees, have a lane for each fold that moves something, and are as fast
/// for long messages. More trees mean more channels, so the gain must be at
/// least a 20th of the time.
static TimedParts fasterWhenShort(TimedParts best,
                                  const std::vector<TimedParts> &others) {
  constexpr uint64_t kShort = kReferenceBytes / 16;
  constexpr double kWorthMore = 0.95, kAsFast = 1.001;
  auto treesOf = [](const TimedParts &of) {
    return std::accumulate(of.parts.begin(), of.parts.end(), size_t(0));
  };
  const TimedParts fastest = best;
  double least = fastest.time.at(kShort) * kWorthMore;
  for (const TimedParts &other : others)
    if (treesOf(other) >= treesOf(fastest) &&
        other.time.flow.direct.folds <= 1 && other.time.at(kShort) < least &&
        isFasterWhenLong(other.time, fastest.time, kAsFast)) {
      least = other.time.at(kShort);
      best = other;
    }
  return best;
}

/// Returns `parts` or a faster choice. On one machine these are more parts (a
/// few, or as many as there are lanes), so that each lane moves less, or fewer,
/// so that pipelines fill sooner. Between servers, for trees with a root, which
/// are high, these are half as many parts or less, so that chunks may be
/// larger. Links that share themselves fairly must keep to the weights as well
/// as before.
static std::vector<unsigned> spreadFaster(const Splits &splits,
                                          const PackingProblem &problem,
                                          const Packing &packing,
                                          std::vector<unsigned> parts,
                                          ScheduleLimits limits) {
  constexpr unsigned kMostParts = 8;
  constexpr double kFaster = 0.99, kAsFair = 0.99, kRounding = 1e-9;
  const bool leaves = splits.leavesMachine();
  if (leaves && !isRooted(problem.collective))
    return parts;
  if (parts.empty())
    parts.assign(packing.trees.size(), 1);
  std::vector<std::vector<unsigned>> others;
  const unsigned most = *std::max_element(parts.begin(), parts.end());
  for (unsigned split = most / 2; leaves && split > 0; split /= 2)
    others.emplace_back(parts.size(), split);
  if (!leaves) {
    for (unsigned split = 1;
         (split <= kMostParts || split * parts.size() <= limits.maxLanes) &&
         splits.allows(split);
         ++split)
      others.emplace_back(parts.size(), split);
    for (unsigned split = 2; split < most; ++split)
      others.push_back(splits.downTo(splits.most() / split));
  }
  const TimedParts given{parts, splits.timeOfLarge(parts)};
  TimedParts best = given;
  const bool unrooted =
      isRouted(problem.collective) && !isRooted(problem.collective);
  // The rate is the same for all multiples of the parts, so it is computed once
  // for parts without a common divisor.
  std::map<std::vector<unsigned>, double> rates;
  auto rateOf = [&](std::vector<unsigned> of) {
    unsigned common = 0;
    for (unsigned part : of)
      common = std::gcd(common, part);
    for (unsigned &part : of)
      part /= common;
    const auto [known, isNew] = rates.try_emplace(std::move(of));
    if (isNew)
      known->second = fairRate(problem, packing, known->first);
    return known->second;
  };
  const double fair = unrooted ? 0 : rateOf(parts);
  std::vector<TimedParts> fairOnes;
  std::set<std::vector<unsigned>> seen{parts};
  for (std::vector<unsigned> &other : others) {
    if (other.empty() || !seen.insert(other).second ||
        !splits.canStore(other, parts) ||
        (!unrooted && rateOf(other) < kAsFair * fair))
      continue;
    MessageTime time = splits.timeOfLarge(other);
    fairOnes.push_back({std::move(other), std::move(time)});
  }
  double least = timeOfLong(given.time) * kFaster;
  for (const TimedParts &other : fairOnes) {
    const double time = timeOfLong(other.time);
    if (time >= least * (1 - kRounding) ||
        !isFasterWhenLong(other.time, given.time, kFaster) ||
        isSlowerWhenShort(other.time, given.time))
      continue;
    least = time;
    best = other;
  }
  if (!leaves)
    best = fasterWhenShort(std::move(best), fairOnes);
  parts = std::move(best.parts);
  return llvm::all_of(parts, [](unsigned part) { return part == 1; })
             ? std::vector<unsigned>()
             : parts;
}

llvm::Expected<std::vector<unsigned>>
blink::chooseParts(const PackingProblem &problem, const Packing &packing,
                   ScheduleLimits limits, size_t maxTrees) {
  if (isPairwise(problem.collective))
    return spreadPairs(problem, packing, limits);
  llvm::Expected<Splits> splits = splitsOf(problem, packing, limits, maxTrees);
  if (!splits)
    return splits.takeError();
  const std::vector<unsigned> whole(packing.trees.size(), 1);
  const std::vector<unsigned> even = evenParts(problem, packing);
  const auto sum = std::accumulate(even.begin(), even.end(), size_t(0));
  if (even == whole || limits.maxLanes == 1 ||
      (maxTrees > 0 && sum > mostParts(packing, maxTrees))) {
    std::vector<unsigned> parts = spread(*splits, problem, packing, limits);
    if (limits.maxLanes == 1)
      return parts;
    return spreadFaster(*splits, problem, packing, std::move(parts), limits);
  }
  llvm::Expected<TimedParts> unequal =
      spreadParts(problem, packing, whole, limits, maxTrees);
  if (!unequal)
    return unequal.takeError();
  llvm::Expected<TimedParts> equal =
      spreadParts(problem, packing, even, limits, maxTrees);
  if (!equal)
    return equal.takeError();
  TimedParts &best =
      isWorthwhile(equal->time, unequal->time) ? *equal : *unequal;
  return spreadFaster(*splits, problem, packing, std::move(best.parts), limits);
}

llvm::Expected<MessageTime> blink::timeInParts(const PackingProblem &problem,
                                               const Packing &packing,
                                               ScheduleLimits limits,
                                               size_t maxTrees) {
  llvm::Expected<std::vector<unsigned>> parts =
      chooseParts(problem, packing, limits, maxTrees);
  if (!parts)
    return parts.takeError();
  llvm::Expected<FoldProgram> program =
      planParts(problem, packing, std::move(*parts), limits);
  if (!program)
    return program.takeError();
  return cutShortMessages(timeOfLarge(*program, limits.chunkBytes));
}

llvm::Expected<TimedPacking>
blink::spreadSmallTrees(const PackingProblem &problem, const Packing &packing,
                        Protocol protocol, unsigned maxLanes) {
  constexpr double kFaster = 1 - 1e-6, kFasterByMessages = 0.99;
  llvm::Expected<FoldProgram> whole = expandForest(problem, packing);
  if (!whole)
    return whole.takeError();
  Splits splits(std::move(*whole), packing, protocol, {maxLanes});
  unsigned best = 1;
  const FoldProgram first = splits.plan(1);
  MessageTime least = timeOfSmall(first, protocol);
  double incast = incastOf(first);
  for (unsigned parts = 2; parts <= maxLanes; parts *= 2) {
    FoldProgram program = splits.plan(parts);
    if (!splits.balance(program))
      break;
    MessageTime time = timeOfSmall(program, protocol);
    const double faster = time.flow.network ? kFasterByMessages : kFaster;
    if (time.at(kSmallReferenceBytes) <
        least.at(kSmallReferenceBytes) * faster) {
      least = std::move(time);
      incast = incastOf(program);
      best = parts;
    }
  }
  return TimedPacking{
      splitPacking(packing, std::vector<unsigned>(packing.trees.size(), best)),
      std::move(least), incast};
}

SpreadShares blink::spreadShares(const std::vector<uint32_t> &numerators,
                                 uint32_t denominator,
                                 const std::vector<unsigned> &parts) {
  // The least factor with which all numerators can be divided.
  uint64_t factor = 1;
  for (size_t t = 0; t < parts.size() && factor * denominator <= UINT32_MAX;
       ++t)
    factor = std::lcm(factor,
                      uint64_t(parts[t] / std::gcd(parts[t], numerators[t])));
  if (factor * denominator > UINT32_MAX)
    factor = 1;
  SpreadShares shares;
  shares.denominator = uint32_t(denominator * factor);
  for (size_t t = 0; t < parts.size(); ++t) {
    auto whole = uint32_t(numerators[t] * factor);
    uint32_t count = std::clamp<uint32_t>(whole, 1, parts[t]);
    std::vector<uint32_t> &list = shares.numerators.emplace_back();
    for (uint32_t part = 0; part < count; ++part)
      list.push_back(whole / count + (part < whole % count));
  }
  return shares;
}
