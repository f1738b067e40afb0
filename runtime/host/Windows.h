//===- Windows.h - registered buffers of processes --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A window is a registered buffer that lies in a block of blinkMemAlloc. The
// other ranks' processes map it, to read only, and take chunks from where they
// are. Every rank has the same number of registered buffers, in the same order,
// but not all of them need be windows.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_WINDOWS_H
#define BLINK_RUNTIME_HOST_WINDOWS_H

#include "runtime/job/Registration.h"

#include <memory>
#include <utility>
#include <vector>

namespace blink::runtime {

/// What a rank tells the others of a registered buffer, in the job's memory.
struct WindowRecord {
  uint64_t address;       ///< in its process
  uint64_t bytes;         ///< 0: no window
  uint64_t file;          ///< its process's descriptor
  uint64_t offset;        ///< in the file
  uint64_t device, inode; ///< of the file
};

/// The windows of a job, as one rank has them. Changed between calls only.
class Windows {
public:
  Windows() = default;
  ~Windows();
  Windows(const Windows &) = delete;
  Windows &operator=(const Windows &) = delete;

  /// This rank's next buffer: sets what the others need to know. The memory
  /// behind it is not freed before drop(kOffered), or take() and drop().
  void offer(const void *buffer, uint64_t bytes, WindowRecord &record);
  static constexpr uint32_t kOffered = kMaxWindows; ///< as a number
  /// Gives it a number, which is free.
  void take(uint32_t number) {
    std::swap(numbers_[number], numbers_[kOffered]);
  }
  /// Bit n is set if number n is in use.
  uint32_t used() const;
  /// Maps the window of rank `rank`, in process `process`, if it is one. False
  /// if that is not possible.
  bool map(uint32_t number, int rank, uint64_t process,
           const WindowRecord &record);
  /// All ranks have mapped it: calls may use it.
  void open(uint32_t number) {
    numbers_[number].open = true;
    ++numOpen_;
  }
  bool isUsed(uint64_t number) const {
    return number < kMaxWindows && numbers_[number].used;
  }
  /// Unmaps the others' and frees the number. Of kOffered: if there is one.
  void drop(uint32_t number);

  /// Whether any number is open: the same on every rank.
  bool any() const { return numOpen_ != 0; }
  /// Of this rank's windows.
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Number &number : numbers_)
      sum += number.open ? number.bytes : 0;
    return sum;
  }
  /// Whether all ranks can read there. Always if there are no bytes.
  bool cover(const void *buffer, uint64_t bytes) const;
  /// Where this process has `bytes` from `address` in rank `rank`'s process, or
  /// null.
  const char *find(int rank, uint64_t address, uint64_t bytes) const;

private:
  /// Of another rank.
  struct Mapping {
    int rank = 0;
    uint64_t address = 0, bytes = 0; ///< in its process
    std::shared_ptr<char> here;
  };
  struct Number {
    bool used = false;
    bool open = false;
    const char *begin = nullptr; ///< of this rank's; null: no window
    uint64_t bytes = 0;
    std::vector<Mapping> others;
  };

  Number numbers_[kMaxWindows + 1]; ///< the last one: offered
  uint32_t numOpen_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WINDOWS_H
