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

/// Decides between forests if long messages do not. `slowness` is how many
/// times as long short messages take.
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

/// Returns how many times as long messages of 256 KiB to 16 MiB take, on
/// average; infinity if one of them takes far longer.
double slownessWhenShort(const ShortTimes &times, const ShortTimes &others) {
  constexpr double kFarLonger = 1.15;
  double product = 1;
  for (auto [time, other] : llvm::zip_equal(times, others)) {
    if (time > kFarLonger * other)
      return kInfinity;
    product *= time / other;
  }
  return std::pow(product, 1.0 / double(kShortSizes.size()));
}

/// Returns approximately the largest part between 1/2 and 1 that does not pass,
/// given that all larger parts pass; 0 if all pass.
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

} // namespace

llvm::Expected<bool> blink::isBetter(TimedForest &forest, TimedForest &other,
                                     double slower) {
  if (const auto decided = decidedByLong(forest, other, slower))
    return *decided;
  llvm::Expected<ShortTimes> times = forest.shortTimes();
  if (!times)
    return times.takeError();
  llvm::Expected<ShortTimes> others = other.shortTimes();
  if (!others)
    return others.takeError();
  return decidedByShort(forest, other, slower,
                        slownessWhenShort(*times, *others));
}

double blink::leastBetterPart(TimedForest &forest, const TimedForest &other,
                              double slower) {
  std::optional<double> slowness;
  if (forest.knownShortTimes() && other.knownShortTimes())
    slowness =
        slownessWhenShort(*forest.knownShortTimes(), *other.knownShortTimes());
  const double least = lastThatFails([&](double part) {
    forest.keep(part);
    if (const auto decided = decidedByLong(forest, other, slower))
      return *decided;
    return !slowness || decidedByShort(forest, other, slower, *slowness);
  });
  forest.keep(1);
  return least;
}
