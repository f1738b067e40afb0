//===- EstimateTimes.cpp - collective-estimate-times ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/simulate/TimePoints.h"
#include "compiler/target/FoldProgramIR.h"

#include <limits>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ESTIMATETIMESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct EstimateTimes : impl::EstimateTimesPassBase<EstimateTimes> {
  static LogicalResult estimate(collective::ScheduleOp schedule) {
    if (failed(checkComplete(schedule)))
      return failure();
    FailureOr<FoldProgram> program = readProgram(schedule);
    if (failed(program))
      return failure();
    const SizeRange range = {
        schedule.getMinBytes().value_or(0),
        schedule.getMaxBytes().value_or(std::numeric_limits<uint64_t>::max())};
    const auto protocol = protocolOf(schedule);
    SmallVector<int64_t> bytes;
    SmallVector<double> microseconds;
    for (const sched::TimePoint &point :
         timePoints(*program, protocol, chunksOf(schedule), range)) {
      bytes.push_back(int64_t(point.bytes()));
      microseconds.push_back(point.microseconds());
    }
    schedule.setTimeBytes(bytes);
    schedule.setTimeUs(microseconds);
    return success();
  }

  void runOnOperation() override {
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>())
      if (!schedule.getTimeBytes() && failed(estimate(schedule)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
