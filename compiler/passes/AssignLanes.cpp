//===- AssignLanes.cpp - collective-assign-lanes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Loose folds become lanes. Which, says compiler/plan's AssignLanes.h.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignLanes.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct AssignLanes : impl::AssignLanesPassBase<AssignLanes> {
  using Base::Base;

  void runOnOperation() override {
    if (maxLanes == 0) {
      getOperation().emitError("max-lanes must be at least 1");
      return signalPassFailure();
    }
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>()) {
      FailureOr<FoldProgram> program = readProgram(schedule);
      if (failed(program))
        return signalPassFailure();
      assignLanes(
          *program,
          fromIR(schedule.getProtocol().value_or(collective::Protocol::Simple)),
          maxLanes);
      writeLanes(schedule, *program);
    }
  }
};

} // namespace
} // namespace blink
