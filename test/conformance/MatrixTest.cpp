//===- MatrixTest.cpp - every combination is right ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The whole matrix runs with BLINK_CONFORMANCE=whole; docs/contributing.md says
// how, and how long it takes.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Matrix.h"
#include "test/conformance/Elements.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace blink;
using namespace blink::test;

namespace {

/// Runs the combinations, which all have `ranks` ranks, and calls
/// done(combination) after each.
template <typename Done>
void runAllOf(const std::vector<Combination> &combinations, int ranks,
              uint64_t limit, const Done &done) {
  Job job(matrixSchedule(ranks), ranks);
  uint64_t most = 0;
  for (const Combination &combination : combinations)
    most = std::max(most, fitted(combination, limit).bytes());
  constexpr uint64_t kMargins = 1024; // covers the margins of a rank's buffers
  KeptMemory memory(most + uint64_t(ranks) * kMargins, ranks);
  for (const Combination &combination : combinations) {
    Case c = fitted(combination, limit).asCase(matrixRoot(ranks));
    // Ranks that share a single GPU must call in one group.
    c.threads = !kOnCuda && combination.count % 2 == 0;
    std::string wrong = runCase(job, c, &memory);
    memory.reuse();
    if (!wrong.empty())
      FAIL_CHECK(ranks << " ranks: " << wrong);
    done(combination);
  }
}

std::vector<Combination> ofRanks(const std::vector<Combination> &list,
                                 int ranks) {
  std::vector<Combination> some;
  for (const Combination &c : list)
    if (c.ranks == ranks)
      some.push_back(c);
  return some;
}

/// Prints the progress twice a minute, and how many combinations did not fit.
class Progress {
public:
  Progress(const std::vector<Combination> &list, int ranks, uint64_t limit)
      : ranks_(ranks), limit_(limit), number_(list.size()) {
    for (const Combination &c : list)
      work_ += workOf(c);
  }

  void note(const Combination &c) {
    ++done_;
    doneWork_ += workOf(c);
    reduced_ += fitted(c, limit_).count != c.count;
    const double now = seconds();
    if (now - said_ < 30 && done_ != number_)
      return;
    said_ = now;
    std::fprintf(stderr,
                 "conformance: %d ranks: %zu of %zu combinations in %.1f min, "
                 "about %.0f min left; %zu of fewer elements, for buffers of "
                 "at most %llu MiB\n",
                 ranks_, done_, number_, now / 60,
                 now / 60 * (work_ - doneWork_) / doneWork_, reduced_,
                 static_cast<unsigned long long>(limit_ >> 20));
  }

private:
  /// The approximate work in bytes, including a fixed cost per call.
  double workOf(const Combination &c) const {
    return double(fitted(c, limit_).bytes()) + 2e6;
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin_)
        .count();
  }

  const int ranks_;
  const uint64_t limit_;
  const size_t number_;
  size_t done_ = 0, reduced_ = 0;
  double work_ = 0, doneWork_ = 0, said_ = 0;
  const std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

void runWhole(int ranks) {
  if (!isWhole())
    return;
  const uint64_t limit = memoryLimit();
  const std::vector<Combination> list = ofRanks(wholeMatrix(), ranks);
  Progress progress(list, ranks, limit);
  runAllOf(list, ranks, limit, [&](const Combination &c) { progress.note(c); });
}

} // namespace

TEST_CASE("a sample in which every two values meet") {
  // In the sample, large buffers have fewer elements; the whole matrix has them
  // all.
  constexpr uint64_t kLimit = 4 << 20;
  const std::vector<Combination> sample = pairwiseSample();
  CHECK(sample.size() >= kNumTypes * 8); // every type with every collective
  CHECK(sample.size() < 200);
  for (int ranks : kRankCounts)
    runAllOf(ofRanks(sample, ranks), ranks, kLimit, [](const Combination &) {});
}

TEST_CASE("64 Mi elements") {
  // AddressSanitizer checks the host back end but not the memory of emulated
  // devices.
  if ((kSlow || (kSanitized && kOnCuda)) && !isWhole())
    return;
  Combination c{Collective::allreduce, blinkUint8, blinkMax, 64 << 20,
                Placement::inPlace,    2};
  CHECK(c.bytes() == (kOnCuda ? 256 << 20 : 128 << 20));
  Job job(matrixSchedule(2), 2);
  CHECK(runCase(job, c.asCase(matrixRoot(2))) == "");
}

TEST_CASE("the whole matrix has every combination once") {
  // 3 collectives reduce: all types have 5 operators, and 6 types have 3 more.
  // Each has 3 placements. Alltoall has only 2: it cannot be in place.
  const size_t reductions = 3 * (kNumTypes * 5 + 6 * 3) * 3;
  const size_t others = kNumTypes * (4 * 3 + 1 * 2);
  CHECK(wholeMatrix().size() == 7 * 5 * (reductions + others));
}

TEST_CASE("the whole matrix of 2 ranks") { runWhole(2); }
TEST_CASE("the whole matrix of 3 ranks") { runWhole(3); }
TEST_CASE("the whole matrix of 5 ranks") { runWhole(5); }
TEST_CASE("the whole matrix of 8 ranks") { runWhole(8); }
TEST_CASE("the whole matrix of 16 ranks") { runWhole(16); }
