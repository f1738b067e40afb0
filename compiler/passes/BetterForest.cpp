//===- BetterForest.cpp - the better of two forests -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/BetterForest.h"

#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>
#include <optional>

using namespace blink;

namespace {

constexpr double kNoticeably = 1.03, kFaster = 0.99;

double timesLonger(const TimedForest &forest, const TimedForest &other) {
  return forest.timeOfLong() / other.timeOfLong();
}

/// Returns true if `forest` keeps its rate and `other` does not, or has a
/// noticeably lower rate.
bool isHigher(const TimedForest &forest, const TimedForest &other) {
  return forest.part() >= kKept &&
         (other.part() < kKept || forest.rate() > kNoticeably * other.rate());
}

/// Returns true if `forest` may be better for long messages. A forest of a
/// higher rate must not take noticeably longer; one of a lower rate must be
/// noticeably faster. Otherwise it must be faster, or at least as fast if it
/// keeps its rate.
bool mayBeBetter(const TimedForest &forest, const TimedForest &other) {
  const double longer = timesLonger(forest, other);
  if (isHigher(forest, other))
    return longer < kNoticeably;
  if (isHigher(other, forest))
    return longer < 1 / kNoticeably;
  return longer < (forest.part() >= kKept ? 1 / kFaster : kFaster);
}

/// Returns the decision of long messages, if they decide.
std::optional<bool> decidedByLong(const TimedForest &forest,
                                  const TimedForest &other, double slower) {
  if (mayBeBetter(forest, other)) {
    if (slower == kInfinity && isHigher(forest, other))
      return true;
    return std::nullopt;
  }
  // A forest that does not take noticeably longer could win by short messages.
  if (forest.part() > 0 && timesLonger(forest, other) < kNoticeably)
    return std::nullopt;
  return false;
}

/// Returns the factor below which `forest` is better if long messages do not
/// decide: its short messages must take less than this many times as long.
double mostSlowness(const TimedForest &forest, const TimedForest &other,
                    double slower) {
  constexpr double kFasterWhenShort = 0.98, kFarFaster = 0.9;
  if (!mayBeBetter(forest, other))
    return kFarFaster;
  if (isHigher(forest, other))
    return slower;
  const bool ties =
      forest.rate() <= other.rate() && timesLonger(forest, other) >= kFaster;
  return ties ? kFasterWhenShort : kLittleSlower;
}

/// Returns how many times as long messages of 256 KiB to 16 MiB take, on
/// average; infinity if one of them takes far longer, or if the average is at
/// least `most`, which can be certain before all sizes are simulated.
llvm::Expected<double> slownessWhenShort(TimedForest &forest,
                                         TimedForest &other,
                                         double most = kInfinity) {
  constexpr double kFarLonger = 1.15;
  constexpr size_t kSizes = kShortSizes.size();
  // Returns the least that the factor for one size can be; 0 if the time of
  // `other` for this size is not known yet.
  auto leastOf = [&](size_t which) {
    const std::optional<double> others = other.knownShortTime(which);
    return others ? forest.leastShortTime(which) / *others : 0;
  };
  double product = 1;
  for (size_t which = 0; which < kSizes; ++which) {
    llvm::Expected<double> others = other.shortTime(which);
    if (!others)
      return others;
    double least = product;
    for (size_t left = which; left < kSizes; ++left)
      least *= leastOf(left);
    if (least >= std::pow(most, kSizes))
      return kInfinity;
    llvm::Expected<double> time = forest.shortTime(which);
    if (!time)
      return time;
    if (*time > kFarLonger * *others)
      return kInfinity;
    product *= *time / *others;
  }
  return std::pow(product, 1.0 / double(kSizes));
}

/// Returns approximately the largest part between 1/2 and 1 that does not pass,
/// given that all larger parts pass; 0 if all pass.
double lastThatFails(llvm::function_ref<bool(double)> passes) {
  constexpr double kStep = 1.0 / 8192;
  double fails = 0.5, next = 1;
  if (passes(fails))
    return 0;
  while (next - fails > kStep) {
    const double middle = (fails + next) / 2;
    (passes(middle) ? next : fails) = middle;
  }
  return fails;
}

/// Returns approximately the largest part of its rate that `forest` may keep
/// without being better than `other`, if its short messages take `slowness`
/// times as long; 0 if it is better whatever it keeps. Afterwards `forest`
/// keeps the same part as before.
double leastBetterPart(TimedForest &forest, const TimedForest &other,
                       double slower, double slowness) {
  const double part = forest.part();
  const double least = lastThatFails([&](double now) {
    forest.keep(now);
    const auto decided = decidedByLong(forest, other, slower);
    return decided ? *decided : slowness < mostSlowness(forest, other, slower);
  });
  forest.keep(part);
  return least;
}

} // namespace

llvm::Expected<bool> blink::isBetter(TimedForest &forest, TimedForest &other,
                                     double slower) {
  if (const auto decided = decidedByLong(forest, other, slower))
    return *decided;
  const double most = mostSlowness(forest, other, slower);
  llvm::Expected<double> slowness = slownessWhenShort(forest, other, most);
  if (!slowness)
    return slowness.takeError();
  return *slowness < most;
}

llvm::Expected<bool> blink::isBetterSimulated(TimedForest &forest,
                                              TimedForest &other,
                                              double slower) {
  llvm::Expected<bool> better = isBetter(forest, other, slower);
  if (!better || !*better) {
    forest.keep(0);
    return better;
  }
  // If long messages decided, short ones are simulated only if long ones no
  // longer decide once the kept part is known. Until then, `forest` counts as
  // not better if short messages would have to decide.
  bool asked = !decidedByLong(forest, other, slower);
  while (true) {
    double slowness = kInfinity;
    if (asked) {
      llvm::Expected<double> now = slownessWhenShort(forest, other);
      if (!now)
        return now.takeError();
      slowness = *now;
    }
    const double least = leastBetterPart(forest, other, slower, slowness);
    if (forest.part() >= least)
      if (llvm::Error error = forest.simulate(least))
        return error;
    if (const auto decided = decidedByLong(forest, other, slower))
      return *decided;
    if (asked)
      return slowness < mostSlowness(forest, other, slower);
    asked = true;
  }
}
