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
    llvm::Expected<std::optional<uint64_t>> from =
        fasterFrom(std::move(*first), std::move(*next), chunkBytes);
    if (!from)
      return large.emitError(toString(from.takeError()));
    if (!*from) {
      small.removeMaxBytesAttr();
      large.erase();
      return success();
    }
    small.setMaxBytes(static_cast<int64_t>(**from));
    large.setMinBytes(static_cast<int64_t>(**from));
    return success();
  }

  void runOnOperation() override {
    collective::ScheduleOp before;
    for (auto schedule : llvm::make_early_inc_range(
             getOperation().getOps<collective::ScheduleOp>())) {
      const bool isNext = before && follows(before, schedule);
      if (isNext && !schedule.getChunkBytes() && failed(tune(before, schedule)))
        return signalPassFailure();
      // A variant that is not needed is gone.
      if (!isNext || before.getMaxBytes())
        before = schedule;
    }
  }
};

} // namespace
} // namespace blink
