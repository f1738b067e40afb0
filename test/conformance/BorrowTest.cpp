//===- BorrowTest.cpp - ranks that share a device -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// If the reader of a channel can reach the writer's input, it reads the chunks
// there and the slots stay empty. Runs on emulated devices, whose memory a test
// can look into.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Launch.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Latches.h"
#include "test/conformance/Places.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Programs.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cuda_runtime_api.h>
#include <thread>

using namespace blink;
using namespace blink::test;
using runtime::DeviceChannel;
using runtime::DeviceProgram;
using runtime::Launch;

namespace {

/// Calls of at least this size skip the slots.
constexpr size_t kLargeBytes = 256 << 10;
constexpr size_t kBorrowedChunk = 64 << 10;

struct DevicesScope {
  explicit DevicesScope(int devices) { emulatedMachine.devices = devices; }
  ~DevicesScope() { emulatedMachine = {}; }
};

/// The program that the last rank of a launch ran: rank 1's, or rank 0's if it
/// was launched alone.
std::atomic<const DeviceProgram *> borrowersProgram{nullptr};
void borrowHook(const Launch &launch, unsigned, unsigned, unsigned) {
  borrowersProgram = launch.ranks[launch.numRanks - 1].program;
}

/// The number of barriers of a lane's thread before its first fold.
constexpr unsigned kBeforeFolds = 5;

/// The input of the writer under test, and whether its lane waits for the
/// reader after its folds. The writer has no folds.
std::atomic<const void *> writersInput{nullptr};
std::atomic<bool> writerWaits{false};
void waitHookOfWriter(const Launch &launch, unsigned, unsigned,
                      unsigned barrier) {
  if (launch.ranks[0].send == writersInput && barrier == kBeforeFolds)
    writerWaits = true;
}

/// Returns a schedule for two ranks; rank 0 is the root.
TestSchedule twoRanks(Collective collective) {
  BuildOptions layout;
  layout.slots = 8;
  layout.chunkBytes = kBorrowedChunk;
  return makeSchedule(collective, 0, 2, layout);
}

Case ofBytes(Collective collective, size_t bytes) {
  Case c;
  c.collective = collective;
  c.count = bytes / sizeof(float);
  return c;
}

/// Runs the case, which uses the channel to rank 0, and returns that channel as
/// rank 1 sees it.
DeviceChannel channelUp(const Job &job, const Case &c) {
  const LaneHookScope hook(borrowHook);
  REQUIRE(runCase(job, c) == "");
  return findChannel(*borrowersProgram.load(),
                     [](const runtime::LaneOperand &operand) {
                       return operand.channel.directBlock ==
                              DeviceChannel::kNotDirect;
                     })
      ->channel;
}

/// Returns true if a first reduce of `bytes` bytes leaves the slots empty.
bool skipsSlots(int devices, size_t bytes,
                sched::ChannelKind kind = sched::ChannelKind::peer) {
  DevicesScope scope(devices);
  Job job(withKind(twoRanks(Collective::reduce), kind), 2);
  const char *slots = channelUp(job, ofBytes(Collective::reduce, bytes)).slots;
  return std::all_of(slots, slots + kBorrowedChunk,
                     [](char byte) { return byte == 0; });
}

} // namespace

TEST_CASE("slots stay empty where the reader can reach the writer's input") {
  for (int devices : {1, 2}) {
    CHECK(skipsSlots(devices, kLargeBytes));
    CHECK_FALSE(skipsSlots(devices, kLargeBytes - sizeof(float)));
    CHECK_FALSE(skipsSlots(devices, kLargeBytes, sched::ChannelKind::staged));
  }
}

TEST_CASE("ranks that share devices get the results of ranks that do not") {
  unsigned number = 0;
  for (int ranks : {2, 3, 5, 8})
    for (Shape shape :
         {Shape::star, Shape::chain, Shape::random, Shape::oneHop})
      for (int devices : {1, 2}) {
        const bool branches = shape == Shape::star || shape == Shape::oneHop;
        // Under ThreadSanitizer each shape runs with one device or with two,
        // not both.
        const int one = shape == Shape::star || shape == Shape::random ? 1 : 2;
        if (kSlow && (ranks != (branches ? 3 : 5) || devices != one))
          continue;
        DevicesScope scope(devices);
        BuildOptions layout;
        layout.shape = shape;
        layout.treesPerBlock = 2;
        layout.slots = 2;
        Job job(allCollectives(ranks, ranks - 1, layout), ranks);
        for (Collective collective : collectives())
          // Small calls use the slots, the large one skips them, so that calls
          // change from one way to the other and back.
          for (size_t bytes : {size_t(100), kLargeBytes + 40, size_t(3000)}) {
            number += 7; // all types, operators and placements in turn
            Case c = variedCase(collective, 1, ranks - 1, number);
            c.count = bytes / bytesOf(c.type) + 3;
            CHECK(runCase(job, c) == "");
          }
      }
}

TEST_CASE("a writer's call ends when its input has been read") {
  DevicesScope scope(1);
  Job job(twoRanks(Collective::reduce), 2);
  // There are fewer chunks than slots, so that nothing but the reader can hold
  // up the writer.
  const Case c = ofBytes(Collective::reduce, kLargeBytes);
  for (int round = 0; round < 3; ++round) {
    RankBuffers root(c, 2, 0), leaf(c, 2, 1);
    writersInput = leaf.send();
    writerWaits = false;
    const LaneHookScope hook(nullptr, waitHookOfWriter);
    const auto stream = reinterpret_cast<cudaStream_t>(job.stream(1));
    REQUIRE(call(c, leaf.send(), leaf.recv(), job[1], job.stream(1)) ==
            blinkSuccess);
    std::atomic<bool> ended{false};
    std::thread writer([&] {
      cudaStreamSynchronize(stream);
      ended = true;
      // The call has ended, so the caller may overwrite the input.
      cudaMemset(const_cast<void *>(leaf.send()), 0, c.count * sizeof(float));
    });
    CHECK(waitUntil([&] { return writerWaits || ended; }));
    CHECK(writerWaits);
    CHECK_FALSE(ended);
    REQUIRE(call(c, root.send(), root.recv(), job[0], job.stream(0)) ==
            blinkSuccess);
    writer.join();
    REQUIRE(cudaStreamSynchronize(
                reinterpret_cast<cudaStream_t>(job.stream(0))) == cudaSuccess);
    CHECK(root.check() == "");
  }
}

TEST_CASE("a reader that does not come is named, and what was not read") {
  const TestSchedule schedule = twoRanks(Collective::reduce);
  DevicesScope scope(1);
  Job job(schedule, 2, kSoonMs);
  const Case c = ofBytes(Collective::reduce, kLargeBytes);
  REQUIRE(runCase(job, c) == "");
  RankBuffers leaf(c, 2, 1);
  REQUIRE(call(c, leaf.send(), leaf.recv(), job[1], job.stream(1)) ==
          blinkSuccess);
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(1)));
  blinkResult_t state = blinkSuccess;
  CHECK(blinkCommGetAsyncError(job[1], &state) == blinkSuccess);
  CHECK(state == blinkRemoteError);
  CHECK(call(c, leaf.send(), leaf.recv(), job[1], job.stream(1)) ==
        blinkRemoteError);
  const std::string text = blinkGetLastError(job[1]);
  CAPTURE(text);
  CHECK(namesAWait(text, schedule));
  CHECK(
      text.find("rank 1, lane 0, step 0, channel 0: no slot: expected 8 read, "
                "seen 4; " +
                waitedSoon()) == 0);
}

TEST_CASE("a pointer of another call is refused") {
  DevicesScope scope(1);
  Job job(twoRanks(Collective::reduce), 2, 5000);
  const Case c = ofBytes(Collective::reduce, kLargeBytes);
  const DeviceChannel channel = channelUp(job, c);
  runtime::storeRelease(&channel.ptrExchange[1],
                        runtime::makeTag(channel.end->number, 0xbad));
  RankBuffers root(c, 2, 0);
  REQUIRE(call(c, root.send(), root.recv(), job[0], job.stream(0)) ==
          blinkSuccess);
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(0)));
  CHECK(call(c, root.send(), root.recv(), job[0], job.stream(0)) ==
        blinkInvalidUsage);
  const std::string text = blinkGetLastError(job[0]);
  CAPTURE(text);
  CHECK(text.find("the ranks' calls differ: rank 0, lane 0, step 0, channel 0: "
                  "no chunk: expected 5 written, seen 5, of another call") !=
        std::string::npos);
}
