//===- MediumForests.cpp - forests for medium messages --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/MediumForests.h"

#include "compiler/passes/BestRanges.h"
#include "compiler/passes/MediumCandidates.h"
#include "compiler/passes/PlannedVariant.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/SizeRanges.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// A variant, and what messages take with it.
struct TimedVariant : PlannedVariant {
  explicit TimedVariant(PlannedVariant variant)
      : PlannedVariant(std::move(variant)) {}

  Times times;
  bool competes = true;

  /// Notes the time for the next size, at which messages take `given` now.
  void note(double time, double given) {
    constexpr double kSlower = 1.03;
    times.push_back(time <= kSlower * given ? time : kInfinity);
  }
};

/// Finds the forests between two variants.
class MediumRanges {
public:
  MediumRanges(const PackingProblem &problem, const Neighbours &given,
               ScheduleLimits limits);

  /// Plans all variants.
  Error plan();
  /// Finds out how long they take.
  Error simulate();
  MediumForests choose() const;

private:
  Expected<double> givenAt(uint64_t bytes);
  Error offerAt(uint64_t bytes, double given);
  uint64_t sizeAt(size_t place) const {
    return place < sizes_.size() ? sizes_[place] : sizes_.back() * 2;
  }

  const PackingProblem &problem_;
  const Neighbours &given_;
  const ScheduleLimits limits_;
  std::vector<Packing> candidates_;
  std::vector<uint64_t> sizes_;
  std::optional<TimedVariant> small_, large_;
  LaneOrder largeOrder_;
  std::vector<TimedVariant> others_; ///< of the candidates
  Times now_;                        ///< of the given variants, the faster one
};

} // namespace

/// Returns the sizes at which forests are compared, ascending: powers of two,
/// and sizes halfway between them, as long as they are soon simulated.
static std::vector<uint64_t> sizesAround(const Neighbours &given) {
  constexpr uint64_t kLeast = 16 << 10, kMost = 4 << 20, kMostHalfway = 1 << 20;
  const uint64_t least =
      given.small ? std::max(given.small->minBytes + 1, given.begin / 4)
                  : std::max(given.begin, kLeast);
  std::vector<uint64_t> sizes;
  for (auto [place, bytes] : llvm::enumerate(comparedSizes()))
    if (bytes >= least && bytes <= kMost &&
        (bytes == given.begin || place % (bytes < kMostHalfway ? 2 : 4) == 0))
      sizes.push_back(bytes);
  return sizes;
}

MediumRanges::MediumRanges(const PackingProblem &problem,
                           const Neighbours &given, ScheduleLimits limits)
    : problem_(problem), given_(given), limits_(limits),
      candidates_(mediumCandidates(given.large, given.others,
                                   leavesMachine(*problem.rankTopology))),
      sizes_(sizesAround(given)) {}

Error MediumRanges::plan() {
  constexpr size_t kMostChannels = 16384;
  Expected<OrderedVariant> large = planVariant(
      problem_, given_.large, {Protocol::simple, given_.end}, limits_);
  if (!large)
    return large.takeError();
  largeOrder_ = large->order;
  large_.emplace(std::move(large->variant));
  if (given_.small)
    small_.emplace(PlannedVariant::create(
        given_.small->program, {given_.small->protocol, given_.begin},
        limits_.chunkBytes));
  for (const Packing &candidate : candidates_) {
    Expected<PlannedVariant> medium = planMedium(problem_, candidate, limits_);
    if (!medium)
      return medium.takeError();
    const FoldProgram &program = medium->program;
    if (program.channels.size() * size_t(program.images()) > kMostChannels)
      break;
    others_.emplace_back(std::move(*medium));
  }
  candidates_.resize(others_.size());
  return Error::success();
}

/// Notes the times of the given variants for messages of `bytes`, and returns
/// the lesser one; infinite if they take long to simulate.
Expected<double> MediumRanges::givenAt(uint64_t bytes) {
  // Where large messages begin, the small variant may be faster, unless it ends
  // there because the model is wrong about it (SmallVariants.cpp).
  const bool isSmall =
      small_ && (bytes < given_.begin ||
                 (bytes == given_.begin && !isRouted(problem_.collective)));
  const bool isLarge = !isSmall || bytes * 2 >= given_.begin;
  if ((isLarge && !large_->isSoonSimulated(bytes)) ||
      (isSmall && !small_->isSoonSimulated(bytes)))
    return kInfinity;
  Expected<double> large = isLarge ? large_->timeAt(bytes) : kInfinity;
  if (!large)
    return large;
  Expected<double> small = isSmall ? small_->timeAt(bytes) : kInfinity;
  if (!small)
    return small;
  const double given = std::min(*small, *large);
  large_->note(*large, given);
  if (small_)
    small_->note(bytes < given_.begin ? *small : kInfinity, given);
  now_.push_back(given);
  return given;
}

/// Notes the times of the candidates for messages of `bytes`, which take
/// `given` now.
Error MediumRanges::offerAt(uint64_t bytes, double given) {
  constexpr double kFarSlower = 1.1;
  for (TimedVariant &other : others_) {
    Expected<double> time = kInfinity;
    if (other.competes && other.isSoonSimulated(bytes))
      time = other.timeAt(bytes);
    if (!time)
      return time.takeError();
    other.note(*time, given);
    // Fewer trees are the slower the longer messages are, if these need no
    // slots.
    other.competes = *time <= kFarSlower * given || bytes < given_.begin ||
                     bytes < 2 * sched::kDirectBytes;
  }
  return Error::success();
}

Error MediumRanges::simulate() {
  const auto competes = [](const TimedVariant &other) {
    return other.competes;
  };
  size_t number = 0;
  for (; number < sizes_.size() && llvm::any_of(others_, competes); ++number) {
    Expected<double> given = givenAt(sizes_[number]);
    if (!given)
      return given.takeError();
    if (*given == kInfinity)
      break;
    if (Error error = offerAt(sizes_[number], *given))
      return error;
  }
  sizes_.resize(number);
  return Error::success();
}

MediumForests MediumRanges::choose() const {
  const Times never(sizes_.size(), kInfinity);
  std::vector<Times> times;
  for (const TimedVariant &other : others_)
    times.push_back(other.times);
  std::vector<MediumForest> forests;
  for (const ChosenRange &range :
       bestRanges(small_ ? small_->times : never, times, large_->times, now_))
    forests.push_back(
        {candidates_[range.which], sizeAt(range.begin), sizeAt(range.end)});
  // Where large messages begin may lie between two sizes.
  if (!forests.empty())
    forests.front().begin = std::min(forests.front().begin, given_.begin);
  return {std::move(forests), largeOrder_};
}

Expected<MediumForests> blink::mediumForests(const PackingProblem &problem,
                                             const Neighbours &given,
                                             ScheduleLimits limits) {
  MediumRanges ranges(problem, given, limits);
  if (Error error = ranges.plan())
    return error;
  if (Error error = ranges.simulate())
    return error;
  return ranges.choose();
}
