//===- BundlesTest.cpp - one file for many allocations --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Bundles whose node maps permute all GPUs, on jobs that have their GPUs in any
// order.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kGpus = 6;
#if BLINK_TEST_CUDA
constexpr int kMostRanks = 4, kJobs = 8; // an emulated lane is several threads
#else
constexpr int kMostRanks = kGpus, kJobs = kSanitized ? 8 : 32;
#endif

BundleOptions optionsOf(uint32_t seed) {
  BundleOptions options;
  options.numGpus = kGpus;
  options.collectives = collectives();
  options.allocations = allAllocations(kGpus);
  options.alike = seed % 2 == 0;
  options.layout.shape = seed % 3 == 0 ? Shape::chain : Shape::random;
  options.layout.treesPerBlock = 1 + int(seed % 3);
  options.layout.lanes = std::min(3, mostLanes(kMostRanks));
  options.layout.slots = uint16_t(1 + seed % 2);
  options.layout.chunkBytes = 512;
  options.layout.splitRoot = seed % 2;
  options.layout.seed = seed;
  return options;
}

/// Returns random GPUs in random order, as the ranks of a job.
std::vector<int> randomJob(std::mt19937 &random, size_t numRanks) {
  std::vector<int> gpus(kGpus);
  for (int gpu = 0; gpu < kGpus; ++gpu)
    gpus[size_t(gpu)] = gpu;
  for (size_t i = gpus.size(); i > 1; --i)
    std::swap(gpus[i - 1], gpus[random() % i]);
  gpus.resize(numRanks);
  return gpus;
}

/// Runs an allreduce of numbers whose sum depends on the order, and returns
/// each rank's result. Rank r contributes the numbers of contributions[r].
std::vector<std::vector<float>> sums(const Job &job, size_t count,
                                     const Numbers &contributions) {
  std::vector<std::unique_ptr<Floats>> send, recv;
  for (uint16_t number : contributions) {
    send.push_back(std::make_unique<Floats>(count));
    recv.push_back(std::make_unique<Floats>(count));
    std::mt19937 random(number);
    for (float &value : send.back()->host)
      value = std::ldexp(float(random() % 100003) - 50000.5f,
                         int(random() % 40) - 20);
    send.back()->upload();
  }
  REQUIRE(job.inGroup([&](int rank) {
    return blinkAllReduce(send[size_t(rank)]->memory,
                          recv[size_t(rank)]->memory, count, blinkFloat32,
                          blinkSum, job[rank], job.stream(rank));
  }) == blinkSuccess);
  std::vector<std::vector<float>> results;
  for (const auto &buffer : recv) {
    buffer->download();
    results.push_back(buffer->host);
  }
  return results;
}

} // namespace

TEST_CASE("every collective, for allocations and orders of ranks at random") {
  std::mt19937 random(11);
  unsigned number = 0;
  for (int round = 0; round < kJobs; ++round) {
    const uint32_t seed = uint32_t(round % 4);
    static std::vector<uint8_t> bundles[4];
    if (bundles[seed].empty())
      bundles[seed] = seal(makeBundle(optionsOf(seed)));
    const size_t numRanks = 1 + random() % kMostRanks;
    const std::vector<int> gpus = randomJob(random, numRanks);
    Job job(bundles[seed], int(numRanks), 0, gpus.data());
    for (Collective collective : collectives())
      for (size_t count : {size_t(3), size_t(40 + random() % 100),
                           size_t(700 + random() % 900)})
        for (size_t root = 0; root < numRanks; ++root) {
          if (root != 0 && !sched::isRooted(collective))
            continue;
          Case c;
          c.collective = collective;
          c.count = count;
          c.root = int(root);
          c.type = kTypes[number % kNumTypes];
          c.op = kOps[number / kNumTypes % 5];
          c.inPlace = number % 2 && sched::hasInPlace(collective);
          c.misaligned = number % 3 == 0;
          c.threads = number % 7 == 0;
          ++number;
          std::string wrong = runCase(job, c);
          if (!wrong.empty())
            FAIL_CHECK("bundle " << seed << ", " << numRanks
                                 << " ranks: " << wrong);
        }
  }
}

TEST_CASE("large messages over bundles") {
  BundleOptions options = optionsOf(2);
  options.layout.chunkBytes = 16 << 10;
  const std::vector<uint8_t> bytes = seal(makeBundle(options));
  std::mt19937 random(3);
  for (int round = kSlow ? 1 : 0; round < 3; ++round) {
    const std::vector<int> gpus = randomJob(random, 4);
    Job job(bytes, 4, 0, gpus.data());
    for (Collective collective : collectives()) {
      Case c;
      c.collective = collective;
      c.count = 70001; // more than 256 KiB: straight into readers' outputs
      c.root = int(random() % 4);
      c.inPlace = round == 1 && sched::hasInPlace(collective);
      c.threads = round == 2;
      CHECK(runCase(job, c) == "");
    }
  }
}

TEST_CASE("the order of reduction is the program's, so bits agree") {
  BundleOptions options = optionsOf(1);
  options.alike = true;
  const TestBundle model = makeBundle(options);
  const std::vector<uint8_t> bytes = seal(model);
  sched::BundleView bundle;
  std::string error;
  REQUIRE(sched::openBundle(bytes.data(), bytes.size(), bundle, error));
  std::mt19937 random(5);
  size_t differing = 0;
  for (int round = 0; round < 8; ++round) {
    const std::vector<int> gpus = randomJob(random, 4);
    Numbers sorted(gpus.begin(), gpus.end()), own(gpus.begin(), gpus.end());
    std::sort(sorted.begin(), sorted.end());
    const sched::Entry *entry = sched::findEntry(bundle, 0, sorted);
    REQUIRE(entry);
    const Numbers ranks = sched::programRanks(bundle, *entry, own);
    Job job(bytes, 4, 0, gpus.data());
    const auto results = sums(job, 1500, {0, 1, 2, 3});
    for (size_t rank = 1; rank < results.size(); ++rank)
      CHECK(std::memcmp(results[rank].data(), results[0].data(),
                        results[0].size() * sizeof(float)) == 0);
    // Opened as a file of its own, the class's piece has these ranks in its own
    // order.
    Numbers contributions(4);
    for (uint16_t rank = 0; rank < 4; ++rank)
      contributions[ranks[rank]] = rank;
    Job single(model.classes[entry->class_number()].pieces[0], 4, 0, nullptr);
    const auto expected = sums(single, 1500, contributions);
    CHECK(std::memcmp(expected[0].data(), results[0].data(),
                      expected[0].size() * sizeof(float)) == 0);
    const auto other = sums(single, 1500, {0, 1, 2, 3});
    differing += std::memcmp(other[0].data(), results[0].data(),
                             other[0].size() * sizeof(float)) != 0;
  }
  CHECK(differing != 0); // or these numbers could not show a wrong order
}
