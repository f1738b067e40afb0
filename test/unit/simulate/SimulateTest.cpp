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

/// Returns two ranks below a root, or above it, with 10 GB/s each.
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

TEST_CASE("a long simulation says how far it is") {
  SimulationOptions options;
  uint64_t times = 0, last = 0;
  options.watcher = [&](uint64_t done, uint64_t all) {
    CHECK(done > last);
    CHECK(all == 3 * 10000); // each chunk is sent, passed on and received
    last = done;
    ++times;
  };
  timeOf(chain(2), 10000 * (64 << 10), options);
  CHECK(times == 3 * 10000 / kFoldsBetweenCalls);
}

TEST_CASE("a message down a chain, by hand") {
  // At 10 GB/s a chunk takes 6.5536 us plus 1 us of latency; at 5 GB/s, twice
  // that.
  const double chunk = 6.5536;
  CHECK(timeOf(chain(2), 64 << 10) == doctest::Approx(3 * chunk + 2));
  // The second link is the slower one: it is always busy.
  CHECK(timeOf(chain(2), 256 << 10) ==
        doctest::Approx(chunk + 1 + 4 * 2 * chunk + 1));
  // With one slot, each chunk waits until the last one has been read and the
  // news of that has arrived.
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
}

TEST_CASE("low_latency passes on waves of lines, by hand") {
  // Flags double the bytes: a wave of 3,840 takes 0.768 us, or 1.536 us on the
  // slower link. 18 waves are two chunks, the last wave of each a short one.
  const double wave = 0.768;
  const double chunk = wave * (32 << 10) / 3840;
  auto run = [&](uint64_t bytes, const SimulationOptions &options = {},
                 int slots = 2) {
    return valueOf(simulate(chain(slots), sched::Protocol::low_latency,
                            {32 << 10, 32 << 10, 1}, bytes, options));
  };
  CHECK(run(3840).microseconds == doctest::Approx(3 * wave + 2));
  CHECK(run(4 * 3840).microseconds == doctest::Approx(wave + 4 * 2 * wave + 2));
  const Simulation two = run(64 << 10);
  CHECK(two.microseconds == doctest::Approx(wave + 4 * chunk + 2));
  CHECK(two.chunks == 4);
  CHECK(two.folds == 6);
  // With one slot, the second chunk waits until all of the first one has been
  // read and the news of that has arrived.
  CHECK(run(64 << 10, {}, 1).microseconds ==
        doctest::Approx(wave + 1 + 2 * chunk + 1 + 1 + 2 * chunk + 1));
  // A fold takes 2 us of its lane once, before its first wave is through. The
  // first two lanes one after the other delay all later waves.
  SimulationOptions slow;
  slow.stepCost = 2;
  slow.mostEvents = 100;
  const Simulation traced = run(32 << 10, slow);
  CHECK(traced.microseconds ==
        doctest::Approx((2 + 1) + 2 + 2 * (chunk - wave) + 1));
  CHECK(traced.events.folds.size() == 3);
}

TEST_CASE("each hop takes a while until it is noticed") {
  const double chunk = 6.5536;
  SimulationOptions late;
  late.notice = 3;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
  // Long messages hide the delay: only the last chunk has to be noticed once
  // more.
  CHECK(timeOf(chain(2), 256 << 10, late) ==
        doctest::Approx(chunk + 1 + 3 + 4 * 2 * chunk + 1 + 3));
  // The cost of a step is part of this delay.
  late.stepCost = 2;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
  // A fold with one channel has no gaps.
  late.gap = 5;
  CHECK(timeOf(chain(2), 64 << 10, late) ==
        doctest::Approx(3 * chunk + 2 + 2 * 3));
}

TEST_CASE("a fold writes one channel after the other, and looks so") {
  // The root of a star with two children writes to them a gap apart. In a
  // reduce it looks at the second child a gap after the first. 10 GB/s and 1 us
  // each.
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
  // Chunks take 13.1 us on the second link, with 1 us of latency in each
  // direction. With a window of one, each chunk waits for the news of the one
  // before.
  const double chunk = 6.5536;
  FoldProgram program = chain(4);
  program.channels[1].kind = sched::ChannelKind::network;
  program.channels[1].window = 1;
  CHECK(timeOf(program, 256 << 10) ==
        doctest::Approx(chunk + 1 + 4 * 2 * chunk + 3 * 2 + 1));
  program.channels[1].window = 2;
  CHECK(timeOf(program, 256 << 10) == timeOf(chain(4), 256 << 10));
  // The writer of the first channel finishes as early as without the window.
  SimulationOptions options;
  options.details = true;
  program.channels[1].window = 1;
  const Simulation simulation = valueOf(
      simulate(program, sched::Protocol::simple, 64 << 10, 256 << 10, options));
  CHECK(simulation.details.lanes[0].slots == 0);
  CHECK(simulation.details.lanes[1].slots == 0);
}

TEST_CASE("a link's queue gives each channel what it has in it") {
  // Two messages share a link. The second is four times as large as the first,
  // and so are its chunks. With windows of equally many chunks both end at the
  // same time; with windows of equally many bytes the first ends much earlier.
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
  // The second link, with 5 GB/s, is the bottleneck: the last rank waits for
  // it, or for the slots that keep it busy.
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
  // The sum over the slices must be what the links carried in all.
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
  // 256 chunks of 13.1 us on the second link. The middle rank's folds take 20
  // us, or 40 us if the rank is twice as slow; the other ranks' folds move
  // nothing.
  FoldProgram program = chain(3);
  countMoves(program);
  SimulationOptions options;
  options.stepCost = 20;
  CHECK(timeOf(program, 16 << 20, options) ==
        doctest::Approx(256 * 20).epsilon(0.02));
  options.slowness = {1, 2, 1};
  CHECK(timeOf(program, 16 << 20, options) ==
        doctest::Approx(256 * 40).epsilon(0.02));
  // Folds that move nothing cost one gap in all, not one per chunk.
  SimulationOptions gaps;
  gaps.gap = 20;
  CHECK(timeOf(program, 16 << 20, gaps) <= timeOf(program, 16 << 20) + 2 * 20);
  // The number of loads and stores of a byte at 2 GB/s; a copy is one of each.
  const double moves = movesOf(program.ranks[1].folds[0].directMoves);
  REQUIRE(moves >= 1);
  SimulationOptions moving;
  moving.laneRate = 2;
  CHECK(timeOf(program, 16 << 20, moving) ==
        doctest::Approx((16 << 20) * moves / 2e3).epsilon(0.02));
}

TEST_CASE("no transfer could be faster but for one that is no faster itself") {
  // Links of 10, 6 and 20 GB/s. Transfers 0 and 1 share the first link; 1, 2
  // and 3 share the second; 3 and 4 share the third.
  FairShares shares({{0}, {0, 1}, {1}, {1, 2}, {2}}, {10e3, 6e3, 20e3});
  for (uint32_t c = 0; c < 5; ++c)
    shares.start(c, 36000, 0);
  // Three transfers have 2 GB/s each on the second link. This leaves 8 GB/s of
  // the first link to transfer 0, and 18 of the third to transfer 4.
  using Channels = std::vector<uint32_t>;
  CHECK(shares.nextEnd(0) == doctest::Approx(2));
  CHECK(shares.finish(shares.nextEnd(0)) == Channels{4});
  CHECK(shares.nextEnd(2) == doctest::Approx(4.5));
  CHECK(shares.finish(shares.nextEnd(2)) == Channels{0});
  CHECK(shares.nextEnd(4.5) == doctest::Approx(18));
  CHECK(shares.finish(shares.nextEnd(4.5)) == Channels{1, 2, 3});
  CHECK(std::isinf(shares.nextEnd(18)));
  // A transfer that starts later slows another one down from then on.
  shares.start(1, 6000, 20);
  CHECK(shares.nextEnd(20) == doctest::Approx(21));
  shares.start(2, 6000, 20.5);
  CHECK(shares.nextEnd(20.5) == doctest::Approx(21.5));
  CHECK(shares.finish(21.5) == Channels{1});
  CHECK(shares.nextEnd(21.5) == doctest::Approx(22));
}

using Paths = std::vector<std::vector<uint32_t>>;

/// Returns the rates by progressive filling of all links, from scratch. A
/// weight of 0 means no transfer.
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
    // Some channels load a link twice; in every other variation many channels
    // share a path.
    Paths paths;
    for (size_t c = 0; c < kChannels; ++c)
      if (variation % 2 && c >= 5)
        paths.push_back(paths[c % 5]);
      else
        paths.push_back({uint32_t(below(8)), uint32_t(below(8))});
    const bool weighted = variation % 4 >= 2;
    FairShares shares(paths, bandwidths);
    std::vector<double> left(kChannels), size(kChannels), told(kChannels);
    std::vector<double> weights(kChannels, 0); // of running transfers; else 0
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
      // Another transfer may start earlier.
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
      // Several hundred rounds.
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
  double closest = 0, closestWaves = 0;
  for (Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::allgather,
        Collective::reducescatter, Collective::alltoall, Collective::gather})
    for (int variation = 0; variation < 20; ++variation) {
      const bool windows = variation % 4 >= 2, waves = variation % 8 < 2;
      const VariedProgram varied(collective, variation, random, windows,
                                 waves ? sched::Protocol::low_latency
                                       : sched::Protocol::simple);
      const sched::Program &program = varied.program;
      const sched::Variant &variant = varied.variant;
      const verify::TopologyView machine(*varied.opened.file, program);
      const verify::FoldGraph graph(variant);
      for (uint64_t bytes : {1, 10000, 300000, 10000000, 100000000}) {
        if (waves && bytes > 10000000)
          continue; // tens of thousands of waves
        SimulationOptions options;
        options.plannedShares = true;
        // Lanes may have costs, too.
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
          // A window counts chunks, and the bounds assume the largest chunk.
          // Only the clock knows waves.
          if (!waves || bytes < 1000000)
            CHECK(ratio >= (windows ? 0.6 : 0.75));
          closest = std::max(closest, ratio);
          if (waves && bytes == 300000)
            closestWaves = std::max(closestWaves, ratio);
        }
      }
    }
  CHECK(closest > 0.999999);
  CHECK(closestWaves > 0.99);
}

TEST_CASE("a simulation that takes too long is given up") {
  // Two channels over the same two links, which are divided together.
  FoldProgram program = programOf(3, {10, 10});
  const int first = channel(program, 0, 1, {0, 1}, 2);
  const int second = channel(program, 0, 2, {1, 0}, 2);
  program.addFold(0, 0, false, {Operand::input()},
                  {Operand::channel(first), Operand::channel(second)});
  program.addFold(1, 0, false, {Operand::channel(first)}, {Operand::output()});
  program.addFold(2, 0, false, {Operand::channel(second)}, {Operand::output()});
  addLanes(program);
  auto simulated = [&](uint64_t mostWork) {
    SimulationOptions options;
    options.mostWork = mostWork;
    return simulate(program, sched::Protocol::simple, 4096, 1 << 20, options);
  };
  const uint64_t work = valueOf(simulated(0)).work;
  REQUIRE(work > 1);
  CHECK(valueOf(simulated(work)).work == work);
  CHECK(textOf(simulated(work - 1).takeError()) ==
        "simulating this takes too long");
}

TEST_CASE("lanes that stop are an error, not a loop") {
  // Two ranks that each wait for the other's data first, in one lane.
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
