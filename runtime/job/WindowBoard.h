//===- WindowBoard.h - windows come and go at any time ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A window is a registered buffer (blinkCommRegister) of one rank, its owner,
// that ranks in other processes, its readers, reach into: to read or, on GPUs,
// to write. Offering one and withdrawing it are calls of the owner alone. A
// reader has a thread that opens what is offered and closes what is withdrawn,
// so nobody waits for the calls of another rank. The thread begins in the first
// call of a rank after the first offer; a job that has no windows has none.
//
//   owner                                 reader's thread
//   writes the back end's record
//   generation + 1, odd      (release)
//   changes + 1, rings       (seq_cst)
//                                         changes           (seq_cst)
//                                         generation        (acquire)
//                                         opens it, or refused = generation
//                                         seen = changes    (release)
//   seen by all readers      (acquire)
//   uses it in calls
//   calls are over: all readers have said in their rings that they are through
//   generation + 1, even     (release)
//   changes + 1, rings       (seq_cst)
//                                         as above: closes it
//   seen by all readers      (acquire)
//   the buffer is the caller's, and the number free
//
// What is used in a call. The owner decides, when the call begins, and tells
// each reader with the data, or before it, which window to look at. So both
// ends of a channel agree, however far apart they are in their calls: a window
// that an unread chunk names has been opened by its reader, since the owner saw
// that first, and is not withdrawn, since the owner's call is not over. A
// window is used when all its readers have opened it, and never if one cannot.
//
// Why a reader that does not look yet is not waited for. It stores that it
// looks, and then loads the changes; the owner stores its change, and then
// loads who looks: all sequentially consistent, so one sees the other. A reader
// whom the owner did not see finds the window withdrawn.
//
// Why the record is stable while a reader looks at it: the owner writes it only
// for a number that is free.
//
// After a failure calls end though readers are not through. The job has failed
// then before the owner withdraws, and so the reader, which has seen that,
// finds it failed; closing waits until no lane of its own is at work.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_WINDOWBOARD_H
#define BLINK_RUNTIME_JOB_WINDOWBOARD_H

#include "runtime/job/BoardMemory.h"
#include "runtime/job/Job.h"

#include <atomic>
#include <deque>
#include <thread>

namespace blink::runtime {

/// The board as one rank sees it.
class WindowBoard {
public:
  /// What the rank does as a reader. Runs in the board's thread.
  struct Reach {
    /// False if it cannot: then nobody uses the window.
    std::function<bool(int owner, uint32_t number)> open;
    /// Of one that was opened. No lane of the rank's uses it, unless the job
    /// has failed.
    std::function<void(int owner, uint32_t number)> close;
  };

  WindowBoard() = default;
  WindowBoard(const WindowBoard &) = delete;
  ~WindowBoard() { end(); }

  /// `owners`: whose windows `self` reaches into; `readers`: who into its own.
  /// The job and its memory outlive end().
  void begin(const Job &job, const BoardMemory &memory, int self,
             std::vector<int> owners, std::vector<int> readers, Reach reach);
  /// Withdraws all windows without waiting, and closes those of others. No call
  /// is under way.
  void end();

  /// When a call begins.
  void look() {
    // Relaxed: a call that misses it does without windows.
    const uint32_t *bell = unheard_.load(std::memory_order_relaxed);
    if (bell && __atomic_load_n(bell, __ATOMIC_RELAXED) != 0)
      startLooking();
  }

  // For the owner: these take turns, and no call begins meanwhile.

  /// A free number, or kMaxWindows.
  uint32_t freeNumber();
  /// Offers what the back end's record of the number says.
  void offer(uint32_t number);
  /// Takes it back, and returns when nobody has it open any more. Errors:
  /// remote error if a reader has not let go in time. Then nobody begins to use
  /// it, but the buffer must stay; the call may be repeated.
  Status withdraw(uint32_t number);
  /// A number that was withdrawn is not free again.
  void keep(uint32_t number) { own_[number].taken = true; }

  /// Whether calls that begin now may use the window of a number that is
  /// offered. Any thread.
  bool isOpen(uint32_t number);

private:
  enum class Verdict { open, asked, refused };
  struct Own {
    bool taken = false;
    uint64_t change = 0; ///< that offered it, or withdrew it
    /// Stored with release by whoever has seen, with acquire, that all readers
    /// have looked; loaded with acquire by others.
    std::atomic<Verdict> verdict{Verdict::asked};
  };
  /// Another rank's window, as this rank's thread knows it.
  struct Others {
    uint64_t generation = 0;
    bool open = false;
  };

  bool isOffered(uint32_t number) const;
  uint64_t announce(uint32_t number);
  bool hasSeen(int reader, uint64_t change) const;
  void startLooking();
  void lookUntilEnd();
  void lookAt(size_t owner);
  void closeAll();

  const Job *job_ = nullptr; ///< null before begin() and after end()
  BoardMemory memory_;
  int self_ = 0;
  std::vector<int> owners_, readers_;
  Reach reach_;
  std::deque<Own> own_; ///< of each number that was ever used

  /// This rank's bell until the thread is there, then null.
  std::atomic<const uint32_t *> unheard_{nullptr};
  std::thread thread_;
  std::atomic<bool> ending_{false};
  std::vector<std::vector<Others>> others_; ///< of each owner; the thread's
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_WINDOWBOARD_H
