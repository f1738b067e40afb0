//===- PaceTest.cpp - lanes in order, and clocks --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Compares the proved pace with running clocks: every fold of every round, one
// after the other, without any theorem.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Pace.h"
#include "compiler/verify/Progress.h"
#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <deque>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

/// A channel that carries chunks; times in rounds of busy links.
struct Flow {
  double latency = 0;
  size_t slots = 1;
  size_t window = SIZE_MAX;
  std::vector<double> writes;   ///< by chunk
  std::vector<double> arrivals; ///< by chunk
  std::vector<double> reads;    ///< by chunk
  double busyUntil = 0;

  /// Returns false if what is known so far does not allow the chunk to be sent.
  bool hasArrived(size_t chunk) {
    while (arrivals.size() <= chunk) {
      const size_t next = arrivals.size();
      if (writes.size() <= next ||
          (next >= window && reads.size() <= next - window))
        return false;
      double sent = std::max(busyUntil, writes[next]);
      if (next >= window)
        sent = std::max(sent, reads[next - window] + latency);
      busyUntil = sent + 1;
      arrivals.push_back(busyUntil + latency);
    }
    return true;
  }
};

struct RunningLane {
  std::vector<TestFold> folds;
  size_t fold = 0;
  size_t round = 0;
  double time = 0;
};

/// Returns the length of a round of the first variant after `rounds` rounds, in
/// units of a round of busy links, which takes `microseconds`.
double measuredInterval(TestSchedule schedule, double microseconds,
                        size_t rounds) {
  TestVariant &variant = schedule.variant();
  std::vector<Flow> flows(variant.channels.size());
  for (size_t c = 0; c < flows.size(); ++c) {
    const TestChannel &channel = variant.channels[c];
    flows[c].slots = channel.slots;
    if (channel.window > 0)
      flows[c].window = channel.window;
    for (int hop = 0; hop < channel.pathCount; ++hop)
      flows[c].latency +=
          schedule.links[variant.paths[channel.pathBegin + uint32_t(hop)]]
              .latency /
          microseconds;
  }
  std::vector<RunningLane> lanes;
  for (const TestRank &rank : variant.ranks)
    for (const std::vector<TestFold> &lane : lanesOf(rank)) {
      lanes.emplace_back();
      lanes.back().folds = lane;
    }

  // Runs the lane's fold if the time of everything that it waits for is known.
  auto step = [&](RunningLane &lane) {
    const TestFold &fold = lane.folds[lane.fold];
    if (fold.delay <= lane.round) {
      const size_t chunk = lane.round - fold.delay;
      double time = lane.time;
      for (const TestOperand &from : fold.sources)
        if (from.kind == sched::OperandKind::channel) {
          if (!flows[from.index].hasArrived(chunk))
            return false;
          time = std::max(time, flows[from.index].arrivals[chunk]);
        }
      for (const TestOperand &to : fold.destinations)
        if (to.kind == sched::OperandKind::channel) {
          Flow &flow = flows[to.index];
          if (chunk >= flow.slots) {
            if (flow.reads.size() <= chunk - flow.slots)
              return false;
            time =
                std::max(time, flow.reads[chunk - flow.slots] + flow.latency);
          }
        }
      for (const TestOperand &from : fold.sources)
        if (from.kind == sched::OperandKind::channel)
          flows[from.index].reads.push_back(time);
      for (const TestOperand &to : fold.destinations)
        if (to.kind == sched::OperandKind::channel)
          flows[to.index].writes.push_back(time);
      lane.time = time;
    }
    if (++lane.fold == lane.folds.size()) {
      lane.fold = 0;
      ++lane.round;
    }
    return true;
  };
  auto runTo = [&](size_t last) {
    for (bool moved = true; moved;) {
      moved = false;
      for (RunningLane &lane : lanes)
        while (lane.round < last && step(lane))
          moved = true;
    }
    double time = 0;
    for (const RunningLane &lane : lanes) {
      REQUIRE(lane.round == last);
      time = std::max(time, lane.time);
    }
    return time;
  };
  const double before = runTo(rounds / 2);
  return (runTo(rounds) - before) / double(rounds - rounds / 2);
}

/// The pace of the first variant, and the microseconds of a round at that pace.
struct ProvedPace {
  verify::Pace pace;
  double microseconds;
};

ProvedPace provedPace(const TestSchedule &schedule) {
  const OpenedSchedule opened(schedule);
  const sched::Program &program = opened.program();
  const sched::Variant &variant = *program.variants()->Get(0);
  const verify::Semantics semantics(program);
  double largest = 0;
  for (const sched::Tree *tree : *variant.trees())
    largest =
        std::max(largest, double(tree->numerator()) / tree->denominator());
  const double bytes = variant.chunk_bytes() * semantics.numBlocks() / largest;
  const verify::FoldGraph graph(variant);
  const verify::Cut cut = verify::cutOf(semantics, variant, program.algbw());
  return {verify::paceOf(verify::TimedGraph(
              verify::TopologyView(*opened.file, program), graph, cut, {})),
          bytes / program.algbw() / 1e3};
}

/// Returns a chain of three ranks with one lane each. GPU 1 passes on `delay`
/// rounds after the first rank.
TestSchedule chain(uint16_t delay, uint16_t slots) {
  TestSchedule schedule = emptySchedule(Collective::broadcast, 3);
  const uint32_t first = addChannel(schedule, 0, 1);
  const uint32_t second = addChannel(schedule, 1, 2);
  for (TestChannel &channel : schedule.variant().channels)
    channel.slots = slots;
  schedule.variant().ranks = {
      rankOf({{{0, {input()}, {output(), channel(first)}, false, 0}}}),
      rankOf(
          {{{0, {channel(first)}, {output(), channel(second)}, false, delay}}}),
      rankOf(
          {{{0, {channel(second)}, {output()}, false, uint16_t(2 * delay)}}})};
  settleRates(schedule);
  return schedule;
}

} // namespace

TEST_CASE("the pace that is proved is the one that clocks measure") {
  std::mt19937 random(7);
  int slow = 0, full = 0;
  for (Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::allgather,
        Collective::reducescatter, Collective::reduce})
    for (int variation = 0; variation < 40; ++variation) {
      TestSchedule schedule =
          variedSchedule(collective, variation, 4 << 10, random);
      if (variation % 4 >= 2)
        addWindows(schedule, random);
      const ProvedPace proved = provedPace(schedule);
      const double interval =
          measuredInterval(schedule, proved.microseconds, 2000);
      CAPTURE(int(collective));
      CAPTURE(variation);
      CHECK(interval * proved.pace.quotient ==
            doctest::Approx(1).epsilon(2e-3));
      CHECK((proved.pace.quotient == 1) == proved.pace.circle.empty());
      ++(proved.pace.quotient < 0.99 ? slow : full);
    }
  // Both kinds occur.
  CHECK(slow > 40);
  CHECK(full > 40);
}

TEST_CASE("what keeps lanes from the links' rate") {
  // Rounds of 4.096 us, latencies of 1 us.
  const double round = 4.096;
  // The next chunk leaves when the writer knows that the last one's slot is
  // free.
  ProvedPace proved = provedPace(chain(0, 1));
  CHECK(proved.microseconds == doctest::Approx(round));
  CHECK(proved.pace.quotient == doctest::Approx(round / (round + 2)));
  CHECK(proved.pace.circle.size() == 2);
  // With a second slot, chunks follow each other.
  CHECK(provedPace(chain(0, 2)).pace.quotient == 1);
  CHECK(provedPace(chain(1, 2)).pace.quotient == 1);
  TestSchedule slow = chain(1, 2);
  slow.links[0].latency = 3.5; // 0 -> 1
  CHECK(provedPace(slow).pace.quotient ==
        doctest::Approx(2 * round / (round + 7)));
  // A window holds back chunks, not their writer: two chunks per round trip,
  // although there are slots for four. The reader waits for itself.
  slow = chain(1, 4);
  slow.links[0].latency = 3.5;
  CHECK(provedPace(slow).pace.quotient == 1);
  slow.variant().channels[0].kind = sched::ChannelKind::network;
  slow.variant().channels[0].window = 2;
  proved = provedPace(slow);
  CHECK(proved.pace.quotient == doctest::Approx(2 * round / (round + 7)));
  CHECK(proved.pace.circle.size() == 1);
  // With a window of one, no lag is too large.
  slow = chain(2, 4);
  slow.variant().channels[0].kind = sched::ChannelKind::network;
  slow.variant().channels[0].window = 1;
  CHECK(!verify::checkProgress(
      verify::FoldGraph(*OpenedSchedule(slow).program().variants()->Get(0))));
  CHECK(provedPace(slow).pace.quotient == doctest::Approx(round / (round + 2)));
}

TEST_CASE("a report names the circle that is slowest") {
  const VerifyReport report = judge(chain(0, 1));
  CHECK(report.ok);
  CHECK(report.links == doctest::Approx(1));
  CHECK(report.pace == doctest::Approx(4.096 / 6.096));
  CHECK(report.algbw == report.links * report.pace);
  const std::string detail = detailOf(report, "pace");
  CAPTURE(detail);
  CHECK(detail.find("lanes in order keep 67.19 % of the links' rate; the "
                    "slowest circle is rank ") == 0);
  // At 1 GB/s.
  CHECK(detailOf(judge(chain(0, 2)), "pace") ==
        "lanes in order keep all of the links' rate; at most, 256 MiB in "
        "268.4 ms");
}

TEST_CASE("lanes that wait for each other have no pace") {
  // A rank reads a chunk later than there are slots for.
  BuildOptions options;
  options.lanes = 1;
  options.slots = 4;
  for (const uint16_t delay : {4, 5, 6, 10, 1000, 65535}) {
    TestSchedule schedule = makeSchedule(Collective::allreduce, 0, 2, options);
    std::vector<TestRank> &ranks = schedule.variant().ranks;
    std::vector<TestStep> &steps = ranks[ranks[1].steps.size() == 2].steps;
    REQUIRE(steps.size() == 2); // not the root's
    steps[1].delay = delay;
    const VerifyReport report = judge(schedule);
    CAPTURE(delay);
    CHECK(report.ok == (delay <= 4));
    const OpenedSchedule opened(schedule);
    const double pace = paceOf(*opened.file, opened.program());
    CHECK((pace > 0 || delay > 4));
    CHECK((pace == 0 || delay < 10)); // this once had no end
  }
}

TEST_CASE("the proof of a small file takes little memory") {
  // Chunks of 64 MiB in waves of 3,840 bytes, slots for 1,024 rounds, and
  // 60,000 rounds before the first chunk: a clock would take 2 GB for those
  // that it could run.
  constexpr uint16_t delay = 60000;
  TestSchedule schedule = emptySchedule(Collective::allreduce, 2);
  TestVariant &variant = schedule.variant();
  variant.protocol = sched::Protocol::low_latency;
  variant.chunks = 64u << 20;
  variant.chunks.leastChunks = 1;
  variant.trees.assign(4, variant.trees[0]);
  TestLanes lanes[2];
  for (uint32_t tree = 0; tree < 4; ++tree) {
    variant.trees[tree].numerator = 1;
    variant.trees[tree].denominator = 4;
    const uint32_t up = addChannel(schedule, 0, 1);
    const uint32_t down = addChannel(schedule, 1, 0);
    for (uint32_t one : {up, down}) {
      variant.channels[one].tree = tree;
      variant.channels[one].slots = 1024;
    }
    lanes[0].push_back({{tree, {input()}, {channel(up)}, false, delay}});
    lanes[0].push_back({{tree, {channel(down)}, {output()}, false, delay}});
    lanes[1].push_back({{tree,
                         {channel(up), input()},
                         {output(), channel(down)},
                         true,
                         delay}});
  }
  variant.ranks = {rankOf(lanes[0]), rankOf(lanes[1])};
  const OpenedSchedule opened(schedule);
  const pid_t child = fork();
  if (child == 0) {
    VerifyOptions options;
    options.times = true;
    const VerifyReport report =
        verifyProgram(*opened.file, opened.program(), options);
    _exit(report.times.size() == 1 ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = 0;
  rusage usage{};
  REQUIRE(wait4(child, &status, 0, &usage) == child);
  CHECK(status == 0);
  CHECK(usage.ru_maxrss < (500 << 10)); // KiB
}
