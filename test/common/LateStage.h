//===- LateStage.h - a stage whose loads are as late as can be --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_LATESTAGE_H
#define BLINK_TEST_COMMON_LATESTAGE_H

#include "runtime/cuda/Pack.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace blink::test {

/// Implements runtime/cuda/StagedFold.h's Stage. A device may execute a load at
/// any time from its beginning to the wait for its group. Here what the slot
/// held is lost at the beginning, and memory is read at the wait.
class LateStage {
public:
  static constexpr uint32_t kMostPacks = 18;

  explicit LateStage(uint32_t packs) : packs_(packs) {}
  LateStage(const LateStage &) = delete;
  /// A later fold would find these loads in its slots.
  ~LateStage() {
    if (numLoads_ != 0)
      fail("a fold ends before its loads");
  }

  void load(uint32_t slot, const char *pack) {
    if (slot >= packs_ || numLoads_ == packs_)
      fail("a load goes beyond the stage");
    runtime::mustBeAligned(pack, runtime::Pack::kBytes);
    slots_[slot] = {{0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef}};
    loads_[(firstLoad_ + numLoads_) % kMostPacks] = {slot, pack, numGroups_};
    ++numLoads_;
  }
  void endGroup() { ++numGroups_; }
  template <uint32_t kPacks> void awaitAllBut(uint32_t left) {
    while (numLoads_ != 0 && loads_[firstLoad_].group + left < numGroups_) {
      const Load &load = loads_[firstLoad_];
      slots_[load.slot] = runtime::loadPack(load.from);
      firstLoad_ = (firstLoad_ + 1) % kMostPacks;
      --numLoads_;
    }
  }
  runtime::Pack get(uint32_t slot) const { return slots_[slot]; }

private:
  struct Load {
    uint32_t slot;
    const char *from;
    uint64_t group;
  };

  [[noreturn]] static void fail(const char *what) {
    std::fprintf(stderr, "stage: %s\n", what);
    std::abort();
  }

  const uint32_t packs_;
  std::array<runtime::Pack, kMostPacks> slots_ = {};
  std::array<Load, kMostPacks>
      loads_; ///< a ring of those that are on their way
  uint32_t firstLoad_ = 0, numLoads_ = 0;
  uint64_t numGroups_ = 0; ///< that have ended
};

} // namespace blink::test

#endif // BLINK_TEST_COMMON_LATESTAGE_H
