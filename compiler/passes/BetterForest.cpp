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

/// Whether the rate of `forest` is kept, and that of `other` is not, or is
/// noticeably lower.
bool isHigher(const TimedForest &forest, const TimedForest &other) {
  return forest.part() >= kKept &&
         (other.part() < kKept || forest.rate() > kNoticeably * other.rate());
}

/// Of two, for long messages, that of a higher rate, unless they take
/// noticeably longer; of two such the faster one; of equally fast ones either.
bool mayBeBetter(const TimedForest &forest, const TimedForest &other) {
  const double longer = timesLonger(forest, other);
  if (isHigher(forest, other))
    return longer < kNoticeably;
  if (isHigher(other, forest))
    return longer < 1 / kNoticeably;
  return longer < (forest.part() >= kKept ? 1 / kFaster : kFaster);
}

/// What long messages decide, if they do.
std::optional<bool> decidedByLong(const TimedForest &forest,
                                  const TimedForest &other, double slower) {
  if (mayBeBetter(forest, other)) {
    if (slower == kInfinity && isHigher(forest, other))
      return true;
    return std::nullopt;
  }
  // One that takes them no longer could win by short ones.
  if (forest.part() > 0 && timesLonger(forest, other) < kNoticeably)
    return std::nullopt;
  return false;
}

/// Of forests between which long messages do not decide. `slowness`: how many
/// times as long short ones take.
bool decidedByShort(const TimedForest &forest, const TimedForest &other,
                    double slower, double slowness) {
  constexpr double kFasterWhenShort = 0.98, kFarFaster = 0.9;
  if (!mayBeBetter(forest, other))
    return slowness < kFarFaster;
  if (isHigher(forest, other))
    return slowness < slower;
  const bool ties =
      forest.rate() <= other.rate() && timesLonger(forest, other) >= kFaster;
  return slowness < (ties ? kFasterWhenShort : kLittleSlower);
}

/// How many times as long messages of 256 KiB to 16 MiB take, on average;
/// infinitely, if one of them takes far longer.
llvm::Expected<double> slownessWhenShort(TimedForest &forest,
                                         TimedForest &other) {
  constexpr double kFarLonger = 1.15;
  double product = 1;
  for (size_t which = 0; which < kShortSizes.size(); ++which) {
    llvm::Expected<double> time = forest.shortTime(which);
    if (!time)
      return time;
    llvm::Expected<double> others = other.shortTime(which);
    if (!others)
      return others;
    if (*time > kFarLonger * *others)
      return kInfinity;
    product *= *time / *others;
  }
  return std::pow(product, 1.0 / double(kShortSizes.size()));
}

/// Up to where, about, a part from 1/2 to 1 does not pass, if all do from
/// somewhere on; 0: all do.
double lastThatFails(llvm::function_ref<bool(double)> passes) {
  constexpr double kStep = 1.0 / 512;
  double fails = 0.5, next = 1;
  if (passes(fails))
    return 0;
  while (next - fails > kStep) {
    const double middle = (fails + next) / 2;
    (passes(middle) ? next : fails) = middle;
  }
  return fails;
}

/// Up to where, about, `forest` is not better than `other` if it keeps no more
/// of its rate; 0: it is, whatever it keeps.
double leastBetterPart(TimedForest &forest, const TimedForest &other,
                       double slower, double slowness) {
  const double part = forest.part();
  const double least = lastThatFails([&](double now) {
    forest.keep(now);
    const auto decided = decidedByLong(forest, other, slower);
    return decided ? *decided : decidedByShort(forest, other, slower, slowness);
  });
  forest.keep(part);
  return least;
}

} // namespace

llvm::Expected<bool> blink::isBetter(TimedForest &forest, TimedForest &other,
                                     double slower) {
  if (const auto decided = decidedByLong(forest, other, slower))
    return *decided;
  llvm::Expected<double> slowness = slownessWhenShort(forest, other);
  if (!slowness)
    return slowness.takeError();
  return decidedByShort(forest, other, slower, *slowness);
}

llvm::Expected<bool> blink::isBetterSimulated(TimedForest &forest,
                                              TimedForest &other,
                                              double slower) {
  llvm::Expected<bool> better = isBetter(forest, other, slower);
  if (!better || !*better) {
    forest.keep(0);
    return better;
  }
  // Where long messages decided, short ones are asked only if these do not any
  // more. Until then what they would have to decide counts as lost.
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
      return decidedByShort(forest, other, slower, slowness);
    asked = true;
  }
}
