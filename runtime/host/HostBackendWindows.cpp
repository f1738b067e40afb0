//===- HostBackendWindows.cpp - registering buffers on the host -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/host/HostBackend.h"

namespace blink::runtime {

namespace {

/// Registering is in flight: abort() waits for it, as for a call
/// (HostBackend::begin, ::end).
class InFlightScope {
public:
  explicit InFlightScope(std::atomic<int> &inFlight) : inFlight_(inFlight) {
    inFlight_.fetch_add(1, std::memory_order_seq_cst);
  }
  ~InFlightScope() { inFlight_.fetch_sub(1, std::memory_order_release); }
  InFlightScope(const InFlightScope &) = delete;

private:
  std::atomic<int> &inFlight_;
};

} // namespace

Status HostBackend::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 1;
  if (rings_.zeroCopy == ZeroCopy::direct)
    return {};
  const InFlightScope scope(ranks_[self].inFlight);
  if (Status why = failure(); !why.ok())
    return why;
  Windows &windows = rings_.windows;
  Segment &segment = rings_.segment;
  windows.offer(buffer, bytes, segment.window(self));
  const auto open = [&](uint32_t number) -> Status {
    windows.take(number);
    for (int other = 0; other < plan_.numRanks; ++other)
      if (other != self && !windows.map(number, other, job_.processOf(other),
                                        segment.window(other)))
        return {blinkSystemError,
                "a process may not map another's memory: registered buffers "
                "are copied from as others are"};
    return {};
  };
  Registration all;
  const Status status =
      registerTogether(job_, self, windows.used(), {}, open, all);
  if (!status.ok() || all.number == kMaxWindows) {
    windows.drop(all.number); // kOffered if it has none
    return status.ok() ? all.outcome : status;
  }
  // Nobody reads there before all can; a rank that is told so may not ask the
  // kernel.
  if (all.outcome.ok())
    windows.open(all.number);
  if (!all.outcome.ok())
    log(LogLevel::info, self, all.outcome.text);
  else if (segment.window(self).bytes == 0)
    log(LogLevel::info, self,
        "a registered buffer is not in memory of blinkMemAlloc: other "
        "processes copy from it as they do without");
  handle = all.number + 1;
  return {};
}

Status HostBackend::deregisterBuffer(int self, uintptr_t handle) {
  if (rings_.zeroCopy == ZeroCopy::direct)
    return {};
  if (!rings_.windows.isUsed(handle - 1))
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  const InFlightScope scope(ranks_[self].inFlight);
  rings_.windows.drop(uint32_t(handle - 1));
  return job_.failed() ? failure() : job_.stepTogether(self);
}

} // namespace blink::runtime
