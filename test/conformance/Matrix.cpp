//===- Matrix.cpp - all combinations, and a sample of them ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Matrix.h"

#include "test/conformance/Elements.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>

namespace blink::test {
namespace {

constexpr size_t kCounts[] = {0,       1, 3, 17, (4 << 10) + 1, (1 << 20) + 3,
                              64 << 20};

/// A combination, as the index of its value in each dimension.
using Values = std::array<int, 6>;
constexpr int kOperator = 2, kCount = 3, kNumDimensions = 6;
constexpr Values kSizes = {8,
                           int(kNumTypes),
                           int(kNumOps),
                           int(std::size(kCounts)),
                           3,
                           int(std::size(kRankCounts))};

Combination combine(const Values &values) {
  return {sched::kJointCollectives[values[0]],
          kTypes[values[1]],
          kOps[values[2]],
          kCounts[values[3]],
          Placement(values[4]),
          kRankCounts[values[5]]};
}

bool exists(const Values &values) {
  const Combination c = combine(values);
  return (c.reduces() ? hasReduction(c.type, c.op) : c.op == blinkSum) &&
         (c.collective != Collective::alltoall ||
          c.placement != Placement::inPlace);
}

/// A pair of values from different dimensions.
struct Pair {
  int dimension, value, otherDimension, otherValue;

  bool operator<(const Pair &other) const {
    return std::tie(dimension, value, otherDimension, otherValue) <
           std::tie(other.dimension, other.value, other.otherDimension,
                    other.otherValue);
  }
};

/// Returns the pairs that the combination tests. An operator counts only if
/// something is reduced. A combination of few elements counts only for pairs
/// with its number of elements: it shows little else.
std::vector<Pair> pairsOf(const Values &values) {
  std::vector<Pair> pairs;
  const bool reduces = combine(values).reduces();
  const bool many = combine(values).count >= 17;
  for (int d = 0; d < kNumDimensions; ++d)
    for (int e = d + 1; e < kNumDimensions; ++e)
      if ((reduces || (d != kOperator && e != kOperator)) &&
          (many || d == kCount || e == kCount))
        pairs.push_back({d, values[d], e, values[e]});
  return pairs;
}

/// Visits every combination, with the ranks outermost.
template <typename Visit> void forAll(const Visit &visit) {
  size_t number = 1;
  for (int size : kSizes)
    number *= size_t(size);
  for (size_t i = 0; i < number; ++i) {
    Values values;
    size_t left = i;
    // The counts vary fastest, so that progress is even.
    for (int d : {3, 4, 2, 1, 0, 5}) {
      values[d] = int(left % size_t(kSizes[d]));
      left /= size_t(kSizes[d]);
    }
    if (exists(values))
      visit(values);
  }
}

/// Returns a random combination that tests the pair.
Values randomWith(const Pair &pair, std::mt19937 &random) {
  for (;;) {
    Values values;
    for (int d = 0; d < kNumDimensions; ++d)
      values[d] = int(random() % unsigned(kSizes[d]));
    values[pair.dimension] = pair.value;
    values[pair.otherDimension] = pair.otherValue;
    if (!combine(values).reduces() && pair.dimension != kOperator &&
        pair.otherDimension != kOperator)
      values[kOperator] = 0;
    if (!exists(values))
      continue;
    for (const Pair &tested : pairsOf(values))
      if (!(tested < pair) && !(pair < tested))
        return values;
  }
}

} // namespace

bool isWhole() {
  const char *mode = std::getenv("BLINK_CONFORMANCE");
  const std::string text = mode ? mode : "";
  INFO("BLINK_CONFORMANCE is '", text, "'; expected 'whole', or nothing");
  REQUIRE((text.empty() || text == "whole"));
  return !text.empty();
}

bool Combination::reduces() const { return test::reduces(collective); }

Case Combination::asCase(int root) const {
  Case c;
  c.collective = collective;
  c.type = type;
  c.op = op;
  c.count = count;
  c.root = root;
  c.inPlace = placement == Placement::inPlace;
  c.misaligned = placement == Placement::misaligned;
  return c;
}

uint64_t Combination::bytes() const {
  const uint64_t in = sched::inputBlocks(collective, uint32_t(ranks));
  const uint64_t out = sched::outputBlocks(collective, uint32_t(ranks));
  const uint64_t blocks =
      placement == Placement::inPlace ? std::max(in, out) : in + out;
  return uint64_t(count) * uint64_t(bytesOf(type)) * blocks * uint64_t(ranks) *
         (kOnCuda ? 2 : 1);
}

std::vector<Combination> wholeMatrix() {
  std::vector<Combination> all;
  forAll([&](const Values &values) { all.push_back(combine(values)); });
  return all;
}

std::vector<Combination> pairwiseSample() {
  std::set<Pair> left;
  forAll([&](const Values &values) {
    for (const Pair &pair : pairsOf(values))
      left.insert(pair);
  });
  std::mt19937 random(1);
  std::vector<Combination> sample;
  while (!left.empty()) {
    Values best{};
    size_t most = 0;
    for (int candidate = 0; candidate < 50; ++candidate) {
      const Values values = randomWith(*left.begin(), random);
      size_t covers = 0;
      for (const Pair &pair : pairsOf(values))
        covers += left.count(pair);
      if (covers > most) {
        most = covers;
        best = values;
      }
    }
    for (const Pair &pair : pairsOf(best))
      left.erase(pair);
    sample.push_back(combine(best));
  }
  std::stable_sort(sample.begin(), sample.end(),
                   [](const Combination &a, const Combination &b) {
                     return a.ranks < b.ranks;
                   });
  return sample;
}

int matrixRoot(int ranks) { return ranks / 2; }

TestSchedule matrixSchedule(int ranks) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.lanes = std::min(3, mostLanes(ranks));
  layout.chunkBytes = 64 << 10;
  layout.skewed = ranks % 2;
  layout.seed = uint32_t(ranks);
  return allCollectives(ranks, matrixRoot(ranks), layout);
}

Combination fitted(Combination combination, uint64_t limit) {
  while (combination.bytes() > limit && combination.count > 1)
    combination.count = combination.count / 2 | 1; // odd sizes are harder
  return combination;
}

uint64_t memoryLimit() {
  uint64_t free = 0;
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (uint64_t value; file >> key >> value && std::getline(file, unit);)
    if (key == "MemAvailable:")
      free = value << 10;
  REQUIRE(free != 0);
#if BLINK_TEST_CUDA
  // Ranks are dealt out to the GPUs. Half of a job's bytes are on GPUs, the
  // other half on the host.
  size_t freeThere = 0, total = 0;
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  REQUIRE(cudaMemGetInfo(&freeThere, &total) == cudaSuccess);
  free = std::min<uint64_t>(free, 2 * freeThere);
#endif
  return free / 2;
}

} // namespace blink::test
