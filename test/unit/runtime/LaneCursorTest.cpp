//===- LaneCursorTest.cpp - a lane's way through a collective -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/LaneCursor.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

using namespace blink::runtime;

namespace {

using Folds = std::vector<std::pair<uint32_t, uint64_t>>; // step, chunk

/// The order that schedule.fbs specifies, word for word.
Folds inRounds(const std::vector<StepRounds> &steps) {
  uint64_t rounds = 0;
  for (const StepRounds &step : steps)
    rounds = std::max(rounds, step.chunks + step.delay);
  Folds folds;
  for (uint64_t round = 0; round < rounds; ++round)
    for (uint32_t s = 0; s < steps.size(); ++s)
      if (round >= steps[s].delay && round - steps[s].delay < steps[s].chunks)
        folds.push_back({s, round - steps[s].delay});
  return folds;
}

/// The order of the cursor; counts how often it looks at a step.
Folds byCursor(const std::vector<StepRounds> &steps, size_t *looks = nullptr) {
  size_t count = 0;
  const auto roundsOf = [&](uint32_t s) {
    ++count;
    return steps[s];
  };
  Folds folds;
  LaneCursor cursor;
  for (cursor.start(uint32_t(steps.size()), roundsOf); !cursor.done();
       cursor.next(roundsOf))
    folds.push_back({cursor.step(), cursor.chunk()});
  if (looks)
    *looks = count;
  return folds;
}

} // namespace

TEST_CASE("a lane goes through its rounds") {
  CHECK(byCursor({}).empty());
  CHECK(byCursor({{0, 0}}).empty());
  CHECK(byCursor({{0, 0}, {0, 65535}}).empty());
  CHECK(byCursor({{2, 0}, {2, 1}}) == Folds{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(byCursor({{1, 7}}) == Folds{{0, 0}});

  std::mt19937 random(1);
  for (int run = 0; run < 20000; ++run) {
    std::vector<StepRounds> steps(random() % 7);
    const unsigned most = 1 + random() % 9, lag = random() % 4;
    uint32_t delay = 0;
    for (StepRounds &step : steps)
      step = {random() % most, delay += lag ? uint32_t(random() % lag) : 0};
    CHECK(byCursor(steps) == inRounds(steps));
  }
}

TEST_CASE("a lane looks at few steps that have nothing to do") {
  // Thirty steps of one chunk each, in rounds far apart: the cursor must not
  // look at all steps in every round.
  std::vector<StepRounds> steps;
  for (uint32_t s = 0; s < 30; ++s)
    steps.push_back({1, s * 100});
  size_t looks = 0;
  CHECK(byCursor(steps, &looks).size() == 30);
  CHECK(looks <= 4 * 30);
  // The same with very many chunks.
  for (StepRounds &step : steps)
    step.chunks = 10000;
  CHECK(byCursor(steps, &looks).size() == 300000);
  CHECK(looks <= 310000);
}
