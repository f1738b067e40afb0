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

/// Returns one schedule with a program for each of collectives(), all of the
/// same shape. Rooted collectives have root `root`.
TestSchedule allCollectives(int numRanks, int root,
                            const BuildOptions &options);

/// Returns the schedule with all channels of kind `kind`.
TestSchedule withKind(TestSchedule model, sched::ChannelKind kind);

/// Returns the schedule with the first variant of each program using
/// `protocol`.
TestSchedule withProtocol(TestSchedule model, sched::Protocol protocol);

/// Returns the schedule with partial sums of narrow types in float32.
TestSchedule withFloatSums(TestSchedule model);

/// Makes the GPU of a rank of a Job current; ranks are dealt out to all GPUs.
/// Does nothing on the host.
void useDeviceOf(int rank);

/// Whether a transport carries the channels of this program's jobs, so that no
/// rank can reach another's memory.
bool isRemote();

/// Returns the maximum number of lanes per rank for which all lanes of a job
/// run at the same time: a test GPU may be small.
int mostLanes(int numRanks);

/// The ranks' numbers in the first job, which determine their GPUs.
struct OldRanks {
  explicit OldRanks(std::vector<int> ranks) : ranks(std::move(ranks)) {}
  std::vector<int> ranks;
};

/// Communicators of all ranks over a schedule; the destructor destroys them.
class Job {
public:
  /// Makes the communicators; the test fails if it cannot. timeoutMs 0: the
  /// default.
  Job(const TestSchedule &schedule, int numRanks, int timeoutMs = 0);
  /// Does the same from a file's bytes; `gpus` as in blinkConfig_t.
  Job(const std::vector<uint8_t> &bytes, int numRanks, int timeoutMs,
      const int *gpus);
  ~Job();
  Job(const Job &) = delete;

  int size() const { return int(comms_.size()); }
  /// Returns the stream of a rank; null on the host.
  blinkStream_t stream(int rank) const { return streams_[rank]; }
  blinkComm_t operator[](int rank) const { return comms_[rank]; }
  /// Takes over communicators that a test has made from those of another job:
  /// of all original ranks but `excluded`, in ascending order.
  Job(std::vector<blinkComm_t> comms, const std::vector<int> &excluded);
  /// Does the same for ranks in any order.
  Job(std::vector<blinkComm_t> comms, const OldRanks &old);
  /// Hands over the communicator: the test frees it, not the job.
  blinkComm_t release(int rank);

  /// Runs `body(rank)` on a thread for each rank and waits for the ranks'
  /// streams. Returns the results in the order of ranks; a failure in a stream
  /// counts, too.
  std::vector<blinkResult_t>
  onThreads(const std::function<blinkResult_t(int)> &body) const;
  /// Runs `body(rank)` for each rank within one group; returns the group's
  /// result.
  blinkResult_t inGroup(const std::function<blinkResult_t(int)> &body) const;

private:
  blinkResult_t synchronize(int rank) const;

  std::vector<blinkComm_t> comms_;
  std::vector<blinkStream_t> streams_;
};

/// Memory that one case after the other uses for its buffers: touching fresh
/// pages takes longer than most collectives.
class KeptMemory {
public:
  /// Reserves `bytes` for the buffers of all ranks together. If a case needs
  /// more, the rest is not kept.
  KeptMemory(size_t bytes, int numRanks);
  /// Returns the part of a rank. Ranks may use theirs at the same time.
  std::pmr::memory_resource *of(int rank);
  /// Frees the memory for the next case. All buffers must be gone.
  void reuse();

private:
  std::unique_ptr<void, void (*)(void *)> bytes_;
  std::deque<std::pmr::monotonic_buffer_resource> ranks_;
};

/// Returns a case whose type, operator and placement follow from `number`.
Case variedCase(Collective collective, size_t count, int root, unsigned number);

/// The buffers of one rank for a case, filled with the case's input, in the
/// memory that the back end needs.
class RankBuffers {
public:
  RankBuffers(
      const Case &c, int numRanks, int rank,
      std::pmr::memory_resource *memory = std::pmr::get_default_resource());
  RankBuffers(RankBuffers &&) noexcept;
  ~RankBuffers();

  const void *send() const;
  void *recv() const;
  /// Replaces the case's input. check() is then meaningless.
  void fill(const std::vector<uint64_t> &bits);
  /// Returns the bits of the output.
  std::vector<uint64_t> result();
  /// Returns "", or what is wrong after the collective: a number of wrong
  /// elements, a changed input, or a byte written beside a buffer.
  std::string check();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs the case, with buffers in `memory` if given. Returns "" or what is
/// wrong: a result code, or the text of RankBuffers::check.
std::string runCase(const Job &job, const Case &c,
                    KeptMemory *memory = nullptr);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_JOB_H
