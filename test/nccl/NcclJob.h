//===- NcclJob.h - ranks of NCCL's interface --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_NCCL_NCCLJOB_H
#define BLINK_TEST_NCCL_NCCLJOB_H

#include "runtime/bindings/nccl/EntryPoints.h"
#include "test/conformance/Job.h"
#include "test/conformance/ScheduleOnDisk.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>
#include <thread>

namespace blink::test {

/// A variable of the environment while it lives. Null: not set.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) {
    value ? setenv(name, value, /*overwrite=*/1) : unsetenv(name);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable &) = delete;

private:
  const char *name_;
};

/// The library beside this program that stands for NCCL. Its path is not
/// compiled in, so that ccache knows the objects of other clones.
std::string fakeNccl();

/// BLINK_SCHEDULES names a file of this schedule while it lives.
class Schedules {
public:
  explicit Schedules(const TestSchedule &model)
      : file_(model), variable_("BLINK_SCHEDULES", file_.path()) {}
  /// For all collectives of so many ranks.
  explicit Schedules(int ranks) : Schedules(lean(ranks)) {}

private:
  static TestSchedule lean(int ranks) {
    BuildOptions layout;
    layout.chunkBytes = 512;
    return allCollectives(ranks, 0, layout);
  }

  ScheduleOnDisk file_;
  Variable variable_;
};

/// Of one rank: its communicator, stream and buffers, of int32.
struct NcclRank {
  int rank = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  int *send = nullptr, *recv = nullptr;
};

/// All ranks of a job in this process, rank r on device r.
class NcclJob {
public:
  static constexpr size_t kElements = 4096; ///< of each buffer

  /// Communicators of the test's own, which the job frees; null: it makes them.
  explicit NcclJob(int ranks, std::vector<ncclComm_t> comms = {});
  ~NcclJob();
  NcclJob(const NcclJob &) = delete;

  int size() const { return int(ranks_.size()); }
  NcclRank &operator[](int rank) { return ranks_[size_t(rank)]; }
  /// The communicator is the test's to free.
  ncclComm_t release(int rank);

  /// send[i] = value(rank, i) and recv[i] = -1, on all ranks.
  template <typename Value> void fill(Value value) {
    for (NcclRank &rank : ranks_) {
      std::vector<int> data(kElements);
      for (size_t i = 0; i < kElements; ++i)
        data[i] = value(rank.rank, int(i));
      copyIn(rank, data);
    }
  }
  /// What is in a rank's buffer when its stream is done.
  std::vector<int> received(int rank);
  std::vector<int> sent(int rank);

  /// Calls `call(rank)` for all ranks in a group; the group's result.
  template <typename Call> ncclResult_t inGroup(Call call) {
    ncclGroupStart();
    for (NcclRank &rank : ranks_) {
      cudaSetDevice(rank.rank);
      call(rank);
    }
    return ncclGroupEnd();
  }
  /// And on a thread for each; the first error.
  template <typename Call> ncclResult_t onThreads(Call call) {
    std::vector<ncclResult_t> results(ranks_.size());
    std::vector<std::thread> threads;
    for (NcclRank &rank : ranks_)
      threads.emplace_back([&] {
        cudaSetDevice(rank.rank);
        results[size_t(rank.rank)] = call(rank);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (ncclResult_t result : results)
      if (result != ncclSuccess)
        return result;
    return ncclSuccess;
  }

private:
  void copyIn(NcclRank &rank, const std::vector<int> &data);
  std::vector<int> copyOut(const NcclRank &rank, const int *from);

  std::vector<NcclRank> ranks_;
};

/// "" if an allreduce of all ranks is right, or what is wrong.
std::string wrongOf(NcclJob &job);

} // namespace blink::test

#endif // BLINK_TEST_NCCL_NCCLJOB_H
