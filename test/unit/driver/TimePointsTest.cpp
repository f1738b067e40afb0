//===- TimePointsTest.cpp - the points of time in a file ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The runtime interpolates between a file's points; the results must agree with
// simulations of whole messages under the file's variants. Messages of a
// sendrecv travel one by one, so these must agree with the model of time.
//
//===----------------------------------------------------------------------===//

#include "schedules/TimePoints.h"
#include "compiler/report/PredictedTime.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/simulate/TimePoints.h"
#include "compiler/target/FoldProgramFile.h"
#include "schedules/ScheduleFile.h"
#include "test/unit/driver/CompileFile.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns eight sizes per power of two up to 256 GiB: the line between two
/// points may be furthest from the model between powers of two.
std::vector<uint64_t> allSizes() {
  std::vector<uint64_t> sizes = {0};
  for (uint64_t power = 1; power <= uint64_t(256) << 30; power *= 2)
    for (uint64_t eighth = 8; eighth < 16; ++eighth)
      sizes.push_back(power * eighth / 8);
  return sizes;
}

/// Returns three sizes per power of two up to 16 MiB: the line between two
/// points may be furthest from the estimate between powers of two.
std::vector<uint64_t> manySizes() {
  std::vector<uint64_t> sizes;
  for (uint64_t power = 64; power <= 8 << 20; power *= 2)
    for (uint64_t third = 3; third < 6; ++third)
      sizes.push_back(power * third / 3);
  return sizes;
}

bool isPowerOfFour(uint64_t bytes) {
  return llvm::isPowerOf2_64(bytes) && llvm::Log2_64(bytes) % 2 == 0;
}

/// Checks that points and the lines between them are those of `model`.
void checkLines(const std::vector<sched::TimePoint> &points,
                const MessageTime &model) {
  for (const sched::TimePoint &point : points)
    CHECK(point.microseconds() ==
          doctest::Approx(model.at(point.bytes())).epsilon(1e-6));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(builder.CreateVectorOfStructs(points));
  const auto *times =
      flatbuffers::GetRoot<sched::TimePoints>(builder.GetBufferPointer());
  for (uint64_t size : allSizes()) {
    CAPTURE(size);
    CHECK(sched::timeAt(*times, size) ==
          doctest::Approx(model.at(size)).epsilon(0.02));
  }
}

/// Checks the points of each variant in its range and, without simulations, in
/// all sizes.
void checkPoints(const Topology &topology, const CompileOptions &options) {
  const std::vector<uint8_t> bytes = compileFile(topology, options);
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  const sched::Program &program = *file->programs()->Get(0);
  for (const sched::Variant *variant : *program.variants()) {
    REQUIRE(variant->times());
    const FoldProgram folds = readProgram(*file, program, *variant);
    const MessageTime model = modelTime(*file, program, *variant);
    const bool oneByOne = isPairwise(options.collective);
    checkLines(timePoints(folds, variant->protocol(), sched::chunksOf(*variant),
                          {0, 0}),
               model);
    if (oneByOne) {
      std::vector<sched::TimePoint> points;
      for (const sched::TimePoint *point : *variant->times())
        points.push_back(*point);
      checkLines(points, model);
    }
    for (uint64_t size : manySizes()) {
      if (size < variant->min_bytes() || size >= variant->max_bytes())
        continue;
      CAPTURE(size);
      const double whole =
          oneByOne ? model.at(size)
                   : valueOf(shortTime(folds, sched::chunksOf(*variant), size,
                                       variant->protocol()));
      // Times rise in steps of a lane's turn, of 2 us and more, where another
      // round begins; with one size of chunks these are high.
      const double off = oneByOne                  ? 0.02
                         : options.chunkBytes != 0 ? 0.5
                         : isPowerOfFour(size)     ? 0.1
                                                   : 0.25;
      CHECK(std::abs(sched::timeAt(*variant->times(), size) - whole) <=
            std::max(off * whole, oneByOne ? 0 : 2.0));
    }
  }
}

} // namespace

TEST_CASE("times between a file's points are those of simulations") {
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
