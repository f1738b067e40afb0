//===- ScheduleDiffTest.cpp - differences between two schedules -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every test changes one thing of a schedule made by hand. The comparison must
// find this change, in these words, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/ScheduleDiff.h"
#include "compiler/render/DiffReport.h"
#include "compiler/render/Text.h"

#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <cstring>
#include <functional>

namespace doctest {
template <> struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines)
      text += "\n  " + line;
    return text.c_str();
  }
};
} // namespace doctest

using namespace blink;
using namespace blink::test;
using Lines = std::vector<std::string>;

namespace {

/// The bytes of a schedule, aligned as openSchedule needs them.
struct Sealed {
  std::vector<uint64_t> words;
  OpenedFile file;

  explicit Sealed(const TestSchedule &schedule) {
    std::vector<uint8_t> bytes = seal(schedule);
    words.resize(bytes.size() / 8);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto *data = reinterpret_cast<const uint8_t *>(words.data());
    std::string error;
    const sched::Schedule *opened =
        sched::openSchedule(data, bytes.size(), error);
    INFO(error);
    REQUIRE(opened != nullptr);
    file = OpenedFile::of(*opened, {data, bytes.size()});
  }
};

ScheduleDiff diff(const TestSchedule &before, const TestSchedule &after,
                  double tolerance = 0) {
  Sealed a(before), b(after);
  return diffSchedules(a.file, b.file, {tolerance});
}

/// Returns all lines except the one on size and checksum, which must be the
/// last.
Lines linesOf(const ScheduleDiff &diff) {
  Lines lines = toLines(diff.findings);
  REQUIRE(!diff.identical);
  REQUIRE(!lines.empty());
  REQUIRE((diff.findings.back().aspect == Aspect::file));
  lines.pop_back();
  return lines;
}

TestSchedule spread(Shape shape = Shape::star) {
  BuildOptions options;
  options.shape = shape;
  return makeSchedule(Collective::broadcast, 0, 4, options);
}

/// Returns a further program for the same file, with `numRanks` ranks.
TestProgram programOf(Collective collective, int numRanks, size_t numLinks) {
  TestProgram program = makeSchedule(collective, 0, numRanks, {}).programs[0];
  program.prices.assign(numLinks, 1);
  for (TestVariant &variant : program.variants)
    for (uint32_t &link : variant.paths)
      link = 0;
  return program;
}

/// Splits the program's variant in two at `bytes`.
void split(TestSchedule &schedule, uint64_t bytes) {
  auto &variants = schedule.programs[0].variants;
  variants.insert(variants.begin(), variants[0]);
  variants[0].maxBytes = variants[1].minBytes = bytes;
  variants[0].protocol = sched::Protocol::low_latency;
}

} // namespace

TEST_CASE("equal bytes are identical") {
  ScheduleDiff same = diff(spread(), spread());
  CHECK(same.identical);
  CHECK(same.sameContent);
  CHECK(same.findings.empty());
  CHECK(toVerdict(same) == "identical");
}

TEST_CASE("how a file was made is not its content") {
  TestSchedule before = spread(), after = spread();
  // Values may contain blanks and text that looks like another setting.
  before.settings = {
      {"gpus", "all"}, {"slack", "0.01"}, {"without-link", "gpu 0:a slack=1"}};
  after.settings = {{"gpus", "all"},
                    {"slack", "0.1"},
                    {"without-link", "gpu 0:a slack=1"},
                    {"relays", "yes"}};
  after.compiler = "test 2";
  ScheduleDiff made = diff(before, after);
  CHECK(!made.identical);
  CHECK(made.sameContent);
  CHECK(toVerdict(made) == "same machine and programs");
  CHECK(linesOf(made) ==
        Lines{"file: different: compiler test -> test 2",
              "file: different: options slack=0.01 -> slack=0.1 relays=yes"});
  after.settings = {};
  CHECK(linesOf(diff(before, after))[1] ==
        "file: different: options gpus=all slack=0.01 without-link=gpu 0:a "
        "slack=1 -> none");
}

TEST_CASE("a rate is worse, better, or within the tolerance") {
  TestSchedule before = spread(), after = spread();
  before.programs[0].algbw = 1;
  after.programs[0].algbw = 0.9375;
  const std::string title = "broadcast from rank 0 on GPUs 0,1,2,3: ";
  CHECK(linesOf(diff(before, after)) ==
        Lines{title + "worse: rate 1.000 -> 0.938 GB/s (-6.2 %)"});
  CHECK(diff(before, after).count(Severity::worse) == 1);
  CHECK(linesOf(diff(after, before)) ==
        Lines{title + "better: rate 0.938 -> 1.000 GB/s (+6.7 %)"});
  CHECK(linesOf(diff(before, after, 0.0625)) ==
        Lines{title + "different: rate 1.000 -> 0.938 GB/s (-6.2 %)"});
  CHECK(diff(before, after, 0.0624).count(Severity::worse) == 1);
  // The last digits are noise, but the file is not the same.
  after.programs[0].algbw = 1 - 1e-12;
  CHECK(linesOf(diff(before, after)) ==
        Lines{title + "different: the same but for the last digits of its "
                      "rates"});
}

TEST_CASE("another bound is only different") {
  TestSchedule before = spread(), after = spread();
  before.programs[0].algbw = after.programs[0].algbw = 2;
  before.programs[0].bound = 4;
  after.programs[0].bound = 2.5;
  CHECK(linesOf(diff(before, after)) ==
        Lines{"broadcast from rank 0 on GPUs 0,1,2,3: different: bound 4.000 "
              "-> 2.500 GB/s (-37.5 %)",
              "broadcast from rank 0 on GPUs 0,1,2,3: different: rate 50.00 "
              "-> 80.00 % of the bound"});
}

TEST_CASE("a variant's numbers, each with its severity") {
  const std::string title = "broadcast from rank 0 on GPUs 0,1,2,3: ";
  // The three ranks are children of the root, or each is a child of the one
  // before.
  TestSchedule star = spread(), chain = spread(Shape::chain);
  CHECK(linesOf(diff(star, chain)) ==
        Lines{title + "worse: latency with steps 3.5 -> 9.0 us (+157.1 %)",
              title + "worse: link latency end to end 1.0 -> 3.0 us (+200.0 %)",
              title + "worse: depth 1 -> 3"});
  CHECK(diff(chain, star).count(Severity::better) == 3);
  CHECK(diff(chain, star).count(Severity::worse) == 0);

  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 3;
  options.lanes = 3;
  TestSchedule three = makeSchedule(Collective::broadcast, 0, 4, options);
  three.programs[0].algbw = star.programs[0].algbw;
  three.variant().chunks.bytes = 8192;
  three.variant().protocol = sched::Protocol::low_latency;
  ScheduleDiff many = diff(star, three);
  Lines lines = linesOf(many);
  CHECK(lines[0] == title + "worse: lanes a rank 1 -> 3");
  CHECK(lines[1] == title + "worse: channels 3 -> 9");
  CHECK(lines.size() == 7);
  auto has = [&](const std::string &words) {
    return std::find(lines.begin(), lines.end(), title + words) != lines.end();
  };
  CHECK(has("different: protocol simple -> low_latency"));
  CHECK(has("different: trees 1 -> 3"));
  CHECK(has("different: chunks of 4 KiB -> 8 KiB"));
  CHECK(has("different: steps 4 -> 12"));
  for (const Finding &finding : many.findings)
    CHECK((finding.aspect == Aspect::file || finding.minBytes == 0u));
}

TEST_CASE("hops are said where depth does not say them") {
  // With two GPUs, a tree of depth 1 takes two hops and an exchange takes one.
  BuildOptions options;
  options.shape = Shape::oneHop;
  TestSchedule tree = makeSchedule(Collective::allreduce, 0, 2, {});
  TestSchedule exchange = makeSchedule(Collective::allreduce, 0, 2, options);
  auto hops = [](const ScheduleDiff &diff) {
    Lines lines;
    for (const Finding &finding : diff.findings)
      if (finding.aspect == Aspect::hops)
        lines.push_back(finding.words);
    return lines;
  };
  ScheduleDiff fewer = diff(tree, exchange);
  CHECK(hops(fewer) == Lines{"hops 2 -> 1"});
  CHECK(hops(diff(exchange, tree)) == Lines{"hops 1 -> 2"});
  CHECK(toString(Aspect::hops) == "hops");
  for (const Finding &finding : fewer.findings)
    CHECK((finding.aspect == Aspect::hops) ==
          (finding.words == "hops 2 -> 1" &&
           finding.severity == Severity::better));
  CHECK(hops(diff(spread(), spread(Shape::chain))).empty());
}

TEST_CASE("other trees with the same numbers") {
  TestSchedule before = makeSchedule(Collective::allreduce, 0, 4, {});
  TestSchedule after = before;
  // Two channels change places: no number changes.
  std::swap(after.variant().paths[0], after.variant().paths[1]);
  ScheduleDiff other = diff(before, after);
  CHECK(!other.sameContent);
  CHECK(linesOf(other) == Lines{"allreduce on GPUs 0,1,2,3: different: other "
                                "trees, paths or steps, with the same "
                                "numbers"});
  after = before;
  after.programs[0].prices[3] = 2;
  CHECK(linesOf(diff(before, after)) ==
        Lines{"allreduce on GPUs 0,1,2,3: different: the same but for the "
              "prices of its certificate"});
}

TEST_CASE("variants are matched in order, or by where they end") {
  const std::string title = "broadcast from rank 0 on GPUs 0,1,2,3, ";
  TestSchedule one = spread(Shape::chain), two = one, moved = one;
  split(two, 65536);
  split(moved, 1 << 20);
  CHECK(linesOf(diff(two, moved)) ==
        Lines{title + "below 64 KiB: different: sizes end at 64 KiB -> 1 MiB"});

  // Only the variant for small messages has lower trees.
  TestSchedule low = two;
  low.programs[0].variants[0] = spread().programs[0].variants[0];
  low.programs[0].variants[0].maxBytes = 65536;
  CHECK(linesOf(diff(low, one)) ==
        Lines{title + "below 64 KiB: worse: latency with steps 3.5 -> 9.0 us "
                      "(+157.1 %)",
              title + "below 64 KiB: worse: link latency end to end 1.0 -> 3.0 "
                      "us (+200.0 %)",
              title + "below 64 KiB: different: variant is gone, these sizes "
                      "take that for all sizes"});
  ScheduleDiff more = diff(one, low);
  CHECK(more.count(Severity::worse) == 0);
  CHECK(more.count(Severity::better) == 2);
  CHECK(linesOf(more)[2] == title + "below 64 KiB: different: variant is new, "
                                    "these sizes took that for all sizes");

  // With one more variant in the middle, the others are still matched.
  TestSchedule three = low;
  auto &variants = three.programs[0].variants;
  variants.insert(variants.begin() + 1, variants[1]);
  variants[1].maxBytes = variants[2].minBytes = 1 << 20;
  Lines lines = linesOf(diff(low, three));
  CHECK(lines == Lines{title + "64 KiB to 1 MiB: different: variant is new, "
                               "these sizes took that for from 64 KiB"});
}

TEST_CASE("programs are matched by key, in any order") {
  TestSchedule before = spread();
  size_t numLinks = before.links.size();
  before.programs.push_back(programOf(Collective::allreduce, 2, numLinks));
  before.programs.push_back(programOf(Collective::allreduce, 3, numLinks));
  TestSchedule after = before;
  std::swap(after.programs[0], after.programs[2]);
  CHECK(linesOf(diff(before, after)) ==
        Lines{"file: different: the programs are in another order"});

  after.programs.erase(after.programs.begin());
  after.programs[1].root = 2;
  ScheduleDiff fewer = diff(before, after);
  CHECK(linesOf(fewer) ==
        Lines{"allreduce on GPUs 0,1,2: worse: program is gone",
              "broadcast from rank 0 on GPUs 0,1,2,3: worse: program is gone",
              "broadcast from rank 2 on GPUs 0,1,2,3: different: program is "
              "new"});
  CHECK(diff(after, before).count(Severity::worse) == 1);
}

TEST_CASE("relays are part of the key") {
  TestSchedule before = spread();
  before.nodes.push_back(sched::NodeKind::gpu);
  TestSchedule after = before;
  after.programs[0].relays = {4};
  after.variant().ranks.push_back({});
  CHECK(linesOf(diff(before, after)) ==
        Lines{"broadcast from rank 0 on GPUs 0,1,2,3: worse: program is gone",
              "broadcast from rank 0 on GPUs 0,1,2,3 with relays 4: different: "
              "program is new"});
}

TEST_CASE("machines: what is gone, new or has other numbers") {
  TestSchedule before = spread(), after = spread();
  after.topologyName = "better";
  after.fingerprint = 0xff;
  after.linkKinds = 3;
  after.nodes.push_back(sched::NodeKind::cpu);
  after.links[1].bandwidth = 1.5;
  after.links[2].latency = 0.5;
  after.links[11].kind = sched::LinkKind::pcie;
  ScheduleDiff other = diff(before, after);
  CHECK(linesOf(other) ==
        Lines{"broadcast from rank 0 on GPUs 0,1,2,3: better: latency with "
              "steps 3.5 -> 3.2 us (-7.1 %)",
              "machine: different: name test -> better",
              "node node4 (cpu): different: is new",
              "link node3 -> node2 (nvlink): different: of 1.000 GB/s is gone",
              "link node3 -> node2 (pcie): different: of 1.000 GB/s is new",
              "link node0 -> node2 (nvlink): different: bandwidth 1.000 -> "
              "1.500 GB/s (+50.0 %)",
              "link node0 -> node3 (nvlink): different: latency 1.0 -> 0.5 us "
              "(-50.0 %)",
              "machine: different: fingerprint 0x0000000000007e57 -> "
              "0x00000000000000ff",
              "links: different: kinds nvlink -> nvlink,pcie"});
  CHECK(!other.sameContent);
}

TEST_CASE("machines: the same in another order") {
  TestSchedule before = spread(), after = spread();
  std::swap(after.links[0], after.links[1]);
  for (uint32_t &link : after.variant().paths)
    link = link == 0 ? 1 : link == 1 ? 0 : link;
  after.fingerprint = 0xff;
  CHECK(linesOf(diff(before, after)) ==
        Lines{"machine: different: fingerprint 0x0000000000007e57 -> "
              "0x00000000000000ff: the same nodes and links in another order"});
  // Even if the fingerprint does not show it.
  after.fingerprint = before.fingerprint;
  CHECK(linesOf(diff(before, after)).size() == 1);
}

TEST_CASE("whatever a file says, another value is found") {
  using Change = std::function<void(TestSchedule &)>;
  TestSchedule before = makeSchedule(Collective::allreduce, 0, 4, {});
  split(before, 65536);
  auto variant = [](TestSchedule &s) -> TestVariant & {
    return s.programs[0].variants[1];
  };
  const std::vector<Change> changes{
      [](TestSchedule &s) { s.linkKinds = 5; },
      [](TestSchedule &s) { s.topologyName = "x"; },
      [](TestSchedule &s) { s.fingerprint ^= 1; },
      [](TestSchedule &s) { s.nodes.push_back(sched::NodeKind::nic); },
      [](TestSchedule &s) { s.links[7].bandwidth *= 2; },
      [](TestSchedule &s) { s.links[7].latency = 0; },
      [](TestSchedule &s) { s.links[7].kind = sched::LinkKind::c2c; },
      [](TestSchedule &s) { s.programs[0].allocation = {1, 0, 2, 3}; },
      [](TestSchedule &s) { s.programs[0].algbw *= 0.99; },
      [](TestSchedule &s) { s.programs[0].bound *= 1.01; },
      [](TestSchedule &s) { s.programs[0].prices[0] = 0; },
      [](TestSchedule &s) {
        auto &variants = s.programs[0].variants;
        variants[0].maxBytes = variants[1].minBytes = 4096;
      },
      [&](TestSchedule &s) {
        variant(s).protocol = sched::Protocol::low_latency;
      },
      [&](TestSchedule &s) { variant(s).chunks.bytes = 16; },
      [&](TestSchedule &s) { variant(s).chunks.leastBytes = 64; },
      [&](TestSchedule &s) { variant(s).chunks.leastChunks = 9; },
      [&](TestSchedule &s) {
        variant(s).trees[0].numerator = variant(s).trees[0].denominator = 7;
      },
      [&](TestSchedule &s) { variant(s).trees[0].root ^= 1; },
      [&](TestSchedule &s) { variant(s).trees[0].depth += 1; },
      [&](TestSchedule &s) { variant(s).channels[2].slots += 1; },
      [&](TestSchedule &s) {
        variant(s).channels[2].kind = sched::ChannelKind::staged;
      },
      [&](TestSchedule &s) {
        for (TestRank &rank : variant(s).ranks)
          for (TestStep &step : rank.steps)
            step.completes = !step.completes;
      },
      [&](TestSchedule &s) {
        for (TestRank &rank : variant(s).ranks)
          rank.lanes = {{0, uint32_t(rank.steps.size())}};
      },
      [&](TestSchedule &s) { // a different order of reduction
        for (TestRank &rank : variant(s).ranks)
          for (TestStep &step : rank.steps)
            if (step.sources > 1)
              std::swap(rank.operands[step.operandsBegin],
                        rank.operands[step.operandsBegin + 1]);
      },
      [&](TestSchedule &s) {
        std::swap(variant(s).paths[0], variant(s).paths[1]);
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    INFO("change " << i);
    TestSchedule after = before;
    changes[i](after);
    ScheduleDiff there = diff(before, after), back = diff(after, before);
    CHECK(!there.sameContent);
    CHECK(there.findings.size() >= 2);
    CHECK(there.findings.size() == back.findings.size());
    // In the opposite direction, what was better is worse.
    if (there.count(Severity::worse) + there.count(Severity::better) > 0 &&
        there.findings[0].aspect != Aspect::program) {
      CHECK(there.count(Severity::worse) == back.count(Severity::better));
      CHECK(there.count(Severity::better) == back.count(Severity::worse));
    }
  }
}

TEST_CASE("many allocations are counted together") {
  TestSchedule before;
  before.nodes.assign(40, sched::NodeKind::gpu);
  before.links = {{1, 1, 0, 1, sched::LinkKind::nvlink},
                  {1, 1, 1, 0, sched::LinkKind::nvlink}};
  TestProgram pair = makeSchedule(Collective::allreduce, 0, 2, {}).programs[0];
  for (uint16_t a = 0; a < 40; ++a)
    for (uint16_t b = a + 1; b < 40; ++b) {
      pair.allocation = {a, b};
      before.programs.push_back(pair);
    }
  TestSchedule after = before;
  std::reverse(after.programs.begin(), after.programs.end());
  for (size_t i = 0; i < 100; ++i)
    after.programs[i * 7].algbw /= 2;
  after.programs[14].algbw /= 2;
  after.programs.pop_back(); // 0,1
  ScheduleDiff many = diff(before, after);
  CHECK(toVerdict(many) == "101 worse, 0 better, 1 different");
  CHECK(linesOf(many) ==
        Lines{"allreduce on GPUs 0,1: worse: program is gone",
              "allreduce on GPUs 34,35: worse: rate 1.000 -> 0.250 GB/s "
              "(-75.0 %)",
              "allreduce on GPUs 2,12: worse: rate 1.000 -> 0.500 GB/s (-50.0 "
              "%)",
              "allreduce on GPUs 2,19: worse: rate 1.000 -> 0.500 GB/s (-50.0 "
              "%)",
              "... and 97 more"});
}
