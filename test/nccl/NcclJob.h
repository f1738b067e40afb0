//===- NcclJob.h - ranks with NCCL's interface ------------------*- C++ -*-===//
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

/// Sets a variable of the environment during the object's lifetime. Null:
/// unsets it.
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

/// Returns the path of the library beside this program that stands in for NCCL.
/// It is not compiled in, so that ccache can share object files between clones.
std::string fakeNccl();

/// Makes BLINK_SCHEDULES name a file of this schedule during the object's
/// lifetime.
class Schedules {
public:
  explicit Schedules(const TestSchedule &model)
      : file_(model), variable_("BLINK_SCHEDULES", file_.path()) {}
  /// A schedule for all collectives of `ranks` ranks.
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

/// One rank: its communicator, its stream, and its buffers of int32.
struct NcclRank {
  int rank = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  int *send = nullptr, *recv = nullptr;
};

/// All ranks of a job in this process; rank r is on device r.
class NcclJob {
public:
  static constexpr size_t kElements = 4096; ///< per buffer

  /// Takes over communicators that the test has made; makes them if there are
  /// none.
  explicit NcclJob(int ranks, std::vector<ncclComm_t> comms = {});
  ~NcclJob();
  NcclJob(const NcclJob &) = delete;

  int size() const { return int(ranks_.size()); }
  NcclRank &operator[](int rank) { return ranks_[size_t(rank)]; }
  /// Hands over the communicator: the test frees it.
  ncclComm_t release(int rank);

  /// Sets send[i] = value(rank, i) and recv[i] = -1 on all ranks.
  template <typename Value> void fill(Value value) {
    for (NcclRank &rank : ranks_) {
      std::vector<int> data(kElements);
      for (size_t i = 0; i < kElements; ++i)
        data[i] = value(rank.rank, int(i));
      copyIn(rank, data);
    }
  }
  /// Waits for the rank's stream and returns the contents of its buffer.
  std::vector<int> received(int rank);
  std::vector<int> sent(int rank);

  /// Calls `call(rank)` for all ranks in a group; returns the group's result.
  template <typename Call> ncclResult_t inGroup(Call call) {
    ncclGroupStart();
    for (NcclRank &rank : ranks_) {
      cudaSetDevice(rank.rank);
      call(rank);
    }
    return ncclGroupEnd();
  }
  /// Calls `call(rank)` on a thread for each rank; returns the first error.
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

/// Returns "" if an allreduce of all ranks is correct, else what is wrong.
std::string wrongOf(NcclJob &job);

} // namespace blink::test

#endif // BLINK_TEST_NCCL_NCCLJOB_H
