//===- HostSimulationTest.cpp - threads that share processors -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/HostSimulation.h"

#include "test/unit/simulate/SimulateSupport.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;
using Operand = FoldProgram::Operand;

namespace {

constexpr uint64_t kHostChunk = 64 << 10;

double hostTimeOf(const FoldProgram &program, uint64_t bytes,
                  unsigned processors, uint64_t borrowBytes = ~uint64_t(0)) {
  // A fold takes 1 us, and 65.536 bytes per nanosecond make 1 us to copy a
  // chunk.
  return valueOf(simulateHost(program, kHostChunk, bytes, {1, 65.536},
                              {processors, 10, 0.5, 0, borrowBytes}))
      .microseconds;
}

/// Returns ranks that only copy their inputs, once each.
FoldProgram copies(int numRanks) {
  FoldProgram program = programOf(numRanks, {});
  for (int rank = 0; rank < numRanks; ++rank)
    program.addFold(rank, 0, false, {Operand::input()}, {Operand::output()});
  addLanes(program);
  return program;
}

} // namespace

TEST_CASE("a long simulation of a host says how far it is") {
  uint64_t times = 0;
  valueOf(simulateHost(chain(2), kHostChunk, 10000 * kHostChunk, {1, 65.536},
                       {3, 10, 0.5, 0, ~uint64_t(0)},
                       [&](uint64_t done, uint64_t all) {
                         CHECK(done == ++times * kFoldsBetweenCalls);
                         CHECK(all == 3 * 10000);
                       }));
  CHECK(times == 3 * 10000 / kFoldsBetweenCalls);
}

TEST_CASE("a chain on the host, by hand") {
  const FoldProgram program = chain(2);
  // 10 us for the call; 1 us for a fold and 1 us for a copy. The second rank
  // reads once and writes twice, which takes 1.5 us. Each result is seen 0.5 us
  // later.
  CHECK(hostTimeOf(program, kHostChunk, 3) ==
        doctest::Approx(10 + 2 + 0.5 + 2.5 + 0.5 + 2));
  // Chunks follow each other at the second rank's pace, except the third: the
  // first rank knows only 5.5 us after the call began that the slot is free, so
  // the third chunk arrives 0.5 us after the second has been read.
  CHECK(hostTimeOf(program, 4 * kHostChunk, 3) ==
        doctest::Approx(10 + 2 + 0.5 + 4 * 2.5 + 0.5 + 0.5 + 2));
  // If buffers are borrowed, the first rank just says where its input is, and
  // the second does not write for the third.
  CHECK(hostTimeOf(program, kHostChunk, 3, kHostChunk) ==
        doctest::Approx(10 + 1 + 0.5 + 2 + 0.5 + 2));
  // A single processor runs one fold after the other and never waits for news:
  // three chunks with three folds each, and the last fold ends when all have
  // ended.
  CHECK(hostTimeOf(program, 3 * kHostChunk, 1) >=
        doctest::Approx(10 + 3 * (2 + 2.5 + 2)));
}

TEST_CASE("threads share processors") {
  const double alone = hostTimeOf(copies(1), kHostChunk, 1) - 10;
  CHECK(alone == doctest::Approx(2));
  CHECK(hostTimeOf(copies(6), kHostChunk, 6) == doctest::Approx(10 + alone));
  CHECK(hostTimeOf(copies(6), kHostChunk, 2) ==
        doctest::Approx(10 + 3 * alone));
  CHECK(hostTimeOf(copies(5), kHostChunk, 2) ==
        doctest::Approx(10 + 3 * alone));
  CHECK(hostTimeOf(copies(6), kHostChunk, 1) ==
        doctest::Approx(10 + 6 * alone));
}

TEST_CASE("a slot that several ranks read is written once") {
  FoldProgram program = programOf(3, {});
  const int first = channel(program, 0, 1, {}, 2);
  const int second = channel(program, 0, 2, {}, 2);
  program.addFold(0, 0, false, {Operand::input()},
                  {Operand::channel(first), Operand::channel(second)});
  program.addFold(1, 0, false, {Operand::channel(first)}, {Operand::output()});
  program.addFold(2, 0, false, {Operand::channel(second)}, {Operand::output()});
  addLanes(program);
  CHECK(hostTimeOf(program, kHostChunk, 3) ==
        doctest::Approx(10 + 2 + 0.5 + 2));
  // All folds copy from inputs: in calls that borrow, a chunk is the whole
  // range.
  CHECK(valueOf(simulateHost(program, kHostChunk * 4, kHostChunk * 4,
                             {1, 65.536}, {3, 10, 0.5, 0, 0}))
            .microseconds == doctest::Approx(10 + 1 + 0.5 + 1 + 4));
}

TEST_CASE("folds of all lanes and chunks run, and none twice") {
  std::mt19937 random(3);
  for (Collective collective : {Collective::allreduce, Collective::allgather,
                                Collective::alltoall, Collective::reduce})
    for (int variation = 0; variation < 10; ++variation) {
      const VariedProgram varied(collective, variation, random);
      const sched::Variant &variant = varied.variant;
      const uint64_t bytes = 3000000;
      const Simulation devices = valueOf(simulate(
          varied.folds, variant.protocol(), variant.chunk_bytes(), bytes));
      for (unsigned processors : {1u, 2u, 100u}) {
        const Simulation host = valueOf(
            simulateHost(varied.folds, variant.chunk_bytes(), bytes, {1, 10},
                         {processors, 0, 0.1, 0, ~uint64_t(0)}));
        CHECK(host.folds == devices.folds);
        CHECK(host.chunks == devices.chunks);
        CHECK(host.microseconds >= double(host.folds) / processors);
      }
    }
}
