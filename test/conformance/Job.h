//===- Job.h - the ranks of a test ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_JOB_H
#define BLINK_TEST_CONFORMANCE_JOB_H

#include "test/common/Sanitizers.h"
#include "test/common/ScheduleBuilder.h"
#include "test/conformance/Case.h"

#include <deque>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace blink::test {

/// One schedule file with a program for each of collectives(), all of one
/// shape; rooted ones with root `root`.
TestSchedule allCollectives(int numRanks, int root,
                            const BuildOptions &options);

/// The schedule with all channels of one kind.
TestSchedule withKind(TestSchedule model, sched::ChannelKind kind);

/// The schedule with the first variant of each program of one protocol.
TestSchedule withProtocol(TestSchedule model, sched::Protocol protocol);

/// The schedule with partial sums of narrow types as float32.
TestSchedule withFloatSums(TestSchedule model);

/// Makes the GPU of a rank of a Job current: ranks are dealt out to all there
/// are. On the host: nothing.
void useDeviceOf(int rank);

/// Whether a transport carries the channels of this program's jobs, so that a
/// rank finds nothing of another's in memory.
bool isRemote();

/// How many lanes each rank of a job may have for all to run at the same time:
/// a test GPU may be small.
int mostLanes(int numRanks);

/// What the ranks of a job were in the first one, which says where they are.
struct OldRanks {
  explicit OldRanks(std::vector<int> ranks) : ranks(std::move(ranks)) {}
  std::vector<int> ranks;
};

/// Communicators of all ranks over a schedule; destroyed at the end.
class Job {
public:
  /// The test fails if they cannot be made. timeoutMs 0: the default.
  Job(const TestSchedule &schedule, int numRanks, int timeoutMs = 0);
  /// The same from a file's bytes; `gpus` as in blinkConfig_t.
  Job(const std::vector<uint8_t> &bytes, int numRanks, int timeoutMs,
      const int *gpus);
  ~Job();
  Job(const Job &) = delete;

  int size() const { return int(comms_.size()); }
  /// The stream of a rank; null on the host.
  blinkStream_t stream(int rank) const { return streams_[rank]; }
  blinkComm_t operator[](int rank) const { return comms_[rank]; }
  /// Of communicators that a test has made of those of another job: of all
  /// ranks that there were at first but `excluded`, in ascending order.
  Job(std::vector<blinkComm_t> comms, const std::vector<int> &excluded);
  /// The same in any order.
  Job(std::vector<blinkComm_t> comms, const OldRanks &old);
  /// The communicator is freed by the test, not by the job.
  blinkComm_t release(int rank);

  /// Runs `body(rank)` on a thread for each rank; the results in order, of what
  /// ran in the ranks' streams, too.
  std::vector<blinkResult_t>
  onThreads(const std::function<blinkResult_t(int)> &body) const;
  /// Runs `body(rank)` for each rank within one group; the group's result.
  blinkResult_t inGroup(const std::function<blinkResult_t(int)> &body) const;

private:
  blinkResult_t synchronize(int rank) const;

  std::vector<blinkComm_t> comms_;
  std::vector<blinkStream_t> streams_;
};

/// Memory for the buffers of one case after the other: touching fresh pages
/// takes longer than most collectives.
class KeptMemory {
public:
  /// Of `bytes`, the ranks' buffers together. What a case needs beyond that is
  /// not kept.
  KeptMemory(size_t bytes, int numRanks);
  /// The share of a rank. Ranks may use theirs at the same time.
  std::pmr::memory_resource *of(int rank);
  /// The next case may begin: all buffers are gone.
  void reuse();

private:
  std::unique_ptr<void, void (*)(void *)> bytes_;
  std::deque<std::pmr::monotonic_buffer_resource> ranks_;
};

/// A case whose type, operator and placement follow from `number`.
Case variedCase(Collective collective, size_t count, int root, unsigned number);

/// The buffers of one rank of a case, filled with its input; where the back end
/// wants them.
class RankBuffers {
public:
  RankBuffers(
      const Case &c, int numRanks, int rank,
      std::pmr::memory_resource *memory = std::pmr::get_default_resource());
  RankBuffers(RankBuffers &&) noexcept;
  ~RankBuffers();

  const void *send() const;
  void *recv() const;
  /// Another input than a case's; `check` then says nothing of use.
  void fill(const std::vector<uint64_t> &bits);
  /// The bits of the output.
  std::vector<uint64_t> result();
  /// "" or what is wrong after the collective: a number of wrong elements, an
  /// input or a byte beside a buffer that was written.
  std::string check();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs the case, with buffers in this memory if given. Returns "" or what is
/// wrong: a result code, or what RankBuffers::check says.
std::string runCase(const Job &job, const Case &c,
                    KeptMemory *memory = nullptr);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_JOB_H
