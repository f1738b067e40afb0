//===- Windows.h - registered buffers of processes --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host a window (job/WindowBoard.h) is a registered buffer that lies in
// a block of blinkMemAlloc. The other ranks' processes map it, to read only,
// and take chunks from where they are. The writer tells them in the heads of
// slots: the window's number, and where in the window.
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

/// What a rank tells the others of a window, in the job's memory.
struct WindowRecord {
  uint64_t bytes;
  uint64_t file;          ///< its process's descriptor
  uint64_t offset;        ///< in the file
  uint64_t device, inode; ///< of the file
};

/// Of a window, its number and a place in it, in one word that no address is.
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

/// The windows of a job, as one rank has them.
class Windows {
public:
  Windows() = default;
  ~Windows() { end(); }
  Windows(const Windows &) = delete;
  Windows &operator=(const Windows &) = delete;

  /// `records`: kMaxWindows a rank, in the job's memory. `quiet` returns when
  /// no lane of this process is at work; the job has failed.
  void begin(const Job &job, const BoardMemory &board, WindowRecord *records,
             const Plan &plan, int self, std::function<void()> quiet);
  /// As WindowBoard::end. Blocks of this rank's may be freed afterwards.
  void end();
  /// As WindowBoard::look.
  void look() { board_.look(); }

  // As for WindowBoard, of this rank's buffers:

  /// Memory in no block gets a handle and is no window. Errors: invalid usage
  /// if there are kMaxWindows.
  Status add(const void *buffer, uint64_t bytes, uintptr_t &handle);
  /// Errors: invalid argument if it is no handle; as WindowBoard::withdraw.
  Status remove(uintptr_t handle);
  /// Of this rank's windows.
  uint64_t bytes() const;
  /// Whether there are any.
  bool any() const { return !byBegin_.empty(); }
  /// Whether calls that begin now may have others read all `bytes` of it; then
  /// `shift` makes words of WindowPlace of addresses there. Any thread.
  bool covers(const void *buffer, uint64_t bytes, uint64_t &shift);

  /// Where this process has the place in a window of rank `owner`, that a chunk
  /// of it names.
  const char *at(int owner, uint64_t place) const {
    // What the board's thread has stored is here by way of the owner, who saw
    // that it is open before it sent the chunk. Acquire, as ThreadSanitizer
    // does not see that way: with the table, and the mapping.
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
    uint32_t number = kMaxWindows; ///< none: no window
  };
  /// Another rank's windows, mapped here.
  struct Others {
    std::atomic<const char *> here[kMaxWindows];
    std::shared_ptr<char> pages[kMaxWindows]; ///< the board's thread's
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
  std::multimap<const char *, Own> byBegin_; ///< windows alone
  /// By rank; null: has had no window.
  std::vector<std::atomic<Others *>> others_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WINDOWS_H
