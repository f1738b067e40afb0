//===- SamplingTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A rate is that of the time in which all copies run, and the median of several
// rounds. A copy whose rate is not steady is busy.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Sampling.h"

#include "test/unit/probe/TestCopier.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("what the slower copy gets alone does not count") {
  // Both get 1 GB/s until the first one is done; then the other one gets 2.
  std::vector<double> rates =
      ratesTogether({{1, 2, 3, 4}, {2, 4, 5, 6}}, 1000000000);
  CHECK(rates[0] == doctest::Approx(1));
  CHECK(rates[1] == doctest::Approx(0.5));
  // The window ends in the middle of a block.
  rates = ratesTogether({{1, 2, 3}, {2, 4, 6}}, 1000000000);
  CHECK(rates[1] == doctest::Approx(0.5));
  // The window ends even before the first block does.
  rates = ratesTogether({{1, 2}, {8, 16}}, 1000000000);
  CHECK(rates[1] == doctest::Approx(0.125));
}

namespace {
struct OneLink {
  Topology topology = makeTopology(
      R"({"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"})",
      R"({"from": "gpu0", "to": "gpu1", "bandwidth": 25})");
  MeasurePlan plan{{{{Place::gpu, 0}, {Place::gpu, 1}, {0}}}, {{{0}}}};
  llvm::Expected<RunRates> measure(TestCopier &copier) const {
    return measureRun(copier, topology, plan, plan.runs[0]);
  }
};
} // namespace

TEST_CASE("a run is a trial and seven rounds of 20 ms") {
  TestCopier copier;
  copier.rates = {2};
  RunRates rates = valueOf(OneLink().measure(copier));
  CHECK(copier.copies == 8);
  CHECK(copier.blocks[0] == 2);
  CHECK(copier.blocks[1] == 40); // megabytes, at 2 GB/s
  CHECK(rates.rates[0] == doctest::Approx(2));
  CHECK(rates.spread == doctest::Approx(0));
}

TEST_CASE("one slow and one fast round are no noise") {
  TestCopier copier;
  copier.rates = {10, 10, 5, 10.2, 9.8, 10.1, 20, 10};
  RunRates rates = valueOf(OneLink().measure(copier));
  CHECK(copier.copies == 8);
  CHECK(rates.rates[0] == doctest::Approx(10));
  CHECK(rates.spread == doctest::Approx(0.04));
}

TEST_CASE("rounds that differ are tried thrice, and make the machine busy") {
  TestCopier copier;
  copier.rates = {10, 7};
  llvm::Expected<RunRates> rates = OneLink().measure(copier);
  CHECK(copier.copies == 24);
  REQUIRE(!rates);
  llvm::Error error = rates.takeError();
  CHECK(error.isA<BusyMachine>());
  CHECK(textOf(std::move(error)) ==
        "the machine is busy: rates of gpu0 -> gpu1 differ by 43 % from round "
        "to round; --measure again when it is quiet");
}

TEST_CASE("rounds that differ at first are forgotten") {
  TestCopier copier;
  copier.rates = {10, 7, 10, 7, 10, 7, 10, 7};
  copier.rates.insert(copier.rates.end(), 8, 10);
  RunRates rates = valueOf(OneLink().measure(copier));
  CHECK(copier.copies == 16);
  CHECK(rates.spread == doctest::Approx(0));
}
