//===- Schedules.h - the schedules of this process --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_SCHEDULES_H
#define BLINK_RUNTIME_BINDINGS_NCCL_SCHEDULES_H

#include "runtime/bindings/nccl/Errors.h"

namespace blink::nccl {

/// Opens the schedules that BLINK_SCHEDULES names; the caller closes them.
/// Errors: as blinkScheduleFind.
inline ncclResult_t openSchedules(blinkSchedule_t &schedule) {
  return report(blinkScheduleFind(nullptr, &schedule));
}

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_SCHEDULES_H
