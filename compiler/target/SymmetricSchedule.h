//===- SymmetricSchedule.h - schedules in symmetric form --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SYMMETRICSCHEDULE_H
#define BLINK_COMPILER_TARGET_SYMMETRICSCHEDULE_H

#include "schedules/SymmetricForm.h"

#include "llvm/Support/Error.h"

namespace blink {

/// Returns `file`, which openAnySchedule has accepted, in symmetric form. Each
/// program is reduced by its own renamings or, if it has none, by the symmetry
/// that Symmetry::find finds for its ranks. Errors: a file whose topology has
/// no such ranks, or whose programs have no such form.
llvm::Expected<sched::SymmetricFile>
symmetricSchedule(const sched::Schedule &file);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SYMMETRICSCHEDULE_H
