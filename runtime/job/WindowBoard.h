//===- WindowBoard.h - offering and withdrawing windows ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A window is a registered buffer (blinkCommRegister) of one rank, its owner,
// that ranks in other processes, its readers, access directly: they read it or,
// on GPUs, write to it. Offering and withdrawing a window are calls of the
// owner alone. Each reader has a thread that opens what is offered and closes
// what is withdrawn, so no rank waits for the calls of another. The thread
// starts in the rank's first call after the first offer; a job without windows
// has no such thread.
//
//   owner                                 reader's thread
//   writes the back end's record
//   generation + 1, odd      (release)
//   changes + 1, rings       (seq_cst)
//                                         changes           (seq_cst)
//                                         generation        (acquire)
//                                         opens it, or refused = generation
//                                         seen = changes + 1 (release)
//   seen by all readers      (acquire)
//   uses it in calls
//   calls are over: all readers have confirmed it in their rings
//   generation + 1, even     (release)
//   changes + 1, rings       (seq_cst)
//                                         as above: closes it
//   seen by all readers      (acquire)
//   the buffer is the caller's again, and the number is free
//
// Which windows a call uses. The owner decides when the call begins, and tells
// each reader which window to look at, with the data or before it. Both ends of
// a channel therefore agree, however far apart they are in their calls: a
// window that an unread chunk names has been opened by its reader, because the
// owner saw that first; and it has not been withdrawn, because the owner's call
// is not over. A window is used once all its readers have opened it, and never
// if one of them cannot.
//
// Why the owner need not wait for a reader whose thread has not started. The
// reader stores that it looks, and then loads the changes; the owner stores its
// change, and then loads which readers look. All four accesses are sequentially
// consistent, so at least one of the two sees the other's store. A reader that
// the owner did not see therefore finds the window withdrawn.
//
// Why the record does not change while a reader looks at it: the owner writes
// it only for a free number.
//
// After a failure, calls end although readers have not finished. The job has
// then failed before the owner withdraws the window. A reader that sees the
// withdrawal therefore also finds that the job has failed; closing the window
// then waits until none of the reader's lanes is at work.
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
  /// What the rank does as a reader. These functions run in the board's thread.
  struct Reach {
    /// Returns false if the window cannot be opened: then no rank uses it.
    std::function<bool(int owner, uint32_t number)> open;
    /// Closes a window that was opened. No lane of the rank uses it any more,
    /// unless the job has failed.
    std::function<void(int owner, uint32_t number)> close;
  };

  WindowBoard() = default;
  WindowBoard(const WindowBoard &) = delete;
  ~WindowBoard() { end(); }

  /// `owners`: the ranks whose windows `self` accesses; `readers`: the ranks
  /// that access the windows of `self`. The job and its memory outlive end().
  void begin(const Job &job, const BoardMemory &memory, int self,
             std::vector<int> owners, std::vector<int> readers, Reach reach);
  /// Withdraws all windows without waiting, and closes those of others. No call
  /// may be under way.
  void end();

  /// To be called when a call begins: starts the thread if it is needed.
  void look() {
    // Relaxed: a call that misses the ring does without windows.
    const uint32_t *bell = unheard_.load(std::memory_order_relaxed);
    if (bell && __atomic_load_n(bell, __ATOMIC_RELAXED) != 0)
      startLooking();
  }

  // For the owner. These functions take turns, and no call begins meanwhile.

  /// Returns a free number, or kMaxWindows.
  uint32_t freeNumber();
  /// Offers the window that the back end's record of this number describes.
  void offer(uint32_t number);
  /// Withdraws the window, and returns when no reader has it open any more.
  /// Errors: remote error if a reader has not closed it in time. No call begins
  /// to use the window then, but the buffer must stay allocated; withdraw() may
  /// be called again.
  Status withdraw(uint32_t number);
  /// Keeps a number that was withdrawn from becoming free.
  void keep(uint32_t number) { own_[number].taken = true; }

  /// Returns true if calls that begin now may use the window that is offered
  /// under this number. May be called from any thread.
  bool isOpen(uint32_t number);

private:
  enum class Verdict { open, asked, refused };
  struct Own {
    bool taken = false;
    uint64_t change = 0; ///< the change that offered or withdrew the window
    /// Stored with release by a thread that has seen, with acquire, that all
    /// readers have looked; loaded with acquire by the others.
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

  /// This rank's bell until the thread starts, then null.
  std::atomic<const uint32_t *> unheard_{nullptr};
  std::thread thread_;
  std::atomic<bool> ending_{false};
  std::vector<std::vector<Others>> others_; ///< of each owner; used by the
                                            ///< thread
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_WINDOWBOARD_H
