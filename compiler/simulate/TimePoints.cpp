//===- TimePoints.cpp - estimated times, in points ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Estimates bend where chunks grow, where another lane becomes the busiest, and
// jump where calls begin to go without slots. So each line extends as far as it
// is accurate.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/TimePoints.h"

#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/simulate/Simulate.h"
#include "schedules/Collectives.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace blink;

namespace {

constexpr uint64_t kFirst = 1 << 10, kLast = uint64_t(64) << 30;

/// The most rounds that are simulated: several show better how they overlap.
constexpr uint64_t kMostRounds = 4;
/// The most folds of several rounds.
constexpr double kFewFolds = 4096;
/// The most FairShares::work() of all simulations of a variant: half a second.
constexpr uint64_t kMostWork = uint64_t(1) << 23;

class Estimates {
public:
  Estimates(const FoldProgram &program, sched::Protocol protocol,
            sched::ChunkSizes chunks, SizeRange range)
      : program_(program), protocol_(protocol), chunks_(chunks),
        model_(timeOf(program, protocol, chunks)) {
    correct(range);
  }

  double at(uint64_t bytes) const;

private:
  /// What a simulation says of the model.
  struct Correction {
    uint64_t bytes;
    double factor; ///< estimate over model
    double added;  ///< estimate less model, microseconds
  };

  void correct(SizeRange range);
  double roundsOf(uint64_t bytes) const;
  bool hasFullChunks(uint64_t bytes) const;
  std::optional<double> simulated(uint64_t bytes);

  const FoldProgram &program_;
  const sched::Protocol protocol_;
  const sched::ChunkSizes chunks_;
  const MessageTime model_;
  uint64_t work_ = 0;                   ///< of the simulations so far
  std::vector<Correction> corrections_; ///< ascending
};

} // namespace

double Estimates::roundsOf(uint64_t bytes) const {
  const double largest = double(bytes) * largestShare(program_);
  return std::max(1.0, std::ceil(largest / double(sched::chunkBytesOfCall(
                                               chunks_, uint64_t(largest)))));
}

/// Returns true if later rounds alone make larger messages longer.
bool Estimates::hasFullChunks(uint64_t bytes) const {
  constexpr double kNearlyFull = 0.9;
  const double rounds = roundsOf(bytes);
  return bytes >= sched::kDirectBytes && rounds >= double(kMostRounds) &&
         double(bytes) * largestShare(program_) >=
             kNearlyFull * rounds * chunks_.bytes;
}

/// Returns std::nullopt if simulating takes too long or lanes wait in a circle.
std::optional<double> Estimates::simulated(uint64_t bytes) {
  const double rounds = roundsOf(bytes);
  const double folds =
      simulatedFolds(program_, chunks_, bytes, protocol_) / rounds;
  if (folds > kSoonSimulated || work_ >= kMostWork)
    return std::nullopt;
  const double most =
      std::clamp(std::floor(kFewFolds / folds), 1.0, double(kMostRounds));
  const double first = std::min(rounds, most);
  SimulationOptions options;
  options.mostRounds = uint64_t(first);
  options.mostWork = kMostWork - work_;
  modelCosts().addTo(options, program_, protocol_, bytes);
  llvm::Expected<Simulation> simulation =
      simulate(program_, protocol_, chunks_, bytes, options);
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return std::nullopt;
  }
  work_ += simulation->work;
  return simulation->microseconds +
         (rounds - first) * model_.roundAt(bytes, rounds) +
         incastTime(program_, chunks_, bytes);
}

void Estimates::correct(SizeRange range) {
  if (isPairwise(program_.collective)) // messages do not travel together
    return;
  constexpr uint64_t kSmallest = 64;
  constexpr size_t kCheapFolds = 512;
  const uint64_t step = program_.numFolds() <= kCheapFolds ? 2 : 4;
  std::vector<uint64_t> sizes;
  if (range.min > 0)
    sizes.push_back(range.min);
  for (uint64_t bytes = kSmallest; bytes < kLast; bytes *= step) {
    if (bytes == sched::kDirectBytes)
      sizes.push_back(bytes - 1);
    sizes.push_back(bytes);
  }
  for (uint64_t bytes : sizes) {
    if (bytes < range.min || bytes >= range.max ||
        (!corrections_.empty() && bytes <= corrections_.back().bytes))
      continue;
    std::optional<double> time = simulated(bytes);
    if (!time)
      return;
    const double model = model_.at(bytes);
    corrections_.push_back({bytes, *time / model, *time - model});
    if (hasFullChunks(bytes))
      return;
  }
}

double Estimates::at(uint64_t bytes) const {
  const double model = model_.at(bytes);
  if (corrections_.empty())
    return model;
  auto above = llvm::find_if(
      corrections_, [&](const Correction &of) { return of.bytes > bytes; });
  if (above == corrections_.begin())
    return model * above->factor;
  const Correction &below = above[-1];
  if (above == corrections_.end())
    return std::max(model + below.added, 0.0);
  const double part = std::log(double(bytes) / double(below.bytes)) /
                      std::log(double(above->bytes) / double(below.bytes));
  return model * (below.factor + (above->factor - below.factor) * part);
}

/// Returns the sizes that may be points, ascending.
static std::vector<uint64_t> possibleSizes() {
  std::vector<uint64_t> sizes = {0};
  for (uint64_t power = kFirst; power < kLast; power *= 2)
    for (uint64_t eighth = 8; eighth < 16; ++eighth) {
      if (power * eighth / 8 == sched::kDirectBytes)
        sizes.push_back(sched::kDirectBytes - 1);
      sizes.push_back(power * eighth / 8);
    }
  sizes.push_back(kLast);
  return sizes;
}

/// Returns true if all points lie near the line from the first one to the last
/// one.
static bool isStraight(llvm::ArrayRef<sched::TimePoint> points) {
  constexpr double kNear = 0.01;
  const sched::TimePoint &from = points.front(), &to = points.back();
  const double slope = (to.microseconds() - from.microseconds()) /
                       double(to.bytes() - from.bytes());
  for (const sched::TimePoint &point : points.drop_front().drop_back()) {
    const double line =
        from.microseconds() + slope * double(point.bytes() - from.bytes());
    if (std::abs(line - point.microseconds()) > kNear * point.microseconds())
      return false;
  }
  return true;
}

std::vector<sched::TimePoint> blink::timePoints(const FoldProgram &program,
                                                sched::Protocol protocol,
                                                sched::ChunkSizes chunks,
                                                SizeRange range) {
  // Points have float precision: estimates are no more accurate, and sums that
  // are added in another order, as in the program's other form (FoldProgram.h),
  // differ in the last digits of a double.
  const Estimates estimates(program, protocol, chunks, range);
  std::vector<sched::TimePoint> all;
  for (uint64_t bytes : possibleSizes())
    all.emplace_back(bytes, double(float(estimates.at(bytes))));
  std::vector<sched::TimePoint> points = {all.front()};
  llvm::ArrayRef<sched::TimePoint> rest = all; // from the last point on
  while (rest.size() > 1) {
    size_t count = 2;
    while (count < rest.size() && isStraight(rest.take_front(count + 1)))
      ++count;
    points.push_back(rest[count - 1]);
    rest = rest.drop_front(count - 1);
  }
  return points;
}
