//===- TimePointsTest.cpp - estimates from a few rounds -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/TimePoints.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/ShortTimes.h"
#include "schedules/TimePoints.h"
#include "test/unit/simulate/SimulateSupport.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <limits>

using namespace blink;
using namespace blink::test;

namespace {

constexpr sched::Protocol kSimple = sched::Protocol::simple;
constexpr SizeRange kAllSizes = {0, std::numeric_limits<uint64_t>::max()};
const sched::ChunkSizes kChunks = 64 << 10;

double timeAt(const std::vector<sched::TimePoint> &points, uint64_t bytes) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(builder.CreateVectorOfStructs(points));
  return sched::timeAt(
      *flatbuffers::GetRoot<sched::TimePoints>(builder.GetBufferPointer()),
      bytes);
}

/// The chain with two slots a channel, and one that the model does not know:
/// the second link's news of a free slot comes late.
FoldProgram slowChain() {
  FoldProgram program = chain(2);
  program.links[1].latency = 20;
  return program;
}

} // namespace

TEST_CASE("a message of few rounds takes what a simulation of it takes") {
  const FoldProgram program = slowChain();
  const auto points = timePoints(program, kSimple, kChunks, kAllSizes);
  // Two chunks; 256 KiB are the first size without slots.
  const uint64_t bytes = 128 << 10;
  CHECK(timeAt(points, bytes) ==
        doctest::Approx(valueOf(shortTime(program, kChunks, bytes)))
            .epsilon(0.02));
}

TEST_CASE("each round after the first ones takes what the model says") {
  const FoldProgram program = chain(4);
  const auto points = timePoints(program, kSimple, kChunks, kAllSizes);
  const sched::TimePoint &last = points.back(), &before = points.end()[-2];
  // 5 GB/s are 5,000 bytes a microsecond.
  CHECK((last.microseconds() - before.microseconds()) * 5000 ==
        doctest::Approx(double(last.bytes() - before.bytes())).epsilon(1e-4));
  const double whole = valueOf(shortTime(program, kChunks, 64 << 20));
  CHECK(last.microseconds() - double(last.bytes() - (64 << 20)) / 5000 ==
        doctest::Approx(whole).epsilon(1e-3));
}

TEST_CASE("sizes outside the range are not simulated") {
  const FoldProgram program = slowChain();
  const MessageTime model = timeOf(program, kSimple, kChunks);
  for (const sched::TimePoint &point :
       timePoints(program, kSimple, kChunks, {0, 0}))
    CHECK(point.microseconds() == doctest::Approx(model.at(point.bytes())));
}

TEST_CASE("lanes that wait in a circle have the times of the model") {
  FoldProgram program = programOf(2, {10, 10});
  const int there = channel(program, 0, 1, {0}, 1);
  const int back = channel(program, 1, 0, {1}, 1);
  for (int rank : {0, 1}) {
    program.addFold(rank, 0, false,
                    {FoldProgram::Operand::channel(rank == 0 ? back : there)},
                    {FoldProgram::Operand::output()});
    program.addFold(rank, 0, false, {FoldProgram::Operand::input()},
                    {FoldProgram::Operand::channel(rank == 0 ? there : back)});
    program.ranks[size_t(rank)].lanes = {{0, 1}};
  }
  const MessageTime model = timeOf(program, kSimple, kChunks);
  for (const sched::TimePoint &point :
       timePoints(program, kSimple, kChunks, kAllSizes))
    CHECK(point.microseconds() == doctest::Approx(model.at(point.bytes())));
}
