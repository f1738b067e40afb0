//===- TimePointsTest.cpp - the points of time in a file ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The runtime interpolates between a file's points; the results must agree with
// the time model of the file's variants.
//
//===----------------------------------------------------------------------===//

#include "schedules/TimePoints.h"
#include "compiler/report/PredictedTime.h"
#include "schedules/ScheduleFile.h"
#include "test/unit/driver/CompileFile.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns eight sizes per power of two up to 256 GiB: the line between two
/// points may be furthest from the model between powers of two.
std::vector<uint64_t> manySizes() {
  std::vector<uint64_t> sizes = {0};
  for (uint64_t power = 1; power <= uint64_t(256) << 30; power *= 2)
    for (uint64_t eighth = 8; eighth < 16; ++eighth)
      sizes.push_back(power * eighth / 8);
  return sizes;
}

void checkPoints(const Topology &topology, const CompileOptions &options) {
  const std::vector<uint8_t> bytes = compileFile(topology, options);
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  const sched::Program &program = *file->programs()->Get(0);
  for (const sched::Variant *variant : *program.variants()) {
    const MessageTime model = predictTime(*file, program, *variant);
    REQUIRE(variant->times());
    for (const sched::TimePoint *point : *variant->times())
      CHECK(point->microseconds() ==
            doctest::Approx(model.at(point->bytes())).epsilon(1e-6));
    for (uint64_t size : manySizes()) {
      CAPTURE(size);
      CHECK(sched::timeAt(*variant->times(), size) ==
            doctest::Approx(model.at(size)).epsilon(0.02));
    }
  }
}

} // namespace

TEST_CASE("times between a file's points are those of the model") {
  for (const char *name : {"dgx1", "dgx-h100", "mi250", "pcie-8gpu"})
    for (Collective collective : {Collective::allreduce, Collective::broadcast,
                                  Collective::alltoall, Collective::sendrecv})
      for (uint32_t chunkBytes : {0u, 16u << 10, 4u << 20}) {
        CAPTURE(name);
        CAPTURE(toString(collective).str());
        CAPTURE(chunkBytes);
        CompileOptions options;
        options.collective = collective;
        options.chunkBytes = chunkBytes;
        if (options.collective == Collective::sendrecv)
          options.gpus = {0, 1}; // joined in all of these machines
        checkPoints(shippedTopology(name), options);
      }
}

TEST_CASE("one GPU alone takes what copying takes") {
  CompileOptions options;
  options.gpus = {0};
  checkPoints(shippedTopology("dgx1"), options);
}
