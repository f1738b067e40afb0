//===- BoxExchangeRunTest.cpp - boxes that exchange sums, run -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs steps that add to the contents of an output, on the host back end and on
// the CUDA back end's emulated devices.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/packing/Pods.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the first variant that adds to outputs, or null.
const sched::Variant *addsToOutputs(const sched::Program &program) {
  for (const sched::Variant *variant : *program.variants())
    for (const sched::RankProgram *rank : *variant->ranks())
      for (const sched::Step *step : *rank->steps())
        for (uint32_t i = 0; i < step->sources(); ++i)
          if (rank->operands()->Get(step->operands_begin() + i)->kind() ==
              sched::OperandKind::output)
            return variant;
  return nullptr;
}

} // namespace

TEST_CASE("sums that boxes exchange are right, and the same on all ranks") {
  std::mt19937 random(5);
  for (auto [boxes, gpus] :
       {std::pair(4, 2), std::pair(6, 1), std::pair(3, 4), std::pair(8, 1)}) {
    CAPTURE(boxes);
    CAPTURE(gpus);
    const int ranks = boxes * gpus;
    CompileOptions options;
    const std::vector<uint8_t> bytes =
        compileFile(podOf(boxes, gpus, gpus).topology(), options);
    const sched::Variant *variant =
        addsToOutputs(*sched::GetSchedule(bytes.data())->programs()->Get(0));
    REQUIRE(variant);
    const Job job(bytes, ranks, 0, nullptr);
    for (uint64_t size : {variant->min_bytes(), variant->min_bytes() + 60,
                          variant->max_bytes() / 2, variant->max_bytes() - 4})
      for (bool inPlace : {false, true}) {
        const size_t count = std::max<size_t>(size / sizeof(float), 1);
        CAPTURE(count);
        CAPTURE(inPlace);
        std::vector<std::vector<float>> inputs(static_cast<size_t>(ranks)),
            outputs = inputs;
        std::vector<float> sums(count, 0);
        for (auto &input : inputs) {
          for (size_t i = 0; i < count; ++i) {
            input.push_back(float(random() % 1000)); // sums are exact
            sums[i] += input[i];
          }
          outputs[size_t(&input - inputs.data())].resize(count);
        }
        for (blinkResult_t result : job.onThreads([&](int rank) {
               float *in = inputs[size_t(rank)].data();
               return blinkAllReduce(
                   in, inPlace ? in : outputs[size_t(rank)].data(), count,
                   blinkFloat32, blinkSum, job[rank], job.stream(rank));
             }))
          REQUIRE(result == blinkSuccess);
        for (const std::vector<float> &result : inPlace ? inputs : outputs)
          CHECK(std::memcmp(result.data(), sums.data(),
                            count * sizeof(float)) == 0);
      }
  }
}
