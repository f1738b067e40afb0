//===- TuneRanges.cpp - collective-tune-ranges ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FasterFrom.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/target/FoldProgramIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_TUNERANGESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct TuneRanges : impl::TuneRangesPassBase<TuneRanges> {
  using Base::Base;

  /// Whether `next` takes over from `schedule` in the same program.
  static bool follows(collective::ScheduleOp schedule,
                      collective::ScheduleOp next) {
    return schedule.getMaxBytes() &&
           schedule.getMaxBytes() == next.getMinBytes() &&
           schedule.getCollective() == next.getCollective() &&
           schedule.getGpus() == next.getGpus() &&
           schedule.getRoot() == next.getRoot();
  }

  LogicalResult tune(collective::ScheduleOp small,
                     collective::ScheduleOp large) {
    auto variantOf =
        [](collective::ScheduleOp schedule) -> FailureOr<RangedProgram> {
      FailureOr<FoldProgram> program = readProgram(schedule);
      if (failed(program))
        return failure();
      return RangedProgram{std::move(*program), protocolOf(schedule),
                           schedule.getMinBytes().value_or(0),
                           schedule.getMaxBytes()};
    };
    FailureOr<RangedProgram> first = variantOf(small);
    FailureOr<RangedProgram> next = variantOf(large);
    if (failed(first) || failed(next))
      return failure();
    llvm::Expected<uint64_t> from =
        fasterFrom(std::move(*first), std::move(*next), chunkBytes);
    if (!from)
      return large.emitError(toString(from.takeError()));
    small.setMaxBytes(static_cast<int64_t>(*from));
    large.setMinBytes(static_cast<int64_t>(*from));
    return success();
  }

  void runOnOperation() override {
    collective::ScheduleOp before;
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>()) {
      if (before && !schedule.getChunkBytes() && follows(before, schedule) &&
          failed(tune(before, schedule)))
        return signalPassFailure();
      before = schedule;
    }
  }
};

} // namespace
} // namespace blink
