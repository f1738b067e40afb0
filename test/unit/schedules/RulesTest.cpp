//===- RulesTest.cpp - every rule of schedule.fbs, broken once ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/SwitchedStars.h"

#include "doctest/doctest.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Violation {
  const char *place; ///< the beginning of the message
  const char *what;  ///< a later part of it
  std::function<void(TestSchedule &)> apply;
};

/// Opens `model` and returns the error text, or "" if it opens.
std::string messageOf(const TestSchedule &model) {
  std::vector<uint8_t> bytes = seal(model);
  std::string error;
  bool ok = sched::openSchedule(bytes.data(), bytes.size(), error) != nullptr;
  CHECK(ok == error.empty());
  return error;
}

void checkEach(const TestSchedule &right,
               const std::vector<Violation> &violations) {
  REQUIRE(messageOf(right) == "");
  for (const Violation &violation : violations) {
    TestSchedule wrong = right;
    violation.apply(wrong);
    std::string message = messageOf(wrong);
    std::string place = std::string(violation.place) + ": ";
    CAPTURE(message);
    CAPTURE(place);
    CHECK(message.compare(0, place.size(), place) == 0);
    CHECK(message.find(violation.what, place.size()) != std::string::npos);
  }
}

TestSchedule rightSchedule() {
  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 2;
  return makeSchedule(Collective::allreduce, 0, 4, options);
}

TestProgram &program(TestSchedule &s) { return s.programs[0]; }
TestRank &rank(TestSchedule &s, int index) { return s.variant().ranks[index]; }

/// Returns the first operand of this kind that is a source or a destination.
TestOperand &operandOf(TestRank &rank, sched::OperandKind kind, bool source) {
  for (TestStep &step : rank.steps)
    for (uint32_t i = 0; i < uint32_t(step.sources) + step.destinations; ++i) {
      TestOperand &operand = rank.operands[step.operandsBegin + i];
      if (operand.kind == kind && (i < step.sources) == source)
        return operand;
    }
  throw std::logic_error("no such operand");
}

} // namespace

TEST_CASE("rules of the file and its topology") {
  checkEach(
      rightSchedule(),
      {{"topology.links[2]", "node 9 of 4",
        [](auto &s) { s.links[2].from = 9; }},
       {"topology.links[2]", "node 4 of 4", [](auto &s) { s.links[2].to = 4; }},
       {"topology.links[2]", "with itself",
        [](auto &s) { s.links[2].to = s.links[2].from; }},
       {"topology.links[0]", "bandwidth",
        [](auto &s) { s.links[0].bandwidth = 0; }},
       {"topology.links[0]", "bandwidth",
        [](auto &s) { s.links[0].bandwidth = -1; }},
       {"topology.links[0]", "bandwidth is not 0.001 to 1000000 GB/s",
        [](auto &s) { s.links[0].bandwidth = 1e-308; }},
       {"topology.links[0]", "latency is not 0 to 1000000 us",
        [](auto &s) { s.links[0].latency = 1e7; }},
       {"topology.links[0]", "bandwidth",
        [](auto &s) { s.links[0].bandwidth = kNan; }},
       {"topology.links[0]", "bandwidth",
        [](auto &s) { s.links[0].bandwidth = kInfinity; }},
       {"topology.links[0]", "latency",
        [](auto &s) { s.links[0].latency = -1; }},
       {"topology.links[0]", "latency",
        [](auto &s) { s.links[0].latency = kNan; }},
       {"topology.links[1]", "unknown link kind 6",
        [](auto &s) { s.links[1].kind = sched::LinkKind(6); }},
       {"topology.nodes[3]", "unknown node kind 4",
        [](auto &s) { s.nodes[3] = sched::NodeKind(4); }},
       {"topology.nodes[1]", "has a device and is not a nic",
        [](auto &s) { s.devices[1] = "eth1"; }},
       {"topology.nodes[1]", "a device without a name",
        [](auto &s) {
          s.nodes[1] = sched::NodeKind::nic;
          s.devices[1] = "";
        }},
       {"topology.name", "256 bytes, expected at most 255",
        [](auto &s) { s.topologyName.assign(256, 'x'); }},
       {"link_kinds", "unknown bits", [](auto &s) { s.linkKinds = 64; }},
       {"link_kinds", "no kind of link", [](auto &s) { s.linkKinds = 0; }},
       {"provenance.settings[1].name", "expected letters",
        [](auto &s) { s.settings = {{"gpus", "all"}, {"", "1"}}; }},
       {"provenance.settings[0].name", "expected letters",
        [](auto &s) { s.settings = {{"gpus=0 root", "1"}}; }},
       {"programs", "empty", [](auto &s) { s.programs.clear(); }},
       {"programs[1]", "same collective, root and allocation as programs[0]",
        [](auto &s) { s.programs.push_back(s.programs[0]); }}});
  TestSchedule wrong = rightSchedule();
  wrong.formatVersion = 2;
  CHECK(messageOf(wrong).find("format version 2, expected 3") == 0);
}

TEST_CASE("rules of programs") {
  checkEach(
      rightSchedule(),
      {{"programs[0].collective", "unknown collective 9",
        [](auto &s) { program(s).collective = Collective(9); }},
       {"programs[0].root", "has no root",
        [](auto &s) { program(s).root = 1; }},
       {"programs[0].root", "rank 4 of 4",
        [](auto &s) {
          program(s).collective = Collective::broadcast;
          program(s).root = 4;
        }},
       {"programs[0].allocation", "empty",
        [](auto &s) { program(s).allocation.clear(); }},
       {"programs[0].allocation[3]", "GPU 4 of 4",
        [](auto &s) { program(s).allocation[3] = 4; }},
       {"programs[0].allocation[3]", "GPU 1 twice",
        [](auto &s) { program(s).allocation[3] = 1; }},
       {"programs[0].allocation[2]", "GPU 2 of 2",
        [](auto &s) {
          s.nodes[1] = sched::NodeKind::cpu;
          s.nodes[3] = sched::NodeKind::nic;
        }},
       {"programs[0].algbw", "positive", [](auto &s) { program(s).algbw = 0; }},
       {"programs[0].algbw", "positive",
        [](auto &s) { program(s).algbw = kNan; }},
       {"programs[0].algbw", "positive",
        [](auto &s) { program(s).algbw = kInfinity; }},
       {"programs[0].certificate.bound", "positive",
        [](auto &s) { program(s).bound = kNan; }},
       {"programs[0].certificate.bound", "positive",
        [](auto &s) { program(s).bound = -1; }},
       {"programs[0].certificate.prices", "expected one for each of 12 links",
        [](auto &s) { program(s).prices.pop_back(); }},
       {"programs[0].certificate.prices[5]", ">= 0",
        [](auto &s) { program(s).prices[5] = -1; }},
       {"programs[0].certificate.prices[5]", ">= 0",
        [](auto &s) { program(s).prices[5] = kNan; }},
       {"programs[0].variants", "empty",
        [](auto &s) { program(s).variants.clear(); }}});
  TestSchedule alone = makeSchedule(Collective::allreduce, 0, 1, {});
  checkEach(alone, {{"programs[0].algbw", "infinity",
                     [](auto &s) { program(s).algbw = 1; }},
                    {"programs[0].certificate.bound", "infinity",
                     [](auto &s) { program(s).bound = 1; }}});
}

TEST_CASE("rules of variants") {
  checkEach(
      rightSchedule(),
      {{"programs[0].variants[0].min_bytes", "expected 0",
        [](auto &s) { s.variant().minBytes = 1; }},
       {"programs[0].variants[0].max_bytes", "empty",
        [](auto &s) { s.variant().maxBytes = 0; }},
       {"programs[0].variants[0].max_bytes", "no limit",
        [](auto &s) { s.variant().maxBytes = 4096; }},
       {"programs[0].variants[1].min_bytes", "4097, expected 4096",
        [](auto &s) {
          program(s).variants.push_back(s.variant());
          program(s).variants[0].maxBytes = 4096;
          program(s).variants[1].minBytes = 4097;
        }},
       {"programs[0].variants[0].protocol", "unknown protocol 2",
        [](auto &s) { s.variant().protocol = sched::Protocol(2); }},
       {"programs[0].variants[0].chunk_bytes", "0, expected",
        [](auto &s) { s.variant().chunks.bytes = 0; }},
       {"programs[0].variants[0].chunk_bytes", "24, expected",
        [](auto &s) { s.variant().chunks.bytes = 24; }},
       {"programs[0].variants[0].chunk_bytes", "expected a multiple",
        [](auto &s) { s.variant().chunks.bytes = (64u << 20) + 16; }},
       {"programs[0].variants[0].least_chunk_bytes", "0, expected",
        [](auto &s) { s.variant().chunks.leastBytes = 0; }},
       {"programs[0].variants[0].least_chunk_bytes", "80, expected",
        [](auto &s) { s.variant().chunks.leastBytes = 80; }},
       {"programs[0].variants[0].least_chunk_bytes", "expected a multiple",
        [](auto &s) { s.variant().chunks.leastBytes = 128u << 20; }},
       {"programs[0].variants[0].least_chunks", "0, expected",
        [](auto &s) { s.variant().chunks.leastChunks = 0; }},
       {"programs[0].variants[0].ranks", "3 rank programs",
        [](auto &s) { s.variant().ranks.pop_back(); }},
       {"programs[0].variants[0].ranks", "5 rank programs",
        [](auto &s) { s.variant().ranks.push_back(rank(s, 0)); }}});
  TestSchedule two = rightSchedule();
  program(two).variants.push_back(two.variant());
  program(two).variants[0].maxBytes = program(two).variants[1].minBytes = 4096;
  CHECK(messageOf(two) == "");
}

TEST_CASE("rules of times") {
  using Point = sched::TimePoint;
  TestSchedule timed = rightSchedule();
  timed.variant().times = {Point(0, 3), Point(100, 5), Point(1000, 5)};
  checkEach(timed,
            {{"programs[0].variants[0].times", "1 points, expected at least",
              [](auto &s) { s.variant().times.resize(1); }},
             {"programs[0].variants[0].times[0]", "8 bytes, expected 0",
              [](auto &s) { s.variant().times[0] = Point(8, 3); }},
             {"programs[0].variants[0].times[1]", "0 bytes, expected more",
              [](auto &s) { s.variant().times[1] = Point(0, 5); }},
             {"programs[0].variants[0].times[2]", "99 bytes, expected more",
              [](auto &s) { s.variant().times[2] = Point(99, 5); }},
             {"programs[0].variants[0].times[0]", "not a number >= 0",
              [](auto &s) { s.variant().times[0] = Point(0, -1); }},
             {"programs[0].variants[0].times[1]", "not a number >= 0",
              [](auto &s) { s.variant().times[1] = Point(100, kNan); }},
             {"programs[0].variants[0].times[2]", "not a number >= 0",
              [](auto &s) { s.variant().times[2] = Point(1000, kInfinity); }},
             {"programs[0].variants[0].times[2]", "less time than the point",
              [](auto &s) { s.variant().times[2] = Point(1000, 4); }}});
  // The time may fall at first, since calls that do without slots save time.
  timed.variant().times[1] = Point(100, 2);
  CHECK(messageOf(timed) == "");
}

TEST_CASE("rules of trees") {
  checkEach(rightSchedule(),
            {{"programs[0].variants[0].trees[1]", "block 1 of 1",
              [](auto &s) { s.variant().trees[1].block = 1; }},
             {"programs[0].variants[0].trees[1]", "rank 4 of 4",
              [](auto &s) { s.variant().trees[1].root = 4; }},
             {"programs[0].variants[0].trees[0]", "expected more than 0",
              [](auto &s) { s.variant().trees[0].numerator = 0; }},
             {"programs[0].variants[0].trees[0]", "at most 1",
              [](auto &s) { s.variant().trees[0].denominator = 0; }},
             {"programs[0].variants[0].trees[1]", "denominator",
              [](auto &s) { s.variant().trees[1].denominator += 1; }},
             {"programs[0].variants[0].trees[1]", "more than one",
              [](auto &s) { s.variant().trees[1].numerator += 1; }},
             {"programs[0].variants[0].trees", "less than one",
              [](auto &s) {
                s.variant().trees[0].denominator *= 3;
                s.variant().trees[1].denominator *= 3;
              }},
             {"programs[0].variants[0].trees", "less than one",
              [](auto &s) { s.variant().trees.clear(); }},
             {"programs[0].variants[0].trees[2]", "block 0", [](auto &s) {
                s.variant().trees.push_back(s.variant().trees[0]);
              }}});
  BuildOptions options;
  options.treesPerBlock = 2;
  checkEach(
      makeSchedule(Collective::allgather, 0, 3, options),
      {{"programs[0].variants[0].trees[2]", "block 0, expected 1",
        [](auto &s) { s.variant().trees[2].block = 0; }},
       {"programs[0].variants[0].trees[0]", "block 1, expected 0",
        [](auto &s) { std::swap(s.variant().trees[0], s.variant().trees[2]); }},
       {"programs[0].variants[0].trees[1]", "block 1, expected 0",
        [](auto &s) { s.variant().trees[1].block = 1; }}});
}

TEST_CASE("rules of channels") {
  const char *place = "programs[0].variants[0].channels[1]";
  checkEach(
      rightSchedule(),
      {{place, "tree 2 of 2",
        [](auto &s) { s.variant().channels[1].tree = 2; }},
       {place, "path ends at link 4294967296 of 12",
        [](auto &s) { s.variant().channels[1].pathBegin = 0xffffffffu; }},
       {place, "path ends",
        [](auto &s) { s.variant().channels[1].pathCount = 60000; }},
       {place, "path of 12 links among 4 nodes; expected fewer than 12",
        [](auto &s) {
          TestVariant &variant = s.variant();
          variant.channels[1].pathBegin = uint32_t(variant.paths.size());
          variant.channels[1].pathCount = 12;
          variant.paths.resize(variant.paths.size() + 12, 0);
        }},
       {"programs[0].variants[0].paths[1]", "link 12 of 12",
        [](auto &s) { s.variant().paths[1] = 12; }},
       {place, "source rank 4 of 4",
        [](auto &s) { s.variant().channels[1].source = 4; }},
       {place, "destination rank 9 of 4",
        [](auto &s) { s.variant().channels[1].destination = 9; }},
       {place, "with itself",
        [](auto &s) {
          s.variant().channels[1].source = s.variant().channels[1].destination;
        }},
       {place, "0 slots", [](auto &s) { s.variant().channels[1].slots = 0; }},
       {place, "1025 slots",
        [](auto &s) { s.variant().channels[1].slots = 1025; }},
       {place, "slots, expected no more than these",
        [](auto &s) { s.variant().channels[1].window = 1024; }},
       {place, "window 1 of a peer channel, expected 0",
        [](auto &s) { s.variant().channels[1].window = 1; }},
       {place, "unknown channel kind 3",
        [](auto &s) { s.variant().channels[1].kind = sched::ChannelKind(3); }},
       {"programs[0].variants[0].channels[12]", "writes it", [](auto &s) {
          s.variant().channels.push_back(s.variant().channels[0]);
        }}});
}

TEST_CASE("rules of lanes") {
  checkEach(
      rightSchedule(),
      {{"programs[0].variants[0].ranks[1].lanes[1]", "begins at step",
        [](auto &s) { rank(s, 1).lanes[1].stepsBegin += 1; }},
       {"programs[0].variants[0].ranks[1].lanes[1]", "empty",
        [](auto &s) { rank(s, 1).lanes[1].stepsCount = 0; }},
       {"programs[0].variants[0].ranks[1].lanes", "hold 2 steps of 4",
        [](auto &s) { rank(s, 1).lanes.pop_back(); }},
       {"programs[0].variants[0].ranks[1].lanes", "hold 4294967297 steps of 4",
        [](auto &s) { rank(s, 1).lanes[1].stepsCount = 0xffffffffu; }},
       {"programs[0].variants[0].ranks[1].lanes[1]", "begins at step",
        [](auto &s) {
          rank(s, 1).lanes[0].stepsCount = 0xffffffffu;
          rank(s, 1).lanes[1].stepsCount = 5;
        }}});
}

TEST_CASE("rules of steps and operands") {
  using sched::OperandKind;
  const char *place = "programs[0].variants[0].ranks[1].steps[0]";
  checkEach(
      rightSchedule(),
      {{place, "tree 7 of 2", [](auto &s) { rank(s, 1).steps[0].tree = 7; }},
       {"programs[0].variants[0].ranks[1].steps[1]",
        "delay 0 after 2 in its lane; expected no less",
        [](auto &s) { rank(s, 1).steps[0].delay = 2; }},
       {place, "no source", [](auto &s) { rank(s, 1).steps[0].sources = 0; }},
       {place, "no destination",
        [](auto &s) { rank(s, 1).steps[0].destinations = 0; }},
       {place, "operands end at",
        [](auto &s) { rank(s, 1).steps[0].operandsBegin = 0xffffffffu; }},
       {place, "operands end at",
        [](auto &s) { rank(s, 1).steps[0].sources = 0xffff; }},
       {"programs[0].variants[0].ranks[1].operands", "1 belong to no step",
        [](auto &s) {
          rank(s, 1).operands.push_back({sched::OperandKind::input, 99});
        }},
       {"programs[0].variants[0].ranks[1].steps[3]", "shares operands",
        [](auto &s) {
          // Without the shared operands, this would be a fold like step 2.
          rank(s, 1).operands.pop_back();
          rank(s, 1).steps[3] = rank(s, 1).steps[2];
        }},
       {place, "channel 99 of 12",
        [](auto &s) {
          operandOf(rank(s, 1), OperandKind::channel, false).index = 99;
        }},
       {place, "unknown operand kind 3",
        [](auto &s) { rank(s, 1).operands[0].kind = OperandKind(3); }},
       {place, "input block 1 of 1",
        [](auto &s) { rank(s, 1).operands[0].index = 1; }},
       {place, "output block 4294967295 of 1",
        [](auto &s) {
          rank(s, 1).operands[0] = {OperandKind::output, 0xffffffffu};
        }},
       {place, "read only", [](auto &s) {
          operandOf(rank(s, 1), OperandKind::channel,
                    false) = {OperandKind::input, 0};
        }}});
}

TEST_CASE("rules of both ends of a channel") {
  using sched::OperandKind;
  TestSchedule right = rightSchedule();
  // A star: find the hub and a leaf.
  int hub = right.variant().trees[0].root, leaf = (hub + 1) % 4;
  auto isChannel = [](const TestOperand &o) {
    return o.kind == OperandKind::channel;
  };
  auto first = [&](TestRank &r) -> TestOperand & {
    return *std::find_if(r.operands.begin(), r.operands.end(), isChannel);
  };
  uint32_t written = first(right.variant().ranks[leaf]).index;
  std::string leafAt =
      "programs[0].variants[0].ranks[" + std::to_string(leaf) + "].steps[0]";

  SUBCASE("a destination must start here") {
    TestSchedule s = right;
    for (uint32_t i = 0; i < 12; ++i)
      if (s.variant().channels[i].source != leaf &&
          s.variant().channels[i].tree == 0)
        first(rank(s, leaf)).index = i;
    CHECK(messageOf(s).find(leafAt + ": channel ") == 0);
    CHECK(messageOf(s).find("but starts at rank") != std::string::npos);
  }
  SUBCASE("a source must end here") {
    TestSchedule s = right;
    rank(s, leaf).operands[0] = {OperandKind::channel, written};
    CHECK(messageOf(s).find("but ends at rank") != std::string::npos);
  }
  SUBCASE("a channel serves one tree") {
    TestSchedule s = right;
    s.variant().channels[written].tree ^= 1;
    CHECK(messageOf(s).find("belongs to tree 1") != std::string::npos);
  }
  SUBCASE("one step writes it") {
    TestSchedule s = right;
    TestRank &r = rank(s, leaf);
    // Add a step to the last lane that writes the same channel.
    r.steps.push_back({s.variant().channels[written].tree,
                       uint32_t(r.operands.size()), 1, 1, false});
    r.operands.push_back({OperandKind::input, 0});
    r.operands.push_back({OperandKind::channel, written});
    r.lanes.back().stepsCount += 1;
    CHECK(messageOf(s).find("is written twice") != std::string::npos);
  }
  SUBCASE("one step reads it") {
    TestSchedule s = right;
    TestRank &r = rank(s, hub);
    r.steps.push_back({s.variant().channels[written].tree,
                       uint32_t(r.operands.size()), 1, 1, false});
    r.operands.push_back({OperandKind::channel, written});
    r.operands.push_back({OperandKind::output, 0});
    r.lanes.back().stepsCount += 1;
    CHECK(messageOf(s).find("is read twice") != std::string::npos);
  }
  SUBCASE("no step reads it") {
    TestSchedule s = right;
    for (TestStep &step : rank(s, hub).steps)
      for (uint32_t i = 0; i < step.sources; ++i) {
        // Replace the channel among the sources by the output.
        TestOperand &o = rank(s, hub).operands[step.operandsBegin + i];
        if (isChannel(o) && o.index == written)
          o = {OperandKind::output, 0};
      }
    std::string channel = "channels[" + std::to_string(written) + "]";
    CHECK(messageOf(s).find("programs[0].variants[0]." + channel +
                            ": no step of rank") == 0);
    CHECK(messageOf(s).find("reads it") != std::string::npos);
  }
  SUBCASE("no source twice") {
    TestSchedule s = right;
    TestRank &r = rank(s, leaf);
    r.steps.push_back({0, uint32_t(r.operands.size()), 2, 1, false});
    r.operands.push_back({OperandKind::input, 0});
    r.operands.push_back({OperandKind::input, 0});
    r.operands.push_back({OperandKind::output, 0});
    r.lanes.back().stepsCount += 1;
    CHECK(messageOf(s).find("input block 0 is a source twice") !=
          std::string::npos);
    // The input and the output are different things to read.
    r.operands[r.operands.size() - 2] = {OperandKind::output, 0};
    CHECK(messageOf(s) == "");
    r.steps.back().sources = 1;
    r.steps.back().destinations = 2;
    CHECK(messageOf(s).find("output block 0 is a destination twice") !=
          std::string::npos);
  }
}

TEST_CASE("rules of relays") {
  // Ranks 0 and 1, with GPU 2 as a relay that forwards rank 0's data.
  BuildOptions options;
  TestSchedule right = makeSchedule(Collective::broadcast, 0, 3, options);
  program(right).allocation = {0, 1};
  program(right).relays = {2};
  TestVariant &variant = right.variant();
  variant.trees = {{1, 1, 0, 0, 1, {-1, 0}}};
  variant.channels.assign(2, {});
  variant.channels[0].source = 0;
  variant.channels[0].destination = 2;
  variant.channels[1].source = 2;
  variant.channels[1].destination = 1;
  variant.paths = {1, 5}; // links 0 -> 2 and 2 -> 1
  variant.channels[0].pathCount = variant.channels[1].pathCount = 1;
  variant.channels[1].pathBegin = 1;
  auto channel = [](uint32_t index) {
    return TestOperand{sched::OperandKind::channel, index};
  };
  TestOperand input{sched::OperandKind::input, 0};
  TestOperand output{sched::OperandKind::output, 0};
  variant.ranks = {rankOf({{{0, {input}, {output, channel(0)}, false}}}),
                   rankOf({{{0, {channel(1)}, {output}, false}}}),
                   rankOf({{{0, {channel(0)}, {channel(1)}, false}}})};
  CHECK(messageOf(right) == "");
  checkEach(right,
            {{"programs[0].relays[0]", "GPU 1 is a rank or a relay already",
              [](auto &s) { program(s).relays = {1}; }},
             {"programs[0].relays[0]", "GPU 3 of 3",
              [](auto &s) { program(s).relays = {3}; }},
             {"programs[0].variants[0].ranks", "2 ranks and 1 relays",
              [](auto &s) { s.variant().ranks.pop_back(); }},
             {"programs[0].variants[0].channels[0]", "destination rank 3 of 3",
              [](auto &s) { s.variant().channels[0].destination = 3; }},
             {"programs[0].variants[0].ranks[2].steps[0]",
              "of a relay, which has none", [=](auto &s) {
                s.variant().ranks[2] =
                    rankOf({{{0, {channel(0)}, {channel(1), output}, false}}});
              }}});
}

TEST_CASE("rules of a sendrecv") {
  using sched::OperandKind;
  // Tree 3 s + d is for messages from rank s to rank d.
  TestSchedule right = makeSchedule(Collective::sendrecv, 0, 3, {});
  const auto input = [](uint32_t block) {
    return TestOperand{OperandKind::input, block};
  };
  const auto output = [](uint32_t block) {
    return TestOperand{OperandKind::output, block};
  };
  const auto channel = [](uint32_t index) {
    return TestOperand{OperandKind::channel, index};
  };
  const auto add = [](TestSchedule &s, int to, const TestFold &fold) {
    TestRank &own = rank(s, to);
    own.lanes.push_back({uint32_t(own.steps.size()), 1});
    own.steps.push_back({fold.tree, uint32_t(own.operands.size()),
                         uint16_t(fold.sources.size()),
                         uint16_t(fold.destinations.size())});
    for (const auto *list : {&fold.sources, &fold.destinations})
      own.operands.insert(own.operands.end(), list->begin(), list->end());
  };
  const auto addChannel = [](TestSchedule &s, uint32_t tree, uint16_t source,
                             uint16_t destination) {
    TestChannel more = s.variant().channels[0];
    more.tree = tree;
    more.source = source;
    more.destination = destination;
    s.variant().channels.push_back(more);
    return uint32_t(s.variant().channels.size() - 1);
  };
  // Adds a tree without channels and steps that takes half of a tree's share.
  const auto divide = [](TestSchedule &s, uint32_t tree) {
    auto &trees = s.variant().trees;
    trees[tree].numerator = 1;
    trees[tree].denominator = 2;
    trees.insert(trees.begin() + tree, TestTree(trees[tree]));
    for (TestChannel &one : s.variant().channels)
      one.tree += one.tree >= tree;
    for (TestRank &own : s.variant().ranks)
      for (TestStep &step : own.steps)
        step.tree += step.tree >= tree;
  };
  // The channel from rank 0 to rank 1, and the step that writes it.
  REQUIRE(right.variant().channels[0].tree == 1);
  REQUIRE(right.variant().channels.size() == 6);
  uint32_t sends = 0;
  while (rank(right, 0).steps[sends].tree != 1)
    ++sends;
  const std::string step =
      "programs[0].variants[0].ranks[0].steps[" + std::to_string(sends) + "]";
  const char *expected = "expected a step that copies to its tree's channel "
                         "from input block 1, or from there to output block 0";
  checkEach(
      right,
      {// A message from rank 0 to rank 1 over rank 2, which does not run then.
       {"programs[0].variants[0].channels[0]",
        "joins ranks 0 and 2, but a message of block 1 goes from rank 0 to "
        "rank 1 in one hop",
        [&](auto &s) {
          s.variant().channels[0].destination = 2;
          const uint32_t second = addChannel(s, 1, 2, 1);
          for (TestOperand &operand : rank(s, 1).operands)
            if (operand.kind == OperandKind::channel && operand.index == 0)
              operand.index = second;
          add(s, 2, {1, {channel(0)}, {channel(second)}});
        }},
       {"programs[0].variants[0].channels[6]",
        "a second one of tree 1, expected one",
        [&](auto &s) {
          const uint32_t second = addChannel(s, 1, 0, 1);
          add(s, 0, {1, {input(1)}, {channel(second)}});
          add(s, 1, {1, {channel(second)}, {output(0)}});
        }},
       {"programs[0].variants[0].channels[6]",
        "a message of block 0 stays on rank 0",
        [&](auto &s) {
          const uint32_t there = addChannel(s, 0, 0, 1);
          add(s, 0, {0, {input(0)}, {channel(there)}});
          add(s, 1, {0, {channel(there)}, {output(0)}});
        }},
       {"programs[0].variants[0].trees[1]",
        "expected a channel from rank 0 to rank 1",
        [&](auto &s) { divide(s, 1); }},
       {"programs[0].variants[0].trees[0]", "expected a step on rank 0",
        [&](auto &s) { divide(s, 0); }},
       {"programs[0].variants[0].ranks[0].steps[5]",
        "expected the one step of its tree, which copies input block 0 to "
        "output block 0",
        [&](auto &s) { add(s, 0, {0, {input(0)}, {output(0)}}); }},
       {step.c_str(), expected,
        [&](auto &s) {
          TestStep &own = rank(s, 0).steps[sends];
          rank(s, 0).operands[own.operandsBegin].index = 2;
        }},
       {step.c_str(), expected, [&](auto &s) {
          // What rank 0 sends is copied to its own output, too.
          auto &[lanes, steps, operands] = rank(s, 0);
          const uint32_t begin = steps[sends].operandsBegin;
          operands.insert(operands.begin() + begin + 2, output(0));
          ++steps[sends].destinations;
          for (TestStep &other : steps)
            other.operandsBegin += other.operandsBegin > begin;
        }}});
}

TEST_CASE("rules of accumulation") {
  BuildOptions options;
  options.shape = Shape::chain;
  TestSchedule right = makeSchedule(Collective::allreduce, 0, 3, options);
  program(right).accumulate = sched::Accumulation::f32;
  // A sum that no step completes remains a partial sum down to its last copy.
  const auto complete = [](TestSchedule &s, bool completes) {
    for (TestRank &rank : s.variant().ranks)
      for (TestStep &step : rank.steps)
        if (step.sources == 2)
          step.completes = completes;
  };
  checkEach(right,
            {{"programs[0].accumulate", "unknown accumulation 2",
              [](auto &s) { program(s).accumulate = sched::Accumulation(2); }},
             {"programs[0].accumulate",
              "f32, expected none: broadcast "
              "adds nothing",
              [](auto &s) {
                s = makeSchedule(Collective::broadcast, 0, 3, {});
                program(s).accumulate = sched::Accumulation::f32;
              }}});
  TestSchedule wrong = right;
  complete(wrong, false);
  CHECK(messageOf(wrong).find("writes a partial sum to the output, which has "
                              "no room for float32") != std::string::npos);
  program(wrong).accumulate = sched::Accumulation::none;
  CHECK(messageOf(wrong) == "");
  // A completed sum is not a partial sum.
  complete(right, true);
  CHECK(messageOf(right) == "");
}

TEST_CASE("rules of switches that work for trees") {
  // Two stars of rank 0, both over node 4. GPU 0's links with it are 12 and 13,
  // and so on.
  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 2;
  TestSchedule right = makeSchedule(Collective::allreduce, 0, 4, options);
  leadOverSwitch(right);
  REQUIRE(right.links.size() == 20);
  REQUIRE(right.variant().trees.size() == 2);
  right.variant().switches = {{0, 12, 13, true, true},
                              {1, 12, 13, true, false}};
  const char *first = "programs[0].variants[0].switches[0]";
  const char *second = "programs[0].variants[0].switches[1]";
  using sched::SwitchUse;
  auto use = [](const SwitchUse &value) {
    return [=](TestSchedule &s) { s.variant().switches[0] = value; };
  };
  checkEach(
      right,
      {{second, "tree 0 after 0, expected one that follows",
        [](auto &s) { s.variant().switches[1] = s.variant().switches[0]; }},
       {second, "tree 2 of 2",
        [](auto &s) {
          s.variant().switches[1] = SwitchUse(2, 12, 13, true, false);
        }},
       {first, "does nothing", use({0, 12, 13, false, false})},
       {first, "link 20 of 20", use({0, 20, 13, true, true})},
       {first, "link 20 of 20", use({0, 12, 20, true, true})},
       {first, "do not join the root with one switch",
        use({0, 13, 12, true, true})},
       {first, "do not join the root with one switch",
        use({0, 14, 15, true, true})},
       {first, "do not join the root with one switch",
        use({0, 12, 15, true, true})},
       {first, "node4 cannot reduce", [](auto &s) { s.reduces.clear(); }},
       {first, "node4 cannot multicast", [](auto &s) { s.multicasts.clear(); }},
       {first, "is not one link to the switch and one from it",
        [](auto &s) {
          TestVariant &v = s.variant();
          v.paths.insert(v.paths.end(), {14, 13, 12, 13});
          for (TestChannel &channel : v.channels)
            if (channel.tree == 0 && channel.source == 1) {
              channel.pathBegin = uint32_t(v.paths.size()) - 4;
              channel.pathCount = 4;
            }
        }},
       {second, "channels to the root, expected one of each other rank, 3",
        [](auto &s) {
          s.variant().trees[1].root = 2;
          s.variant().switches[1] = SwitchUse(1, 16, 17, true, false);
        }},
       {first, "adds nothing",
        [](auto &s) { program(s).collective = Collective::broadcast; }}});
}
