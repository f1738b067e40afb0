//===- TransferPlan.cpp - how one rank's call moves chunks ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/TransferPlan.h"

#include "runtime/plan/Types.h"

#include <algorithm>

namespace blink::runtime {
namespace {

// Sizes of calls, S as for algbw, from which on another way is faster, measured
// by tools/bench-host (docs/performance.md, docs/rationale.md).

/// Readers borrow in calls above this size if they reach the buffers. In
/// smaller calls copying a message costs less than the time its writer would
/// wait for readers. The same holds for transports.
constexpr uint64_t kBorrowAbove = 16 << 10;

/// Readers fetch in calls from this size on if ranks share processors: a system
/// call for each chunk, and some time for each page, then cost no more than the
/// second copy.
constexpr uint64_t kFetch = 512 << 10;

/// Chunks are as large as slots in calls from this size on if ranks share
/// processors: a thread that waits for another's chunk gives its processor
/// away, which costs more than overlapping smaller chunks saves.
constexpr uint64_t kWholeSlots = 128 << 10;

/// The most bytes of a chunk of a sum that goes through slots, if ranks have
/// processors of their own and if they share them: slots of larger chunks, of
/// which a ring has several, fall out of the caches before they are read.
constexpr uint32_t kSlotOfSum = 512 << 10, kCrowdedSlotOfSum = 128 << 10;

/// Outputs go around the caches if a server's buffers together have at least so
/// many bytes: no cache holds them, and streaming avoids reading what is
/// overwritten.
constexpr uint64_t kStream = 32 << 20;

bool overlap(const void *a, uint64_t aBytes, const void *b, uint64_t bBytes) {
  const auto x = reinterpret_cast<uintptr_t>(a);
  const auto y = reinterpret_cast<uintptr_t>(b);
  return a && b && x < y + bBytes && y < x + aBytes;
}

bool anyBorrow(const std::vector<Borrow> &borrows) {
  return std::any_of(borrows.begin(), borrows.end(),
                     [](Borrow borrow) { return borrow != Borrow::none; });
}

bool anySharedSlot(const RankPlan &rank) {
  return std::any_of(rank.sharedSlots.begin(), rank.sharedSlots.end(),
                     [](uint32_t operand) { return operand != 0; });
}

/// Whether chunks of a VariantPlan::oneCopy are as large as slots: its readers
/// have nothing to overlap with their copy. The same on all ranks.
bool copiesWholeSlots(uint64_t bytes, bool stream,
                      const HostEnvironment &host) {
  if (!host.oneServer) // across servers both ends copy at the same time
    return false;
  if (host.zeroCopy == ZeroCopy::direct)
    return true;
  return host.crowded && !stream && bytes >= kWholeSlots;
}

/// The most bytes of a chunk. The same on all ranks.
uint32_t mostChunk(const Call &call, const HostEnvironment &host) {
  const bool slots = host.oneServer && host.zeroCopy != ZeroCopy::direct;
  if (!slots || !isReduction(call.kind.collective))
    return UINT32_MAX;
  return host.crowded ? kCrowdedSlotOfSum : kSlotOfSum;
}

/// Whether readers fetch from the buffers of `rank` through the kernel.
bool isFetched(const Call &call, bool stream, const VariantPlan &variant,
               const RankPlan &rank, const HostEnvironment &host) {
  if (host.zeroCopy != ZeroCopy::fetched || call.bytes() < kFetch)
    return false;
  // If both ends have processors, they copy at the same time, and a byte takes
  // the kernel longer than either copy. The same is true of what goes around
  // the caches.
  if (!host.crowded || stream)
    return false;
  // Slots let ranks that send or pass on chunks run ahead of their readers,
  // which saves switching back and forth. A shared slot also holds only once
  // what several ranks read.
  return !anySharedSlot(rank) &&
         (variant.oneCopy || isReduction(call.kind.collective));
}

/// Returns RankPlan's table of what readers borrow in the call; null if
/// nothing.
const std::vector<Borrow> *chooseBorrows(const Call &call, bool stream,
                                         const VariantPlan &variant,
                                         const RankPlan &rank,
                                         const HostEnvironment &host) {
  const std::vector<Borrow> *borrows = nullptr;
  if (host.zeroCopy == ZeroCopy::direct || host.inWindows) {
    if (call.bytes() > kBorrowAbove)
      borrows = &rank.borrows;
  } else if (isFetched(call, stream, variant, rank, host)) {
    borrows = &rank.fetchedBorrows;
  }
  return borrows && anyBorrow(*borrows) ? borrows : nullptr;
}

} // namespace

TransferPlan chooseTransfers(const Call &call, const VariantPlan &variant,
                             const HostEnvironment &host) {
  TransferPlan plan;
  plan.stream = call.bytes() * uint64_t(host.numRanks) >= kStream;
  plan.shape =
      call.shape(variant, copiesWholeSlots(call.bytes(), plan.stream, host),
                 mostChunk(call, host));
  plan.scaled = call.kind.op == kPreMulSum;
  plan.rank = &variant.ranks[call.rank];
  plan.borrows = chooseBorrows(call, plan.stream, variant, *plan.rank, host);
  if (call.bytes() > kBorrowAbove && anyBorrow(plan.rank->sentBorrows))
    plan.sentBorrows = &plan.rank->sentBorrows;
  plan.inPlace = (plan.borrows || plan.sentBorrows) &&
                 overlap(call.send, call.sendBytes, call.recv, call.recvBytes);
  return plan;
}

} // namespace blink::runtime
