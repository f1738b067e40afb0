//===- GoldenDiffTest.cpp - better, worse, different ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenDiff.h"
#include "compiler/render/Text.h"

#include "test/unit/check/SmallGolden.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the program with exactly this key, or null.
const GoldenProgram *findIn(const Golden &golden, Collective collective,
                            std::optional<int> root,
                            const std::vector<int> &gpus) {
  for (const GoldenClass &one : golden.classes)
    for (const GoldenProgram &program : one.programs)
      if (one.gpus == gpus && program.collective == collective &&
          program.root == root)
        return &program;
  return nullptr;
}

std::vector<std::string> linesOf(const Golden &before, const Golden &after,
                                 CheckTolerance tolerance = {}) {
  return toLines(diffGolden(
      before, after,
      [&](Collective collective, std::optional<int> root,
          const std::vector<int> &gpus) {
        return findIn(after, collective, root, gpus);
      },
      tolerance));
}

using Lines = std::vector<std::string>;

GoldenProgram &allreduce(Golden &golden) {
  return golden.classes[1].programs[0];
}
GoldenProgram &broadcast(Golden &golden) {
  return golden.classes[1].programs[1];
}

} // namespace

TEST_CASE("equal summaries differ in nothing") {
  CHECK(linesOf(smallGolden(), smallGolden()) == Lines{});
}

TEST_CASE("a rate beyond the tolerance is worse or better, within different") {
  Golden now = smallGolden();
  broadcast(now).rate = 49.95; // one per thousand worse: the default
  const char *title = "broadcast from rank 1 on GPUs 0,1: ";
  CHECK(linesOf(smallGolden(), now) ==
        Lines{title +
              std::string("different: rate 50.000 -> 49.950 GB/s (-0.1 %)")});
  broadcast(now).rate = 49.9499;
  CHECK(linesOf(smallGolden(), now) ==
        Lines{title + std::string("worse: rate 50.000 -> 49.950 GB/s (-0.1 "
                                  "%)")});
  CHECK(linesOf(smallGolden(), now, {0.01, 0}) ==
        Lines{title + std::string("different: rate 50.000 -> 49.950 GB/s "
                                  "(-0.1 %)")});
  CHECK(linesOf(now, smallGolden()) ==
        Lines{title + std::string("better: rate 49.950 -> 50.000 GB/s (+0.1 "
                                  "%)")});
  broadcast(now).rate = 49.9999;
  CHECK(linesOf(smallGolden(), now, {0, 0}).front().find("worse") !=
        std::string::npos);
}

TEST_CASE("a longer time is worse, even when the rate is higher") {
  Golden now = smallGolden();
  allreduce(now).rate = 95;
  allreduce(now).times = {3.38, 39, 32669.3};
  const std::string title = "allreduce on GPUs 0,1: ";
  CHECK(linesOf(smallGolden(), now) ==
        Lines{title + "worse: predicted time of 1 KiB 3.3 -> 3.4 us (+3.0 %)",
              title + "better: rate 89.440 -> 95.000 GB/s (+6.2 %)",
              title + "better: predicted time of 1 MiB 39.9 -> 39.0 us (-2.2 "
                      "%)"});
  CHECK(linesOf(smallGolden(), now, {0.1, 0.04}) ==
        Lines{title + "different: rate 89.440 -> 95.000 GB/s (+6.2 %)",
              title + "different: predicted time of 1 KiB 3.3 -> 3.4 us (+3.0 "
                      "%)",
              title + "different: predicted time of 1 MiB 39.9 -> 39.0 us "
                      "(-2.2 %)"});
}

TEST_CASE("bound, depth and trees alone are no regression") {
  Golden now = smallGolden();
  allreduce(now).bound = 100;
  allreduce(now).depth = 7;
  allreduce(now).trees = 1;
  const std::string title = "allreduce on GPUs 0,1: different: ";
  CHECK(linesOf(smallGolden(), now) ==
        Lines{title + "bound 90.214 -> 100.000 GB/s (+10.8 %)",
              title + "depth 2 -> 7", title + "trees 14 -> 1"});
}

TEST_CASE("a program that is gone is worse, a new one different") {
  Golden now = smallGolden();
  now.classes[1].programs.pop_back();
  CHECK(linesOf(smallGolden(), now) ==
        Lines{"broadcast from rank 1 on GPUs 0,1: worse: program is gone",
              "bundle: different: 10 allocations in 3 classes with 3 programs "
              "-> 10 allocations in 3 classes with 2 programs"});
  CHECK(linesOf(now, smallGolden()) ==
        Lines{"broadcast from rank 1 on GPUs 0,1: different: program is new",
              "bundle: different: 10 allocations in 3 classes with 2 programs "
              "-> 10 allocations in 3 classes with 3 programs"});
}

TEST_CASE("what serves a class now may be of another class") {
  Golden before = smallGolden(), now = smallGolden();
  before.classes[1].gpus = {2, 3};
  std::vector<Finding> findings = diffGolden(
      before, now,
      [&](Collective collective, std::optional<int> root,
          const std::vector<int> &gpus) {
        return findIn(now, collective, root,
                      gpus == std::vector{2, 3} ? std::vector{0, 1} : gpus);
      },
      {});
  CHECK(toLines(findings) ==
        Lines{"allreduce on GPUs 0,1: different: program is new",
              "broadcast from rank 1 on GPUs 0,1: different: program is new",
              "bundle: different: other classes of allocations"});
}

TEST_CASE("machine, compiler and bytes are only different") {
  Golden now = smallGolden();
  now.machine = "other";
  now.fingerprint = 1;
  now.allocations = "all";
  now.compiler = "blinkc 0.2.0";
  now.bundleBytes = 1;
  now.bundleHash = std::string(64, 'b');
  CHECK(linesOf(smallGolden(), now) ==
        Lines{"machine: different: name box \"1\" -> other",
              "machine: different: nodes or links have changed: fingerprint "
              "0xb4ed68ee353a501e -> 0x0000000000000001",
              "bundle: different: compiler blinkc 0.1.0 -> blinkc 0.2.0",
              "bundle: different: allocations asked for: 1-2 -> all",
              "bundle: different: 12345 -> 1 bytes, SHA-256 aaaaaaaaaaaa... -> "
              "bbbbbbbbbbbb..."});
}
