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

/// A rank that registers is busy: abort() waits for it, as for a call
/// (HostBackend::begin, ::end).
class BusyScope {
public:
  explicit BusyScope(std::atomic<bool> &busy) : busy_(busy) {
    busy_.store(true, std::memory_order_seq_cst);
  }
  ~BusyScope() { busy_.store(false, std::memory_order_release); }
  BusyScope(const BusyScope &) = delete;

private:
  std::atomic<bool> &busy_;
};

} // namespace

Status HostBackend::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 1;
  if (rings_.lending == HostRings::Lending::direct)
    return {};
  const BusyScope busy(ranks_[self].busy);
  if (Status why = failure(); !why.ok())
    return why;
  Windows &windows = rings_.windows;
  Segment &segment = rings_.segment;
  const uint32_t number = windows.freeNumber();
  if (number == kMaxWindows)
    return {blinkInvalidUsage,
            std::to_string(kMaxWindows) + " buffers are registered already"};
  windows.add(number, buffer, bytes, segment.windows(self)[number]);
  Status status = job_.stepTogether(self);
  bool mapped = status.ok();
  for (int other = 0; mapped && other < plan_.numRanks; ++other)
    mapped = other == self || windows.map(number, other, job_.processOf(other),
                                          segment.windows(other)[number]);
  // Nobody reads there before all can; who is told so may not ask the kernel.
  storeRelaxed(&segment.rank(self).mapped, uint64_t(mapped));
  if (status.ok())
    status = job_.stepTogether(self);
  if (!status.ok()) {
    windows.drop(number);
    return status;
  }
  bool all = true;
  for (int rank = 0; rank < plan_.numRanks; ++rank)
    all &= loadRelaxed(&segment.rank(rank).mapped) == 1;
  if (all)
    windows.open(number);
  if (!all || segment.windows(self)[number].bytes == 0)
    log(LogLevel::info, self,
        all ? "a registered buffer is not in memory of blinkMemAlloc: other "
              "processes copy from it as they do without"
            : "a process may not map another's memory: registered buffers are "
              "copied from as others are");
  handle = number + 1;
  return {};
}

Status HostBackend::deregisterBuffer(int self, uintptr_t handle) {
  if (rings_.lending == HostRings::Lending::direct)
    return {};
  if (!rings_.windows.isUsed(handle - 1))
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  const BusyScope busy(ranks_[self].busy);
  rings_.windows.drop(uint32_t(handle - 1));
  return failed() ? failure() : job_.stepTogether(self);
}

} // namespace blink::runtime
