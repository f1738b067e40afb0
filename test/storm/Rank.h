//===- Rank.h - one rank of the storm ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Fills buffers, makes calls, and checks the results when the calls are over,
// some calls later. A rank does not wait for other ranks, except inside the
// library: it may be ahead as far as its window lets it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_RANK_H
#define BLINK_TEST_STORM_RANK_H

#include "test/storm/CallBuffers.h"
#include "test/storm/Memory.h"
#include "test/storm/Plan.h"

#include <deque>
#include <mutex>
#include <optional>
#include <set>

namespace blink::storm {

/// What is wrong in a job. Any thread may add to it.
class Findings {
public:
  /// A wrong result. `call` is the number of the call in the job.
  void addWrong(int rank, unsigned call, const std::string &text) {
    add(wrong_, "wrong", rank, call, text);
  }
  /// A call that failed, or an error outside of calls.
  void addError(int rank, unsigned call, const std::string &text) {
    add(failed_, "error", rank, call, text);
  }
  bool empty() const { return wrongCalls() == 0 && errors() == 0; }
  /// Returns the number of calls with wrong results; findings of several ranks
  /// about one call count once.
  size_t wrongCalls() const;
  /// Does the same for errors. A call may count as both.
  size_t errors() const;
  /// Returns the texts of the first few findings.
  const std::vector<std::string> &texts() const { return texts_; }

private:
  void add(std::set<unsigned> &calls, const char *what, int rank, unsigned call,
           const std::string &text);

  mutable std::mutex mutex_;
  std::set<unsigned> wrong_, failed_; ///< numbers of calls
  std::vector<std::string> texts_;
};

class Rank {
public:
  /// Allocates all of its memory here: on GPUs an allocation may wait for
  /// kernels.
  Rank(const JobPlan &job, int rank, Findings &findings);
  int number() const { return rank_; }
  /// Sets the communicator and makes streams, before any call of any rank on
  /// this rank's device.
  void join(blinkComm_t comm);
  /// Whether the group that is being prepared has room for one more call.
  bool hasRoomFor(const test::Case &c) const;

  /// Fills buffers for the call. May wait for earlier calls of this rank.
  void prepare(const test::Case &c);
  /// Makes the next prepared call.
  blinkResult_t makeCall();
  /// Queues copies of the results behind the calls made so far. If one of these
  /// `failed`, none of the results is checked: what there is says nothing.
  void fetchResults(bool failed);
  /// Perhaps registers some of the memory, or deregisters it, before the next
  /// call.
  blinkResult_t changeWindows();
  /// Waits for all calls and checks them.
  void finish();

private:
  struct Outstanding {
    test::Case c;
    unsigned number;
    CallBuffers buffers;
    unsigned char *region;
    blinkStream_t stream;
    Mark done;
    bool failed = false; ///< it, or another call of its group
  };
  /// Returns the maximum number of bytes that the buffers of a call can take.
  static size_t mostBytes(const test::Case &c, int numRanks);
  unsigned char *claim(size_t bytes);
  void retire();

  const JobPlan &job_;
  const int rank_;
  blinkComm_t comm_ = nullptr;
  Findings &findings_;
  Dice dice_;
  std::optional<Streams> streams_;
  Arena arena_;
  PatternCache patterns_;
  const size_t phase_;
  std::vector<void *> windows_;   ///< handles of registered memory
  std::deque<Outstanding> calls_; ///< oldest first; the last are not yet made
  size_t numToMake_ = 0, numToFetch_ = 0;
  size_t claimedForGroup_ = 0; ///< bytes of calls not yet fetched
  size_t next_ = 0;            ///< the arena is free from here on
  unsigned number_ = 0;        ///< of the next call to prepare
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_RANK_H
