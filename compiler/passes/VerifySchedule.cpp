//===- VerifySchedule.cpp - collective-verify-schedule --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifies what will run: the bytes, not the IR that they were made from.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/verify/Verify.h"
#include "schedules/ScheduleFile.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct VerifySchedule : impl::VerifySchedulePassBase<VerifySchedule> {
  void runOnOperation() override {
    if (getOperation().getOps<collective::ScheduleOp>().empty())
      return;
    auto groups = groupVariants(getOperation());
    if (failed(groups))
      return signalPassFailure();
    auto bytes = exportAsIs(getOperation());
    if (failed(bytes))
      return signalPassFailure();
    std::string error;
    const sched::Schedule *file =
        sched::openAnySchedule(bytes->data(), bytes->size(), error);
    if (!file) {
      getOperation().emitError(error);
      return signalPassFailure();
    }
    for (auto [variants, program] :
         llvm::zip_equal(*groups, *file->programs())) {
      VerifyReport report = verifyProgram(*file, *program);
      for (const Check &check : report.checks)
        if (!check.ok)
          variants[check.variant].emitError()
              << check.name << ": " << check.detail;
      if (!report.ok)
        signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace blink
