//===- SimulateTest.cpp - simulations against hand and proof --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/Simulate.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/support/FairShares.h"
#include "compiler/support/Infinity.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/verify/Pace.h"
#include "compiler/verify/Verify.h"
#include "test/common/OpenedSchedule.h"
#include "test/unit/simulate/SimulateSupport.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <cmath>

using namespace blink;
using namespace blink::test;
using Operand = FoldProgram::Operand;

namespace {

double timeOf(const FoldProgram &program, uint64_t bytes,
              const SimulationOptions &options = {}) {
  return valueOf(simulate(program, sched::Protocol::simple, 64 << 10, bytes,
                          options))
      .microseconds;
}

/// Two ranks below a root, or above: 10 GB/s each.
FoldProgram star(bool up) {
  using Operand = FoldProgram::Operand;
  FoldProgram program = programOf(3, {10, 10});
  std::vector<Operand> children;
  for (int child : {1, 2})
    children.push_back(
        Operand::channel(up ? channel(program, child, 0, {child - 1}, 2)
                            : channel(program, 0, child, {child - 1}, 2)));
  if (up)
    program.addFold(0, 0, true, {children[0], children[1]},
                    {Operand::output()});
  else
    program.addFold(0, 0, false, {Operand::input()}, children);
  for (int child : {1, 2})
    program.addFold(child, 0, false,
                    {up ? Operand::input() : children[size_t(child - 1)]},
                    {up ? children[size_t(child - 1)] : Operand::output()});
  addLanes(program);
  return program;
}

} // namespace

TEST_CASE("a message down a chain, by hand") {
  // 10 GB/s: 6.5536 us a chunk, and 1 us of latency; 5 GB/s: twice that.
  const double chunk = 6.5536;
  CHECK(timeOf(chain(2), 64 << 10) == doctest::Approx(3 * chunk + 2));
  // The second link is the slower one: it has chunk after chunk.
  CHECK(timeOf(chain(2), 256 << 10) ==
        doctest::Approx(chunk + 1 + 4 * 2 * chunk + 1));
  // With one slot each chunk waits until its reader has read the last, and the
  // news of that has come.
  CHECK(timeOf(chain(1), 256 << 10) ==
        doctest::Approx(chunk + 1 + 4 * 2 * chunk + 3 * 2 + 1));
  // Each fold takes 2 us of its lane; what it writes leaves at once.
  SimulationOptions slow;
  slow.stepCost = 2;
  CHECK(timeOf(chain(2), 64 << 10, slow) == doctest::Approx(3 * chunk + 2 + 2));
  const Simulation simulation =
      valueOf(simulate(chain(2), sched::Protocol::simple, 64 << 10, 256 << 10));
  CHECK(simulation.chunks == 8);
  CHECK(simulation.folds == 12);
  CHECK(simulation.linkUse[1] ==
        doctest::Approx(8 * chunk / simulation.microseconds));
  // Words with flags are twice the bytes.
  CHECK(valueOf(simulate(chain(2), sched::Protocol::low_latency, 64 << 10,
                         64 << 10))
            .microseconds == doctest::Approx(6 * chunk + 2));
}

TEST_CASE("each hop takes a while until it is noticed") {
  const double chunk = 6.5536;
  SimulationOptions late;
  late.notice = 3;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
  // Long messages hide it: only the last chunk has to be noticed again.
  CHECK(timeOf(chain(2), 256 << 10, late) ==
        doctest::Approx(chunk + 1 + 3 + 4 * 2 * chunk + 1 + 3));
  // What a step takes is part of it.
  late.stepCost = 2;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
  // A fold with one channel has no gaps.
  late.gap = 5;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
}

TEST_CASE("a fold writes one channel after the other, and looks so") {
  // The root of a star of two writes both a gap apart; as a reduce it has
  // looked at the second a gap after the first. 10 GB/s, 1 us each.
  const double chunk = 6.5536;
  SimulationOptions options;
  options.gap = 5;
  for (bool up : {false, true}) {
    CAPTURE(up);
    CHECK(timeOf(star(up), 64 << 10, options) ==
          doctest::Approx(chunk + 1 + 5));
  }
}

TEST_CASE("a window keeps chunks back, not who writes them") {
  // Chunks take 13.1 us on the second link and 1 us of latency each way: with a
  // window of one each waits for the news of the one before.
  const double chunk = 6.5536;
  FoldProgram program = chain(4);
  program.channels[1].kind = sched::ChannelKind::network;
  program.channels[1].window = 1;
  CHECK(timeOf(program, 256 << 10) ==
        doctest::Approx(chunk + 1 + 4 * 2 * chunk + 3 * 2 + 1));
  program.channels[1].window = 2;
  CHECK(timeOf(program, 256 << 10) == timeOf(chain(4), 256 << 10));
  // The writer of the first channel is done as early as without.
  SimulationOptions options;
  options.details = true;
  program.channels[1].window = 1;
  const Simulation simulation = valueOf(
      simulate(program, sched::Protocol::simple, 64 << 10, 256 << 10, options));
  CHECK(simulation.details.lanes[0].slots == 0);
  CHECK(simulation.details.lanes[1].slots == 0);
}

TEST_CASE("a link's queue gives each channel what it has in it") {
  // Two messages over one link, of which the second is four times the first,
  // and so are its chunks: with windows of as many chunks they are over at the
  // same time, with windows of as many bytes the first is long before.
  auto secondsOf = [](int firstWindow) {
    FoldProgram program = programOf(3, {10});
    program.trees.resize(2);
    program.trees[0].share = 0.2;
    program.trees[1].share = 0.8;
    for (int tree : {0, 1}) {
      const int number = program.addChannel(tree, 0, 1 + tree,
                                            sched::ChannelKind::network, {0});
      program.channels[size_t(number)].slots = 16;
      program.channels[size_t(number)].window = tree == 0 ? firstWindow : 2;
      program.addFold(0, tree, false, {Operand::input()},
                      {Operand::channel(number)});
      program.addFold(1 + tree, tree, false, {Operand::channel(number)},
                      {Operand::output()});
    }
    addLanes(program);
    SimulationOptions options;
    options.details = true;
    const Simulation simulation = valueOf(simulate(
        program, sched::Protocol::simple, 64 << 10, 16 << 20, options));
    std::vector<double> waits;
    for (const LaneTimes &lane : simulation.details.lanes)
      waits.push_back(lane.data);
    return waits;
  };
  const std::vector<double> planned = secondsOf(2);
  CHECK(planned[2] == doctest::Approx(planned[3]).epsilon(0.01));
  const std::vector<double> equal = secondsOf(8);
  CHECK(equal[2] == doctest::Approx(0.4 * equal[3]).epsilon(0.02));
}

TEST_CASE("details say what held a message up") {
  SimulationOptions options;
  options.details = true;
  const Simulation simulation = valueOf(
      simulate(chain(2), sched::Protocol::simple, 64 << 10, 16 << 20, options));
  const SimulationDetails &details = simulation.details;
  // The second link, of 5 GB/s, is the bottleneck: the last rank waits for it,
  // or for the slots that keep it busy.
  double path = 0, second = 0;
  for (const CriticalPart &part : details.path) {
    path += part.microseconds;
    if (part.cause.kind != WaitKind::lane && part.cause.channel == 1)
      second += part.microseconds;
  }
  CHECK(path == doctest::Approx(simulation.microseconds));
  CHECK(second > 0.99 * path);
  REQUIRE(details.lanes.size() == 3);
  CHECK(details.lanes[0].data == 0);
  CHECK(details.lanes[0].slots > 0.95 * simulation.microseconds);
  CHECK(details.lanes[0].channel == 0);
  CHECK(details.lanes[2].data == doctest::Approx(simulation.microseconds));
  CHECK(details.lanes[2].channel == 1);
  // What links carried in the slices is what they carried in all.
  for (size_t link = 0; link < 2; ++link) {
    double sum = 0;
    for (double use : details.linkUse[link])
      sum += use / SimulationDetails::kSlices;
    CHECK(sum == doctest::Approx(simulation.linkUse[link]));
  }
}

TEST_CASE("slower links and slower ranks") {
  for (bool planned : {false, true}) {
    SimulationOptions options;
    options.plannedShares = planned;
    const double before = timeOf(chain(3), 16 << 20, options);
    options.bandwidths = {10, 2.5};
    CHECK(timeOf(chain(3), 16 << 20, options) ==
          doctest::Approx(2 * before).epsilon(0.01));
    options.bandwidths = {10, 5};
    CHECK(timeOf(chain(3), 16 << 20, options) == doctest::Approx(before));
  }
  // 256 chunks of 13.1 us on the second link. The middle rank's folds take 20,
  // and 40 where it is twice as slow; those of the others move nothing.
  FoldProgram program = chain(3);
  countMoves(program);
  SimulationOptions options;
  options.stepCost = 20;
  CHECK(timeOf(program, 16 << 20, options) ==
        doctest::Approx(256 * 20).epsilon(0.02));
  options.slowness = {1, 2, 1};
  CHECK(timeOf(program, 16 << 20, options) ==
        doctest::Approx(256 * 40).epsilon(0.02));
  // Those that move nothing cost a gap in all, not one a chunk.
  SimulationOptions gaps;
  gaps.gap = 20;
  CHECK(timeOf(program, 16 << 20, gaps) <= timeOf(program, 16 << 20) + 2 * 20);
  // So many loads and stores of a byte, a copy being one of each, at 2 GB/s.
  const double moves = movesOf(program.ranks[1].folds[0].directMoves);
  REQUIRE(moves >= 1);
  SimulationOptions moving;
  moving.laneRate = 2;
  CHECK(timeOf(program, 16 << 20, moving) ==
        doctest::Approx((16 << 20) * moves / 2e3).epsilon(0.02));
}

TEST_CASE("no transfer could be faster but for one that is no faster itself") {
  // Links of 10, 6 and 20 GB/s. Two transfers over the first; one of them also
  // over the second with two others, which are alone there; one on the third
  // with the last of these.
  FairShares shares({{0}, {0, 1}, {1}, {1, 2}, {2}}, {10e3, 6e3, 20e3});
  for (uint32_t c = 0; c < 5; ++c)
    shares.start(c, 36000, 0);
  // Three times 2 GB/s over the second; the first leaves 8 to transfer 0, the
  // third 18 to transfer 4.
  using Channels = std::vector<uint32_t>;
  CHECK(shares.nextEnd(0) == doctest::Approx(2));
  CHECK(shares.finish(shares.nextEnd(0)) == Channels{4});
  CHECK(shares.nextEnd(2) == doctest::Approx(4.5));
  CHECK(shares.finish(shares.nextEnd(2)) == Channels{0});
  CHECK(shares.nextEnd(4.5) == doctest::Approx(18));
  CHECK(shares.finish(shares.nextEnd(4.5)) == Channels{1, 2, 3});
  CHECK(std::isinf(shares.nextEnd(18)));
  // One that comes later slows another down from then on.
  shares.start(1, 6000, 20);
  CHECK(shares.nextEnd(20) == doctest::Approx(21));
  shares.start(2, 6000, 20.5);
  CHECK(shares.nextEnd(20.5) == doctest::Approx(21.5));
  CHECK(shares.finish(21.5) == Channels{1});
  CHECK(shares.nextEnd(21.5) == doctest::Approx(22));
}

using Paths = std::vector<std::vector<uint32_t>>;

/// Rates by progressive filling of all links, from nothing; a weight of 0: no
/// transfer.
static std::vector<double> fillAll(const Paths &paths,
                                   const std::vector<double> &bandwidths,
                                   const std::vector<double> &weights) {
  std::vector<double> rates(weights.size(), 0), free = bandwidths;
  std::vector<double> unset = weights;
  while (true) {
    std::vector<double> open(free.size(), 0);
    for (size_t c = 0; c < weights.size(); ++c)
      for (uint32_t link : paths[c])
        open[link] += unset[c];
    size_t tightest = free.size();
    for (size_t link = 0; link < free.size(); ++link)
      if (open[link] > 0 &&
          (tightest == free.size() ||
           free[link] / open[link] < free[tightest] / open[tightest]))
        tightest = link;
    if (tightest == free.size())
      return rates;
    const double share = free[tightest] / open[tightest];
    for (size_t c = 0; c < weights.size(); ++c) {
      const std::vector<uint32_t> &path = paths[c];
      if (unset[c] == 0 || !llvm::is_contained(path, tightest))
        continue;
      unset[c] = 0;
      rates[c] = share * weights[c];
      for (uint32_t link : path)
        free[link] -= rates[c];
    }
  }
}

TEST_CASE("links divided bit by bit are divided as if all at once") {
  constexpr size_t kChannels = 24;
  std::mt19937 random(7);
  auto below = [&](int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random);
  };
  for (int variation = 0; variation < 100; ++variation) {
    CAPTURE(variation);
    std::vector<double> bandwidths;
    for (int link = 0; link < 8; ++link)
      bandwidths.push_back(1 + below(4));
    // Some load a link twice; in every other variation many channels share a
    // path.
    Paths paths;
    for (size_t c = 0; c < kChannels; ++c)
      if (variation % 2 && c >= 5)
        paths.push_back(paths[c % 5]);
      else
        paths.push_back({uint32_t(below(8)), uint32_t(below(8))});
    const bool weighted = variation % 4 >= 2;
    FairShares shares(paths, bandwidths);
    std::vector<double> left(kChannels), size(kChannels), told(kChannels);
    std::vector<double> weights(kChannels, 0); // of those that go
    shares.watch([&](const FairShares::Span &span) {
      told[span.channel] += span.rate * (span.end - span.begin);
    });
    double now = 0;
    for (int event = 0; event < 200; ++event) {
      for (int changes = below(4); changes > 0; --changes) {
        const auto c = size_t(below(kChannels));
        const double weight = weighted ? 0.5 * (1 + below(5)) : 1;
        if (weights[c] > 0) {
          shares.weigh(uint32_t(c), weight, now);
        } else {
          size[c] = left[c] = 1 + below(100);
          told[c] = 0;
          shares.start(uint32_t(c), size[c], now, weight);
        }
        weights[c] = weight;
      }
      const std::vector<double> rates = fillAll(paths, bandwidths, weights);
      double end = kInfinity;
      for (size_t c = 0; c < kChannels; ++c)
        if (weights[c] > 0)
          end = std::min(end, now + left[c] / rates[c]);
      if (std::isinf(end)) {
        CHECK(std::isinf(shares.nextEnd(now)));
        continue;
      }
      REQUIRE(shares.nextEnd(now) == doctest::Approx(end).epsilon(1e-9));
      // Something else may start before.
      const double until = below(2) ? shares.nextEnd(now) : (now + end) / 2;
      for (size_t c = 0; c < kChannels; ++c)
        left[c] -= rates[c] * (until - now);
      now = until;
      for (uint32_t c : shares.finish(now)) {
        CHECK(std::abs(left[c]) < 1e-6);
        CHECK(told[c] == doctest::Approx(size[c]));
        weights[c] = 0;
      }
    }
  }
}

TEST_CASE("with planned shares a long message goes at the proved pace") {
  std::mt19937 random(11);
  int slow = 0, full = 0;
  for (Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::allgather,
        Collective::reducescatter, Collective::alltoall, Collective::gather})
    for (int variation = 0; variation < 20; ++variation) {
      const VariedProgram varied(collective, variation, random);
      const sched::Variant &variant = varied.variant;
      SimulationOptions planned;
      planned.plannedShares = true;
      auto time = [&](uint64_t bytes) {
        return valueOf(simulate(varied.folds, sched::Protocol::simple,
                                variant.chunk_bytes(), bytes, planned))
            .microseconds;
      };
      const VerifyReport report =
          verifyProgram(*varied.opened.file, varied.program);
      REQUIRE(report.ok);
      // Some hundred rounds.
      const uint64_t bytes =
          400 * uint64_t(variant.chunk_bytes()) *
          (variant.trees()->Get(variant.trees()->size() - 1)->block() + 1);
      const double rate =
          double(bytes) / (time(2 * bytes) - time(bytes)) * 1e-3;
      CAPTURE(int(collective));
      CAPTURE(variation);
      CHECK(rate / report.algbw == doctest::Approx(1).epsilon(0.02));
      ++(report.pace < 0.99 ? slow : full);
    }
  CHECK(slow > 20);
  CHECK(full > 20);
}

TEST_CASE("with planned shares no message takes longer than is proved") {
  std::mt19937 random(12);
  double closest = 0;
  for (Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::allgather,
        Collective::reducescatter, Collective::alltoall, Collective::gather})
    for (int variation = 0; variation < 20; ++variation) {
      const VariedProgram varied(collective, variation, random,
                                 /*windows=*/variation % 4 >= 2);
      const sched::Program &program = varied.program;
      const sched::Variant &variant = varied.variant;
      const verify::TopologyView machine(*varied.opened.file, program);
      const verify::FoldGraph graph(variant);
      for (uint64_t bytes : {1, 10000, 300000, 10000000, 100000000}) {
        SimulationOptions options;
        options.plannedShares = true;
        // Lanes that cost something, too.
        options.stepCost = variation % 2 == 0 ? 0 : 3;
        const double simulated =
            valueOf(simulate(varied.folds, variant.protocol(),
                             variant.chunk_bytes(), bytes, options))
                .microseconds;
        const verify::Cut cut = verify::cutOf(verify::Semantics(program),
                                              variant, program.algbw(), bytes);
        const verify::TimedGraph timed(machine, graph, cut,
                                       {options.stepCost, 0});
        const verify::Pace pace = verify::paceOf(timed);
        CAPTURE(int(collective));
        CAPTURE(variation);
        CAPTURE(bytes);
        for (int64_t clockRounds : {256, 5}) {
          const double ratio =
              simulated / verify::timeBound(timed, pace, clockRounds);
          CAPTURE(clockRounds);
          CHECK(ratio <= 1 + 1e-6);
          // A window counts chunks, and bounds take the largest.
          CHECK(ratio >= (variation % 4 >= 2 ? 0.6 : 0.75));
          closest = std::max(closest, ratio);
        }
      }
    }
  CHECK(closest > 0.999999);
}

TEST_CASE("lanes that stop are an error, not a loop") {
  // Two ranks that each wait for the other's word first, in one lane.
  FoldProgram program = programOf(2, {10, 10});
  program.collective = Collective::allgather;
  const int there = channel(program, 0, 1, {0}, 1);
  const int back = channel(program, 1, 0, {1}, 1);
  for (int rank : {0, 1}) {
    program.addFold(rank, 0, false,
                    {Operand::channel(rank == 0 ? back : there)},
                    {Operand::output()});
    program.addFold(rank, 0, false, {Operand::input()},
                    {Operand::channel(rank == 0 ? there : back)});
    program.ranks[size_t(rank)].lanes = {{0, 1}};
  }
  CHECK(
      textOf(simulate(program, sched::Protocol::simple, 4096, 4096).takeError())
          .find("the schedule stops") == 0);
}
