//===- OrderTest.cpp - the same bits, and many calls at once --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns numbers of very different size, whose sums depend on the order.
std::vector<std::vector<float>> roughInputs(int ranks, size_t count) {
  std::mt19937 random(11);
  std::vector<std::vector<float>> inputs(ranks);
  for (auto &input : inputs)
    for (size_t i = 0; i < count; ++i)
      input.push_back((float(random() % 20001) - 10000.0f) *
                      (random() % 2 ? 1e-6f : 1.0f));
  return inputs;
}

} // namespace

TEST_CASE("the same bits on every rank, in every run") {
  const int ranks = 5;
  const size_t count = 5000;
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 4;
  layout.lanes = 4;
  layout.chunkBytes = 256;
  auto inputs = roughInputs(ranks, count);
  std::vector<float> first;
  for (int run = 0; run < 6; ++run) {
    Job job(makeSchedule(Collective::allreduce, 0, ranks, layout), ranks);
    std::vector<std::vector<float>> outputs(ranks, std::vector<float>(count));
    for (blinkResult_t result : job.onThreads([&](int rank) {
           return blinkAllReduce(inputs[rank].data(), outputs[rank].data(),
                                 count, blinkFloat32, blinkSum, job[rank],
                                 nullptr);
         }))
      REQUIRE(result == blinkSuccess);
    if (run == 0)
      first = outputs[0];
    for (const auto &output : outputs)
      CHECK(output == first);
  }
  // The order must matter for these numbers, or this test would prove nothing.
  std::vector<float> other(count);
  for (int rank = ranks; rank-- > 0;)
    for (size_t i = 0; i < count; ++i)
      other[i] += inputs[rank][i];
  CHECK(other != first);
}

TEST_CASE("two jobs at once, in one thread's group and in many threads") {
  const int ranks = 3;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, ranks, {});
  Job x(model, ranks), y(model, ranks);
  int32_t in[3] = {1, 2, 3};
  int32_t a[3] = {}, b[3] = {}, c[3] = {};
  auto reduce = [&](const Job &job, int rank, int32_t *out) {
    return blinkAllReduce(&in[rank], &out[rank], 1, blinkInt32, blinkSum,
                          job[rank], nullptr);
  };
  // Two calls on x and one on y, all collected by one thread.
  blinkGroupStart();
  for (int rank = 0; rank < ranks; ++rank) {
    reduce(x, rank, a);
    blinkGroupStart(); // nested: runs nothing yet
    reduce(y, rank, b);
    CHECK(blinkGroupEnd() == blinkSuccess);
    CHECK(b[rank] == 0);
    reduce(x, rank, c);
  }
  CHECK(blinkGroupEnd() == blinkSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK(a[rank] == 6);
    CHECK(b[rank] == 6);
    CHECK(c[rank] == 6);
  }
  // Rank 0 has three calls under way at once. The others call x, x, y; they
  // would never reach y if the second call on x waited for rank 0's call on y.
  for (int run = 0; run < 50; ++run)
    for (blinkResult_t result : x.onThreads([&](int rank) {
           if (rank == 0) {
             blinkGroupStart();
             reduce(y, rank, b);
             reduce(x, rank, a);
             reduce(x, rank, c);
             return blinkGroupEnd();
           }
           blinkResult_t result = reduce(x, rank, a);
           if (result == blinkSuccess)
             result = reduce(x, rank, c);
           return result == blinkSuccess ? reduce(y, rank, b) : result;
         }))
      CHECK(result == blinkSuccess);
}

TEST_CASE("communicators outlive the schedule they were made from") {
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2); // closes it
  Case c;
  c.count = 100;
  CHECK(runCase(job, c) == "");
  int ranks = 0, rank = 0;
  CHECK(blinkCommCount(job[1], &ranks) == blinkSuccess);
  CHECK(blinkCommUserRank(job[1], &rank) == blinkSuccess);
  CHECK(ranks == 2);
  CHECK(rank == 1);
}
