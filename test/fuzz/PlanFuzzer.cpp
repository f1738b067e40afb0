//===- PlanFuzzer.cpp - any bytes as the runtime's schedules --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers what a job does with a file before it runs anything: a schedule for
// its own ranks, a bundle for some sets of GPUs.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "test/fuzz/FuzzTarget.h"

using namespace blink;
using namespace blink::runtime;
using test::require;

/// Plans a job and asks for its programs.
static void plan(const ScheduleSet &files, const std::vector<int> &gpus,
                 int numRanks) {
  Plan plan;
  const Status status = Plan::create(files, numRanks, {gpus, ""}, plan);
  require(status.ok() == status.text.empty(), "an error says what is wrong");
  if (!status.ok())
    return;
  for (sched::Collective collective : sched::EnumValuesCollective()) {
    const ProgramPlan *program = nullptr;
    if (plan.find(collective, 0, program).ok())
      for (uint64_t bytes : {uint64_t(0), uint64_t(1) << 20, ~uint64_t(0)})
        program->variantFor(bytes);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ScheduleSet files(1);
  const Status status = OpenFile::copy(data, size, files[0]);
  require(status.ok() == status.text.empty(), "an error says what is wrong");
  if (!status.ok())
    return 0;
  if (const sched::Schedule *file = files[0]->schedule()) {
    plan(files, {}, int(file->programs()->Get(0)->allocation()->size()));
    return 0;
  }
  for (const std::vector<int> &gpus :
       {std::vector<int>{0}, {1, 0}, {0, 2, 1}, {3, 1, 0, 2}})
    plan(files, gpus, int(gpus.size()));
  return 0;
}
