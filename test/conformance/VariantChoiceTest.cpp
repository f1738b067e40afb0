//===- VariantChoiceTest.cpp - ranks agree on the variant of a call -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host back end, whose choice depends on which threads run the ranks.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a schedule for two ranks: an exchange below 4 KiB, otherwise two
/// chains with half of the data each.
TestSchedule exchangeAndTrees() {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.treesPerBlock = 2;
  layout.chunkBytes = 16 << 10;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 2, layout);
  layout.shape = Shape::oneHop;
  layout.treesPerBlock = 1;
  layout.chunkBytes = 4 << 10;
  TestVariant small =
      makeSchedule(Collective::allreduce, 0, 2, layout).variant();
  small.protocol = sched::Protocol::low_latency;
  small.maxBytes = model.variant().minBytes = 4 << 10;
  auto &variants = model.programs[0].variants;
  variants.insert(variants.begin(), small);
  return model;
}

} // namespace

TEST_CASE("threads and groups of two ranks take turns") {
  Job job(exchangeAndTrees(), 2);
  unsigned number = 0;
  for (size_t count : {500, 2000, 10000, 32767, 32768, 100000})
    for (bool threads : {true, false, true}) {
      Case c;
      c.type = blinkFloat32;
      c.count = count;
      c.inPlace = number++ % 2;
      c.threads = threads;
      CAPTURE(c.describe());
      CHECK(runCase(job, c) == "");
    }
}

TEST_CASE("a group has one rank's part of an allreduce and of a message") {
  TestSchedule model = exchangeAndTrees();
  model.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, 2, {}).programs[0]);
  Job job(model, 2);
  Case c;
  c.type = blinkInt32;
  c.count = 5000;
  std::vector<RankBuffers> buffers;
  for (int rank : {0, 1})
    buffers.emplace_back(c, 2, rank);
  auto callOf = [&](int rank) {
    return call(c, buffers[size_t(rank)].send(), buffers[size_t(rank)].recv(),
                job[rank], nullptr);
  };
  const int32_t sent = 7;
  int32_t received = 0;
  std::thread other([&] { CHECK(callOf(0) == blinkSuccess); });
  std::thread receiver([&] {
    CHECK(blinkRecv(&received, 1, blinkInt32, 0, job[1], nullptr) ==
          blinkSuccess);
  });
  CHECK(blinkGroupStart() == blinkSuccess);
  CHECK(blinkSend(&sent, 1, blinkInt32, 1, job[0], nullptr) == blinkSuccess);
  CHECK(callOf(1) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  other.join();
  receiver.join();
  CHECK(received == 7);
  for (RankBuffers &one : buffers)
    CHECK(one.check() == "");
}
