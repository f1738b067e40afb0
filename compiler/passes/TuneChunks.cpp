//===- TuneChunks.cpp - collective-tune-chunks ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Gives channels slots of a size, and windows. ChunkChoice.h in compiler/plan
// chooses them.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/target/FoldProgramIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_TUNECHUNKSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct TuneChunks : impl::TuneChunksPassBase<TuneChunks> {
  using Base::Base;

  LogicalResult tune(collective::ScheduleOp schedule) {
    FailureOr<FoldProgram> program = readProgram(schedule);
    if (failed(program))
      return failure();
    const sched::Protocol protocol = protocolOf(schedule);
    const ChannelSlots slots = chooseSlotsFor(
        *program, {protocol, schedule.getMaxBytes()}, chunkBytes);
    setChunks(schedule, slots.chunks);
    assignSlots(*program, slots);
    for (auto [channel, of] :
         llvm::zip_equal(schedule.getBody().getOps<collective::ChannelOp>(),
                         program->channels)) {
      channel.setSlots(of.slots);
      channel.setWindow(of.window);
    }
    return success();
  }

  void runOnOperation() override {
    if (failed(checkOption(getOperation(), "chunk-bytes", chunkBytes, 0,
                           kChunkBytesLimit)))
      return signalPassFailure();
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>())
      if (!schedule.getChunkBytes() && failed(tune(schedule)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
