//===- OneHopTest.cpp - an allreduce by direct exchange -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every rank adds up all inputs itself. The results agree only because the
// order is the same on all ranks.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Bits = std::vector<uint64_t>;

/// Returns inputs whose sums depend on the order: fractions of different size
/// that no type holds exactly.
std::vector<Bits> roughInputs(const Case &c, int ranks) {
  std::mt19937 random(uint32_t(ranks + c.count));
  std::vector<Bits> inputs(ranks);
  for (Bits &input : inputs)
    for (size_t i = 0; i < c.count; ++i)
      input.push_back(encode(c.type, (int(random() % 2001) - 1000) / 125.0 *
                                         (random() % 2 ? 1 : 1.0 / 64)));
  return inputs;
}

/// Returns the sums in the order of ranks, or in reverse order, with each
/// partial result rounded.
Bits sumsOf(const Case &c, const std::vector<Bits> &inputs, bool backwards) {
  const size_t n = inputs.size();
  Bits sums = inputs[backwards ? n - 1 : 0];
  for (size_t k = 1; k < n; ++k)
    for (size_t i = 0; i < c.count; ++i)
      sums[i] = encode(
          c.type, decode(c.type, sums[i]) +
                      decode(c.type, inputs[backwards ? n - 1 - k : k][i]));
  return sums;
}

/// Runs the case and returns the outputs of all ranks.
std::vector<Bits> run(const Job &job, const Case &c,
                      const std::vector<Bits> &inputs) {
  std::vector<RankBuffers> buffers;
  for (int rank = 0; rank < job.size(); ++rank) {
    useDeviceOf(rank);
    buffers.emplace_back(c, job.size(), rank);
    buffers.back().fill(inputs[rank]);
  }
  for (blinkResult_t result : job.onThreads([&](int rank) {
         return call(c, buffers[rank].send(), buffers[rank].recv(), job[rank],
                     job.stream(rank));
       }))
    REQUIRE(result == blinkSuccess);
  std::vector<Bits> outputs;
  for (RankBuffers &one : buffers)
    outputs.push_back(one.result());
  return outputs;
}

} // namespace

TEST_CASE("in one hop every rank adds up in the order of ranks") {
  size_t orderMattered = 0;
  for (int ranks = 2; ranks <= (kSlow ? 5 : 8); ranks += kSlow ? 3 : 1)
    for (sched::Protocol protocol :
         {sched::Protocol::simple, sched::Protocol::low_latency}) {
      BuildOptions layout;
      layout.shape = Shape::oneHop;
      layout.lanes = 1;
      layout.chunkBytes = 8 << 10;
      TestSchedule model =
          makeSchedule(Collective::allreduce, 0, ranks, layout);
      model.variant().protocol = protocol;
      Job job(model, ranks);
      for (blinkDataType_t type : kTypes)
        // One element, one chunk, and more than goes through slots on the host.
        for (size_t count : {1, 300, 5001})
          for (bool inPlace : {false, true}) {
            if (!isFloat(type) || (count > 300 && type != blinkFloat32))
              continue;
            if (kSlow && type != blinkFloat32) // threads run in the same order
              continue;
            Case c;
            c.type = type;
            c.count = count;
            c.inPlace = inPlace;
            c.misaligned = count == 300;
            CAPTURE(ranks);
            CAPTURE(c.describe());
            std::vector<Bits> inputs = roughInputs(c, ranks);
            std::vector<Bits> outputs = run(job, c, inputs);
            for (const Bits &output : outputs)
              CHECK(output == outputs[0]);
            // Smaller types are added up in a wider type.
            if (type != blinkFloat32)
              continue;
            CHECK(outputs[0] == sumsOf(c, inputs, false));
            orderMattered += outputs[0] != sumsOf(c, inputs, true);
          }
    }
  CHECK(orderMattered >= (kSlow ? 1 : 6) * 2 * 2); // for 2 ranks it cannot
}

TEST_CASE("in one hop every type and operator is right") {
  unsigned number = 0;
  for (int ranks = 2; ranks <= (kSlow ? 5 : 8); ranks += kSlow ? 3 : 1)
    for (sched::Protocol protocol :
         {sched::Protocol::simple, sched::Protocol::low_latency}) {
      BuildOptions layout;
      layout.shape = Shape::oneHop;
      layout.lanes = 1 + ranks % 2;
      layout.treesPerBlock = 1 + ranks % 3;
      layout.chunkBytes = ranks % 2 ? 64 : 16 << 10;
      layout.slots = uint16_t(1 + ranks % 2);
      TestSchedule model =
          makeSchedule(Collective::allreduce, 0, ranks, layout);
      model.variant().protocol = protocol;
      Job job(model, ranks);
      for (blinkDataType_t type : kTypes)
        for (blinkRedOp_t op : kOps) {
          if (kSlow && op != blinkSum) // threads run in the same order
            continue;
          if (!hasReduction(type, op))
            continue;
          Case c;
          c.type = type;
          c.op = op;
          c.count = 1 + number * 37 % 400;
          c.inPlace = number % 2;
          c.misaligned = number % 3 == 0;
          c.threads = number % 11 == 0;
          ++number;
          CHECK(runCase(job, c) == "");
        }
      // Large messages: readers read them in the writers' buffers.
      for (bool inPlace : {false, true}) {
        Case c;
        c.count = 9001;
        c.inPlace = inPlace;
        c.threads = true;
        if (layout.chunkBytes > 64)
          CHECK(runCase(job, c) == "");
      }
    }
}
