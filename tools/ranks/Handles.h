//===- Handles.h - owners of what blink.h creates ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_RANKS_HANDLES_H
#define BLINK_TOOLS_RANKS_HANDLES_H

#include "runtime/blink.h"

#include <memory>

namespace blink {

struct CloseSchedule {
  void operator()(blinkSchedule_t schedule) { blinkScheduleClose(schedule); }
};
using OwnedSchedule = std::unique_ptr<blinkSchedule, CloseSchedule>;

/// A rank's communicator.
struct OwnedComm {
  OwnedComm() = default;
  ~OwnedComm() { blinkCommDestroy(comm); }
  OwnedComm(const OwnedComm &) = delete;

  blinkComm_t comm = nullptr;
};

} // namespace blink

#endif // BLINK_TOOLS_RANKS_HANDLES_H
