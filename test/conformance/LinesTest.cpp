//===- LinesTest.cpp - lines of 2^24 chunks ago ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The flag of a low-latency line holds 24 bits of the chunk's number. In lines
// that short chunks do not reach, old contents look new after 2^24 chunks. Runs
// on emulated devices, whose rings a test can set forward.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/LowLatency.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Programs.h"

#include "doctest/doctest.h"

#include <atomic>
#include <cuda_runtime_api.h>

using namespace blink;
using namespace blink::test;
using runtime::DeviceChannel;
using runtime::DeviceProgram;
using runtime::Launch;

namespace {

/// The program that the rank at this index in its launch ran last, and the
/// call's signature.
std::atomic<const DeviceProgram *> lastProgram[2];
std::atomic<uint64_t> lastSignature;
void lastProgramHook(const Launch &launch, unsigned, unsigned, unsigned) {
  for (uint32_t rank = 0; rank < launch.numRanks; ++rank)
    lastProgram[rank] = launch.ranks[rank].program;
  lastSignature = launch.signature;
}

} // namespace

TEST_CASE("lines of 2^24 chunks ago are not taken for new ones") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  BuildOptions layout;
  layout.chunkBytes = 256;
  layout.slots = 3;
  TestSchedule model = makeSchedule(Collective::reduce, 0, 2, layout);
  model.variant().protocol = sched::Protocol::low_latency;
  Job job(model, 2);
  Case c;
  c.collective = Collective::reduce;
  c.count = 5;
  {
    const LaneHookScope hook(lastProgramHook);
    REQUIRE(runCase(job, c) == "");
  }
  const DeviceChannel *reader = channelOf(*lastProgram[0], 0);
  const DeviceChannel *writer = channelOf(*lastProgram[1], 0);
  REQUIRE(reader);
  REQUIRE(writer);
  // Set the rings forward as other calls would have left them: empty, but with
  // the flag of the next chunk in all lines.
  const uint64_t number = (uint64_t(3) << 24) + 7;
  for (const DeviceChannel *end : {reader, writer})
    end->end->number = end->end->credit = number;
  *writer->freed = number;
  auto *lines = reinterpret_cast<runtime::Line *>(reader->slots);
  const size_t numLines = reader->lineBytes / sizeof(*lines);
  CHECK(numLines == 3 * 2 * 256 / sizeof(*lines));
  for (size_t l = 0; l < numLines; ++l)
    runtime::storeLine(lines + l, 0xbadbadbad,
                       runtime::lineFlag(number, lastSignature));
  // The reader starts first and finds these lines.
  RankBuffers root(c, 2, 0), leaf(c, 2, 1);
  REQUIRE(call(c, root.send(), root.recv(), job[0], job.stream(0)) ==
          blinkSuccess);
  REQUIRE(call(c, leaf.send(), leaf.recv(), job[1], job.stream(1)) ==
          blinkSuccess);
  for (int rank : {0, 1})
    REQUIRE(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                job.stream(rank))) == cudaSuccess);
  CHECK(root.check() == "");
  for (const DeviceChannel *end : {reader, writer})
    CHECK(end->end->swept == number);
  // The lines that the call did not reach have the flag of an older chunk.
  CHECK(
      runtime::hasFlag(lines[numLines - 1], runtime::lineFlag(number - 1, 0)));
  // The next call does not need to sweep again.
  CHECK(runCase(job, c) == "");
  CHECK(reader->end->swept == number);
  emulatedMachine = {};
}
