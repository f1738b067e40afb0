//===- Windows.h - registered buffers of processes --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host a window (job/WindowBoard.h) is a registered buffer that lies in
// a block of blinkMemAlloc. The other ranks' processes map it read-only, and
// take chunks directly from it. The writer tells them the window's number and
// the place in the window in the heads of slots.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_WINDOWS_H
#define BLINK_RUNTIME_HOST_WINDOWS_H

#include "runtime/job/WindowBoard.h"
#include "runtime/plan/Plan.h"

#include <map>
#include <memory>
#include <vector>

namespace blink::runtime {

/// A rank's description of a window for the other ranks, in the job's memory.
struct WindowRecord {
  uint64_t bytes;
  uint64_t file;          ///< descriptor in its process
  uint64_t offset;        ///< offset in the file
  uint64_t device, inode; ///< identity of the file
};

/// The number of a window and a place in it, in one word that is no address.
struct WindowPlace {
  static constexpr uint64_t kBit = uint64_t(1) << 62;
  static constexpr int kOffsetBits = 48;

  static uint64_t pack(uint32_t number, uint64_t offset) {
    return kBit | uint64_t(number) << kOffsetBits | offset;
  }
  static uint32_t numberOf(uint64_t word) {
    return uint32_t((word & ~kBit) >> kOffsetBits);
  }
  static uint64_t offsetOf(uint64_t word) {
    return word & ((uint64_t(1) << kOffsetBits) - 1);
  }
};
static_assert(kMaxWindows <= 1u << (62 - WindowPlace::kOffsetBits));

/// The windows of a job, from the view of one rank.
class Windows {
public:
  Windows() = default;
  ~Windows() { end(); }
  Windows(const Windows &) = delete;
  Windows &operator=(const Windows &) = delete;

  /// `records` has kMaxWindows entries for each rank, in the job's memory.
  /// `quiet` is called after the job has failed, and returns when no lane of
  /// this process is at work.
  void begin(const Job &job, const BoardMemory &board, WindowRecord *records,
             const Plan &plan, int self, std::function<void()> quiet);
  /// See WindowBoard::end. Afterwards blocks of this rank may be freed.
  void end();
  /// See WindowBoard::look.
  void look() { board_.look(); }

  // For this rank's buffers, with WindowBoard's rules on threads:

  /// Registers a buffer. Memory that is in no block gets a handle, but is no
  /// window. Errors: invalid usage if there are kMaxWindows already.
  Status add(const void *buffer, uint64_t bytes, uintptr_t &handle);
  /// Errors: invalid argument if it is no handle; those of
  /// WindowBoard::withdraw.
  Status remove(uintptr_t handle);
  /// Bytes of this rank's windows. Any thread may call it.
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Whether this rank has any windows.
  bool any() const { return !byBegin_.empty(); }
  /// Returns true if calls that begin now may let other ranks read all `bytes`
  /// of the buffer. Then `shift`, added to an address there, makes it a word of
  /// WindowPlace. Any thread may call it.
  bool covers(const void *buffer, uint64_t bytes, uint64_t &shift);

  /// Returns where this process has mapped `place`, which a chunk of rank
  /// `owner` names.
  const char *at(int owner, uint64_t place) const {
    // The stores of the board's thread come before these loads by way of the
    // owner, which saw that the window is open before it sent the chunk.
    // ThreadSanitizer does not see that chain, so these loads acquire: one gets
    // the table, the other the mapping.
    return others_[size_t(owner)]
               .load(std::memory_order_acquire)
               ->here[WindowPlace::numberOf(place)]
               .load(std::memory_order_acquire) +
           WindowPlace::offsetOf(place);
  }

private:
  struct Own {
    const char *begin = nullptr;
    uint64_t bytes = 0;
    uint32_t number = kMaxWindows; ///< kMaxWindows: no window
  };
  /// Another rank's windows, mapped here.
  struct Others {
    std::atomic<const char *> here[kMaxWindows];
    /// Used by the board's thread only.
    std::shared_ptr<char> pages[kMaxWindows];
  };

  bool open(int owner, uint32_t number);
  void close(int owner, uint32_t number);

  WindowBoard board_;
  const Job *job_ = nullptr;
  WindowRecord *records_ = nullptr;
  int self_ = 0;
  std::function<void()> quiet_;

  uintptr_t lastHandle_ = 0;
  std::map<uintptr_t, Own> byHandle_;
  std::multimap<const char *, Own> byBegin_; ///< windows only
  /// Relaxed: it is only reported, and nothing else is read because of it.
  std::atomic<uint64_t> bytes_{0};
  /// Indexed by rank; null until the rank has had a window.
  std::vector<std::atomic<Others *>> others_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WINDOWS_H
