//===- FindingTest.cpp - the words and the order of findings --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Finding.h"
#include "compiler/render/Text.h"

#include "doctest/doctest.h"

using namespace blink;

TEST_CASE("changes of numbers show that they are changes") {
  CHECK(formatChange("rate", 89.44, 84, 3, "GB/s") ==
        "rate 89.440 -> 84.000 GB/s (-6.1 %)");
  CHECK(formatChange("rate", 50, 100, 3, "GB/s") ==
        "rate 50.000 -> 100.000 GB/s (+100.0 %)");
  // Three decimals would show equal numbers, or zero.
  CHECK(formatChange("rate", 25, 25.0001, 3, "GB/s") ==
        "rate 25 -> 25.0001 GB/s (+0.0004 %)");
  CHECK(formatChange("rate", 0.00012, 0.00006, 3, "GB/s") ==
        "rate 0.00012 -> 6e-05 GB/s (-50.0 %)");
  // A change relative to zero has no percentage.
  CHECK(formatChange("latency", 0, 0.7, 1, "us") == "latency 0.0 -> 0.7 us");
  CHECK(formatChange("latency", 0.7, 0, 1, "us") ==
        "latency 0.7 -> 0.0 us (-100.0 %)");
  CHECK(formatChange("latency", 0, 0.01, 1, "us") == "latency 0 -> 0.01 us");
}

TEST_CASE("the title of a program says all of its key") {
  CHECK(
      ProgramKey{Collective::allreduce, std::nullopt, {0, 1, 2}, {}}.title() ==
      "allreduce on GPUs 0,1,2");
  CHECK(ProgramKey{Collective::reduce, 1, {4, 2}, {0, 7}}.title() ==
        "reduce to rank 1 on GPUs 4,2 with relays 0,7");
  CHECK(ProgramKey{Collective::scatter, 0, {3}, {}}.title() ==
        "scatter from rank 0 on GPU 3");
}

namespace {
Finding rateOf(int gpu, double before, double after) {
  ProgramKey key{Collective::allreduce, std::nullopt, {gpu, gpu + 1}, {}};
  return {after < before ? Severity::worse : Severity::better,
          Aspect::rate,
          key.title(),
          formatChange("rate", before, after, 0, "GB/s"),
          before,
          after,
          key};
}
} // namespace

TEST_CASE("what is worse comes first, then the aspect, then the size") {
  std::vector<Finding> findings{
      {Severity::different, Aspect::file, "file", "f"},
      {Severity::different, Aspect::machine, "machine", "m"},
      rateOf(0, 10, 20),
      rateOf(1, 10, 9),
      {Severity::worse, Aspect::lanes, "x", "lanes", uint64_t(1),
       uint64_t(100)},
      rateOf(2, 10, 5),
      {Severity::worse, Aspect::program, "x", "gone"}};
  sortFindings(findings);
  std::string words;
  for (const Finding &finding : findings)
    words += finding.words + "; ";
  CHECK(words == "gone; rate 10 -> 5 GB/s (-50.0 %); rate 10 -> 9 GB/s "
                 "(-10.0 %); lanes; rate 10 -> 20 GB/s (+100.0 %); m; f; ");
}

TEST_CASE("of many lines alike, the largest changes are shown") {
  std::vector<Finding> findings;
  for (int gpu = 0; gpu < 4; ++gpu)
    findings.push_back(rateOf(gpu, 100, 90 - gpu));
  sortFindings(findings);
  CHECK(toLines(findings).size() == 4);
  for (int gpu = 4; gpu < 15; ++gpu)
    findings.push_back(rateOf(gpu, 100, 90 - gpu));
  findings.push_back(rateOf(20, 100, 110));
  sortFindings(findings);
  std::vector<std::string> lines = toLines(findings);
  CHECK(lines ==
        std::vector<std::string>{
            "allreduce on GPUs 14,15: worse: rate 100 -> 76 GB/s (-24.0 %)",
            "allreduce on GPUs 13,14: worse: rate 100 -> 77 GB/s (-23.0 %)",
            "allreduce on GPUs 12,13: worse: rate 100 -> 78 GB/s (-22.0 %)",
            "... and 12 more",
            "allreduce on GPUs 20,21: better: rate 100 -> 110 GB/s (+10.0 "
            "%)"});
}

TEST_CASE("every aspect has a key of its own") {
  std::vector<std::string> keys;
  for (int i = 0; i <= static_cast<int>(Aspect::file); ++i)
    keys.push_back(toString(static_cast<Aspect>(i)).str());
  std::sort(keys.begin(), keys.end());
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}
