//===- VariantChoiceTest.cpp - a call's variant on the host ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/VariantChoice.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

constexpr uint64_t kKiB = 1 << 10;

struct Layout {
  Collective collective = Collective::allreduce;
  int ranks = 2;
  Shape shape = Shape::oneHop; ///< for calls below 32 KiB
  sched::Protocol protocol = sched::Protocol::low_latency;
  bool splitRoot = false;
  uint32_t chunkBytes = 512 << 10; ///< for larger calls
};

/// Returns a plan with chunks of 32 KiB and two slots below 32 KiB, and above
/// that a star with two slots.
Plan planOf(const Layout &layout) {
  BuildOptions options;
  options.shape = Shape::star;
  options.chunkBytes = layout.chunkBytes;
  TestSchedule model =
      makeSchedule(layout.collective, 0, layout.ranks, options);
  options.shape = layout.shape;
  options.splitRoot = layout.splitRoot;
  options.chunkBytes = 32 << 10;
  TestVariant small =
      makeSchedule(layout.collective, 0, layout.ranks, options).variant();
  small.protocol = layout.protocol;
  small.maxBytes = model.variant().minBytes = 32 << 10;
  auto &variants = model.programs[0].variants;
  variants.insert(variants.begin(), small);
  const std::vector<uint8_t> bytes = seal(model);
  ScheduleSet files(1);
  REQUIRE(OpenFile::copy(bytes.data(), bytes.size(), files[0]).ok());
  Plan plan;
  REQUIRE(Plan::create(files, layout.ranks, {}, plan).ok());
  extendExchanges(plan);
  return plan;
}

/// Returns the number of the variant for a call of `bytes` bytes.
uint32_t chosen(const Plan &plan, uint64_t bytes, bool together) {
  Call call;
  call.kind.collective = plan.programs[0].program->collective();
  call.kind.count = bytes; // elements of int8
  call.program = &plan.programs[0];
  call.sendBytes = call.recvBytes = bytes;
  return chooseVariant(call, together).number;
}

} // namespace

TEST_CASE("two ranks exchange inputs below 128 KiB unless one thread runs "
          "both") {
  const Plan plan = planOf({});
  CHECK(chosen(plan, 32 * kKiB - 1, true) == 0);
  CHECK(chosen(plan, 32 * kKiB, true) == 1);
  CHECK(chosen(plan, 32 * kKiB, false) == 0);
  CHECK(chosen(plan, 128 * kKiB - 1, false) == 0);
  CHECK(chosen(plan, 128 * kKiB, false) == 1);
}

TEST_CASE("their chunks grow into rings that have room") {
  const Plan wide = planOf({});
  CHECK(wide.programs[0].variants[0].chunks.bytes == 64 * kKiB);
  CHECK(wide.programs[0].variants[1].chunks.bytes == 512 * kKiB);
  Layout layout;
  layout.chunkBytes = 40 << 10;
  CHECK(planOf(layout).programs[0].variants[0].chunks.bytes == 40 * kKiB);
  layout.chunkBytes = 4 << 10;
  CHECK(planOf(layout).programs[0].variants[0].chunks.bytes == 32 * kKiB);
}

TEST_CASE("other variants keep their ranges") {
  for (const Layout &layout :
       {Layout{Collective::allreduce, 3}, Layout{Collective::broadcast},
        Layout{Collective::allreduce, 2, Shape::chain},
        Layout{Collective::allreduce, 2, Shape::chain,
               sched::Protocol::low_latency, true},
        Layout{Collective::allreduce, 2, Shape::oneHop,
               sched::Protocol::simple}}) {
    const Plan plan = planOf(layout);
    CHECK(chosen(plan, 32 * kKiB, false) == 1);
    CHECK(plan.programs[0].variants[0].chunks.bytes == 32 * kKiB);
  }
}
