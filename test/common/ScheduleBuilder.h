//===- ScheduleBuilder.h - schedules for tests ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A plain, mutable model of a .sched file, a function that writes it, and
// functions that make correct schedules from trees. Shares no code with the
// compiler, so tests may judge the compiler, the verifier or the runtime with
// it.
//
//     TestSchedule s = makeSchedule(Collective::allreduce, 0, 8, {});
//     s.variant().ranks[3].steps[0].tree = 99;   // break it
//     std::vector<uint8_t> bytes = seal(s);
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SCHEDULEBUILDER_H
#define BLINK_TEST_COMMON_SCHEDULEBUILDER_H

#include "schedules/ChunkSize.h"
#include "schedules/Provenance.h"
#include "schedules/ScheduleFile.h"

#include <limits>
#include <map>
#include <random>
#include <set>

namespace blink::test {

using sched::Collective;

struct TestLink {
  double bandwidth = 1;
  double latency = 1;
  uint32_t from = 0;
  uint32_t to = 0;
  sched::LinkKind kind = sched::LinkKind::nvlink;
};

struct TestTree {
  uint32_t numerator = 1;
  uint32_t denominator = 1;
  uint32_t block = 0;
  uint16_t root = 0;
  uint16_t depth = 0;
  /// The parent of each rank, -1 for the root. Not part of the file.
  std::vector<int> parents;
};

struct TestChannel {
  uint32_t tree = 0;
  uint32_t pathBegin = 0;
  uint16_t pathCount = 0;
  uint16_t source = 0;
  uint16_t destination = 0;
  uint16_t slots = 1;
  sched::ChannelKind kind = sched::ChannelKind::peer;
  uint16_t window = 0;
};

struct TestOperand {
  sched::OperandKind kind = sched::OperandKind::input;
  uint32_t index = 0;
};

struct TestStep {
  uint32_t tree = 0;
  uint32_t operandsBegin = 0;
  uint16_t sources = 0;
  uint16_t destinations = 0;
  bool completes = false;
  uint16_t delay = 0;
};

struct TestLane {
  uint32_t stepsBegin = 0;
  uint32_t stepsCount = 0;
};

struct TestRank {
  std::vector<TestLane> lanes;
  std::vector<TestStep> steps;
  std::vector<TestOperand> operands;
};

/// One fold with its operands: easier to change than the flat vectors of the
/// file.
struct TestFold {
  uint32_t tree = 0;
  std::vector<TestOperand> sources;
  std::vector<TestOperand> destinations;
  bool completes = false;
  uint16_t delay = 0;
};
using TestLanes = std::vector<std::vector<TestFold>>;

/// Returns a rank's program in the form of the file. Omits empty lanes.
TestRank rankOf(const TestLanes &lanes);

/// Returns the folds of a rank, lane by lane: the inverse of rankOf.
TestLanes lanesOf(const TestRank &rank);

struct TestVariant {
  uint64_t minBytes = 0;
  uint64_t maxBytes = ~uint64_t(0);
  sched::Protocol protocol = sched::Protocol::simple;
  sched::ChunkSizes chunks = 4096;
  std::vector<TestTree> trees;
  std::vector<TestChannel> channels;
  std::vector<uint32_t> paths;
  std::vector<TestRank> ranks;
  std::vector<sched::TimePoint> times;    ///< empty: absent
  std::vector<sched::SwitchUse> switches; ///< empty: absent
};

struct TestProgram {
  Collective collective = Collective::allreduce;
  uint16_t root = 0;
  std::vector<uint16_t> allocation;
  std::vector<uint16_t> relays;
  sched::Accumulation accumulate = sched::Accumulation::none;
  double algbw = 1;
  double bound = 1;
  std::vector<double> prices;
  std::vector<TestVariant> variants;
};

/// A whole file. makeSchedule makes a topology of GPUs only, with a link of 1
/// GB/s from each GPU to each other one.
struct TestSchedule {
  uint32_t formatVersion = sched::kFormatVersion;
  std::string compiler = "test";
  sched::Settings settings;
  uint8_t linkKinds = 1;
  std::string topologyName = "test";
  uint64_t fingerprint = 0x7e57;
  std::vector<sched::NodeKind> nodes;
  std::map<size_t, std::string> devices; ///< by node
  std::set<size_t> multicasts, reduces;  ///< nodes that can do so
  std::vector<TestLink> links;
  std::vector<TestProgram> programs;

  TestVariant &variant() { return programs.at(0).variants.at(0); }
};

/// Returns the bytes of the file, exactly as the model says, correct or not.
std::vector<uint8_t> seal(const TestSchedule &schedule);

/// oneHop: in an allreduce, each rank sends its input to all others and adds up
/// all inputs itself, in the order of ranks; there are no trees. In other
/// collectives, and where trees are asked for, it means star.
enum class Shape { chain, star, binary, random, oneHop };

/// Returns the parent of each rank in a spanning tree of `numRanks` ranks; -1
/// for `root`.
std::vector<int> treeParents(Shape shape, int numRanks, int root,
                             std::mt19937 &random);

struct BuildOptions {
  Shape shape = Shape::binary;
  int treesPerBlock = 1; ///< with unequal shares if there are several
  int lanes = 2;         ///< maximum per rank; steps are distributed over them
  uint32_t chunkBytes = 4096;
  uint16_t slots = 2;
  bool splitRoot = false; ///< in an allreduce the root reads its output back
  bool skewed = false;    ///< steps have delays, as far as slots allow
  uint32_t seed = 1;      ///< for random shapes, roots and shares
};

/// Returns a correct schedule of one program: trees with the roots that the
/// collective needs, and folds in the order (tree, up, down), which cannot
/// deadlock for any number of lanes and slots. Only rooted collectives use
/// `root`. `algbw` is the rate that the links sustain. The certificate prices
/// every link at 1 and is valid.
TestSchedule makeSchedule(Collective collective, int root, int numRanks,
                          const BuildOptions &options);

/// Does the same for given trees, which must be sorted by block and have their
/// shares. Ignores treesPerBlock and seed of `options`, and shape unless it is
/// oneHop.
TestSchedule makeSchedule(Collective collective, int root, int numRanks,
                          std::vector<TestTree> trees,
                          const BuildOptions &options);

/// Returns a schedule of 2 to 7 ranks with much chosen at random. `variation`
/// selects the shape and the numbers of trees and lanes. Links have latencies;
/// for even variations they can last for several rounds of the schedule's
/// chunks.
TestSchedule variedSchedule(Collective collective, int variation,
                            uint32_t chunkBytes, std::mt19937 &random);
/// Makes all channels network channels with windows of random size, whatever
/// their paths are.
void addWindows(TestSchedule &schedule, std::mt19937 &random);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SCHEDULEBUILDER_H
