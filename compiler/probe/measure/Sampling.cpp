//===- Sampling.cpp - rates of copies, by rounds --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Sampling.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace blink;

static constexpr double kRoundSeconds = 0.02;
static constexpr int kTrialBlocks = 2, kFewestBlocks = 4, kMostBlocks = 64;
static constexpr int kTries = 3;

/// Returns the number of blocks that had arrived after `seconds`, the last one
/// in part.
static double blocksBy(double seconds, llvm::ArrayRef<double> ends) {
  auto next = llvm::upper_bound(ends, seconds);
  double whole = static_cast<double>(next - ends.begin());
  if (next == ends.end())
    return whole;
  double begin = next == ends.begin() ? 0 : *std::prev(next);
  return whole + (seconds - begin) / (*next - begin);
}

std::vector<double>
blink::ratesTogether(llvm::ArrayRef<std::vector<double>> ends,
                     size_t blockBytes) {
  double window = ends.front().back();
  for (const std::vector<double> &of : ends)
    window = std::min(window, of.back());
  std::vector<double> rates;
  for (const std::vector<double> &of : ends)
    rates.push_back(blocksBy(window, of) * static_cast<double>(blockBytes) /
                    window / 1e9);
  return rates;
}

static double medianOf(std::vector<double> values) {
  auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static double sumOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Returns the spread of the sums of all rounds but the fastest and the
/// slowest.
static double spreadOf(llvm::ArrayRef<std::vector<double>> rounds) {
  std::vector<double> sums;
  for (const std::vector<double> &rates : rounds)
    sums.push_back(sumOf(rates));
  llvm::sort(sums);
  return (sums[sums.size() - 2] - sums[1]) / medianOf(sums);
}

llvm::Expected<RunRates> blink::measureRun(Copier &copier,
                                           const Topology &topology,
                                           const MeasurePlan &plan,
                                           const Run &run) {
  std::vector<CopyWork> works;
  for (int route : run.routes)
    works.push_back(
        {plan.routes[route].from, plan.routes[route].to, kTrialBlocks});
  const double blockBytes = static_cast<double>(copier.blockBytes());
  RunRates result;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<std::vector<double>> rounds;
    for (int round = -1; round < kMeasuredRounds; ++round) {
      auto ends = copier.copy(works);
      if (!ends)
        return ends.takeError();
      std::vector<double> rates = ratesTogether(*ends, copier.blockBytes());
      if (round >= 0) {
        rounds.push_back(std::move(rates));
        continue;
      }
      for (auto [work, rate] : llvm::zip_equal(works, rates))
        work.blocks = static_cast<int>(
            std::clamp(std::round(kRoundSeconds * rate * 1e9 / blockBytes),
                       double(kFewestBlocks), double(kMostBlocks)));
    }
    result.rates.clear();
    for (size_t i = 0; i < works.size(); ++i) {
      std::vector<double> ofRoute;
      for (const std::vector<double> &rates : rounds)
        ofRoute.push_back(rates[i]);
      result.rates.push_back(medianOf(std::move(ofRoute)));
    }
    result.spread = spreadOf(rounds);
    if (result.spread <= kMostSpread)
      return result;
  }
  std::string what = toString(topology, plan.routes[run.routes.front()]);
  if (run.routes.size() > 1)
    what += " and " + std::to_string(run.routes.size() - 1) + " others at once";
  return busyMachine(
      llvm::formatv("rates of {0} differ by {1:F0} % from round to round", what,
                    100 * result.spread));
}
