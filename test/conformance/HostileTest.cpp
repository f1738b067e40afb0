//===- HostileTest.cpp - wrong schedules that pass the loader -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A file may pass every rule and still compute nonsense or never end. Running
// it must stay within the buffers and must return. Not run under
// ThreadSanitizer: two lanes of a wrong schedule may well write the same
// element.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Changes one thing at random; the loader may or may not accept the result.
void mutate(TestSchedule &model, std::mt19937 &random) {
  TestVariant &variant = model.variant();
  auto any = [&](auto &list) -> auto & { return list[random() % list.size()]; };
  TestRank &rank = any(variant.ranks);
  switch (random() % 7) {
  case 0:
    any(rank.operands).index = random() % 4;
    break;
  case 1:
    any(rank.operands).kind = sched::OperandKind(random() % 3);
    break;
  case 2:
    std::swap(any(rank.steps), any(rank.steps));
    break;
  case 3: // all folds in one lane
    rank.lanes = {{0, uint32_t(rank.steps.size())}};
    break;
  case 4:
    any(rank.steps).completes ^= 1;
    break;
  case 5:
    any(variant.channels).slots = uint16_t(1 + random() % 3);
    break;
  case 6:
    std::swap(any(variant.trees).numerator, any(variant.trees).numerator);
    break;
  }
}

} // namespace

TEST_CASE("schedules changed at random end, and write nothing outside") {
  std::mt19937 random(5);
  int ran = 0, stuck = 0;
  for (int run = 0; run < 400; ++run) {
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 2;
    layout.chunkBytes = 64;
    layout.seed = random();
    Case c;
    c.collective = Collective(random() % 5);
    c.count = 100 + random() % 100;
    c.inPlace = random() % 2;
    TestSchedule model = makeSchedule(c.collective, 0, 3, layout);
    for (int k = 0; k < 3; ++k)
      mutate(model, random);
    std::vector<uint8_t> bytes = seal(model);
    std::string error;
    if (!sched::openSchedule(bytes.data(), bytes.size(), error))
      continue;
    ++ran;
    Job job(model, 3, 30);
    std::string wrong = runCase(job, c);
    CHECK(wrong.find("beside") == std::string::npos);
    stuck += wrong.find("waited") != std::string::npos;
  }
  CHECK(ran > 20);
  CHECK(stuck > 0);
}
