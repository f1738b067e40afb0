//===- Rank.h - one rank of the storm ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Fills buffers, makes calls, and checks results when the calls are over, some
// calls later. It waits for no other rank; but for what the library waits for,
// a rank is as far ahead as its window lets it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_RANK_H
#define BLINK_TEST_STORM_RANK_H

#include "test/storm/CallBuffers.h"
#include "test/storm/Memory.h"
#include "test/storm/Plan.h"

#include <deque>
#include <mutex>

namespace blink::storm {

/// What is wrong in a job. Any thread adds to it.
class Findings {
public:
  /// `call`: number of the call in the job.
  void add(int rank, unsigned call, const std::string &text);
  /// Calls with something wrong; all ranks' findings of a call are one.
  size_t wrongCalls() const;
  /// The first few.
  const std::vector<std::string> &texts() const { return texts_; }

private:
  mutable std::mutex mutex_;
  std::vector<unsigned> calls_; ///< ascending
  std::vector<std::string> texts_;
};

class Rank {
public:
  /// Takes all memory there is to take: on GPUs that may wait for kernels.
  Rank(const JobPlan &job, int rank, Findings &findings);
  int number() const { return rank_; }
  /// Before any call.
  void join(blinkComm_t comm) { comm_ = comm; }
  /// Room for one more call of the group that is being prepared.
  bool hasRoomFor(const test::Case &c) const;

  /// Buffers for the call, filled. May wait for earlier calls of this rank.
  void prepare(const test::Case &c);
  /// Makes the next call that was prepared.
  blinkResult_t makeCall();
  /// The calls that were made are on their way, results follow.
  void fetchResults();
  /// Before the next call: perhaps registers some of the memory, or ends that.
  blinkResult_t changeWindows();
  /// Waits for all calls, and checks them.
  void finish();

private:
  struct Outstanding {
    test::Case c;
    unsigned number;
    CallBuffers buffers;
    unsigned char *region;
    blinkStream_t stream;
    Mark done;
  };
  /// The most that the buffers of a call can take.
  static size_t mostBytes(const test::Case &c, int numRanks);
  unsigned char *claim(size_t bytes);
  void retire();

  const JobPlan &job_;
  const int rank_;
  blinkComm_t comm_ = nullptr;
  Findings &findings_;
  Dice dice_;
  Streams streams_;
  Arena arena_;
  PatternCache patterns_;
  const size_t phase_;
  std::vector<void *> windows_;   ///< handles of what is registered
  std::deque<Outstanding> calls_; ///< oldest first; the last ones not yet made
  size_t numToMake_ = 0, numToFetch_ = 0;
  size_t claimedForGroup_ = 0; ///< bytes, of calls not yet fetched
  size_t next_ = 0;            ///< free bytes of the arena begin here
  unsigned number_ = 0;        ///< of the next call to prepare
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_RANK_H
