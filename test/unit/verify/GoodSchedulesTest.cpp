//===- GoodSchedulesTest.cpp - correct schedules pass ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Sanitizers.h"
#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

#include <cmath>
#include <utility>

using namespace blink;
using namespace blink::test;

TEST_CASE("right schedules of every collective pass every check") {
  const Shape shapes[] = {Shape::chain, Shape::star, Shape::binary,
                          Shape::random, Shape::oneHop};
  for (Collective collective : sched::EnumValuesCollective())
    for (int numRanks : {1, 2, 3, 5, 8})
      for (Shape shape : shapes)
        for (auto [lanes, skewed] :
             {std::pair(1, false), std::pair(3, false), std::pair(3, true)}) {
          BuildOptions options;
          options.skewed = skewed;
          options.shape = shape;
          options.lanes = lanes;
          options.treesPerBlock = lanes;
          options.slots = uint16_t(lanes);
          options.splitRoot = lanes == 3;
          options.seed = uint32_t(numRanks);
          const int root = numRanks - 1;
          const VerifyReport report =
              judge(makeSchedule(collective, root, numRanks, options));
          CAPTURE(sched::EnumNameCollective(collective));
          CAPTURE(numRanks);
          CHECK(failures(report) == "");
        }
}

TEST_CASE("the report names its checks and says what was proved") {
  const VerifyReport report =
      judge(makeSchedule(Collective::allreduce, 0, 8, {}));
  std::string names;
  for (const Check &check : report.checks)
    names += check.name + " ";
  CHECK(names == "paths result in-place progress bandwidth pace certificate ");
  CHECK(detailOf(report, "result") == "1 tree, 15 folds, 8 ranks: each output "
                                      "holds all 8 contributions once, in one "
                                      "order");
  CHECK(detailOf(report, "paths") ==
        "14 channels, 14 peer: each on a path the runtime can drive");
  CHECK(report.links == doctest::Approx(1));
  CHECK(report.bound == doctest::Approx(4));
  CHECK(contains(detailOf(report, "certificate"), "25 %"));
}

TEST_CASE("one rank has no bound") {
  const VerifyReport report =
      judge(makeSchedule(Collective::allgather, 0, 1, {}));
  CHECK(report.ok);
  CHECK(std::isinf(report.links));
  CHECK(std::isinf(report.bound));
}

TEST_CASE("an algorithm that is no tree passes too") {
  CHECK(failures(judge(exchange(true))) == "");
}

TEST_CASE("every variant is judged, and the last one sets the rate") {
  BuildOptions options;
  options.shape = Shape::random;
  TestSchedule schedule = makeSchedule(Collective::allreduce, 0, 4, options);
  TestVariant small = schedule.variant();
  options.treesPerBlock = 4;
  schedule = makeSchedule(Collective::allreduce, 0, 4, options);
  const double rate = schedule.programs[0].algbw;
  CHECK(rate > 1); // one tree cannot reach this
  schedule.variant().minBytes = small.maxBytes = 4096;
  auto &variants = schedule.programs[0].variants;
  variants.insert(variants.begin(), small);
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "");
  CHECK(report.links == doctest::Approx(rate));

  variants[0].channels[1].kind = sched::ChannelKind::staged;
  const VerifyReport broken = judge(schedule);
  CHECK(failures(broken) == "paths");
  CHECK(contains(detailOf(broken, "paths"), "variant 0: channel 1 "));
}

TEST_CASE("128 ranks with 100 trees are judged at once") {
  BuildOptions options;
  options.shape = Shape::random;
  options.treesPerBlock = kSanitized ? 10 : 100;
  options.lanes = 16;
  CHECK(judge(makeSchedule(Collective::allreduce, 0, 128, options)).ok);
}
