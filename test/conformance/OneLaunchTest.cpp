//===- OneLaunchTest.cpp - all ranks in one kernel ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On one GPU, every call in these tests is a single launch with all ranks in
// one group: no kernel waits for another one. Tools that serialise kernels
// (compute-sanitizer, profilers) need that.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kRanks = 3, kRoot = 1;

/// Runs every collective with `bytes` bytes per block. Types, operators and
/// placements vary with `number`.
void runCollectives(const Job &job, size_t bytes, unsigned &number) {
  for (Collective collective : sched::kJointCollectives) {
    Case c = variedCase(collective, 1, kRoot, number);
    c.count = bytes / size_t(bytesOf(c.type)) + 3; // not whole vectors
    number += 7;
    CHECK(runCase(job, c) == "");
  }
}

void runLayout(const BuildOptions &layout, sched::Protocol protocol,
               sched::ChannelKind kind, unsigned &number) {
  Job job(withProtocol(withKind(allCollectives(kRanks, kRoot, layout), kind),
                       protocol),
          kRanks);
  // The first size uses the slots, the second (from 256 KiB on) does not, and
  // the third uses them again.
  for (size_t bytes : {size_t(100), size_t(256) << 10, size_t(5000)})
    runCollectives(job, bytes, number);
}

BuildOptions layoutOf(Shape shape) {
  BuildOptions layout;
  layout.shape = shape;
  layout.lanes = std::min(2, mostLanes(kRanks));
  layout.treesPerBlock = 2;
  layout.slots = 2;
  layout.chunkBytes = 8 << 10;
  layout.seed = 3;
  return layout;
}

} // namespace

TEST_CASE("one launch: chunks and tags") {
  unsigned number = 0;
  for (Shape shape : {Shape::chain, Shape::star, Shape::random, Shape::oneHop})
    if (!kSlow || shape == Shape::random)
      runLayout(layoutOf(shape), sched::Protocol::simple,
                sched::ChannelKind::peer, number);
}

TEST_CASE("one launch: chunks through the host") {
  unsigned number = 1;
  runLayout(layoutOf(Shape::random), sched::Protocol::simple,
            sched::ChannelKind::staged, number);
}

TEST_CASE("one launch: lines of data and flag") {
  unsigned number = 2;
  for (Shape shape : {Shape::random, Shape::oneHop})
    if (!kSlow || shape == Shape::random)
      runLayout(layoutOf(shape), sched::Protocol::low_latency,
                sched::ChannelKind::peer, number);
}

TEST_CASE("one launch: larger and smaller chunks in turn") {
  unsigned number = 3;
  BuildOptions layout = layoutOf(Shape::chain);
  layout.chunkBytes = 256 << 10; // small calls have smaller ones
  Job job(allCollectives(kRanks, kRoot, layout), kRanks);
  for (size_t bytes : {size_t(64) << 10, size_t(600) << 10, size_t(1000)})
    runCollectives(job, bytes, number);
}
