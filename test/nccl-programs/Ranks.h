//===- Ranks.h - a thread's ranks, their GPUs and buffers -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_NCCLPROGRAMS_RANKS_H
#define BLINK_TEST_NCCLPROGRAMS_RANKS_H

#include "test/nccl-programs/Collectives.h"
#include "test/nccl-programs/Options.h"

namespace perf {

/// One rank; its device has the same number.
struct Rank {
  int number = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  char *send = nullptr, *recv = nullptr; ///< with a guard behind each
  char *want = nullptr;                  ///< expected contents, for comparing
  unsigned *wrong = nullptr;             ///< the comparison's counters
  void *handles[2] = {};
  ncclWindow_t windows[2] = {};
  // For a call with an operator that has a scalar.
  ncclRedOp_t op = ncclSum;
  void *scalar = nullptr;
};

/// One call by all ranks, some of which belong to this thread.
struct Case {
  const Collective &collective;
  const Type &type;
  const Op &op;
  int root;
  size_t count; ///< elements, as the function counts them
  bool inPlace;
  uint64_t seed;
};

class Ranks {
public:
  /// Makes ranks [first, first + options.gpus) without communicators: those
  /// come from makeComms or from elsewhere.
  Ranks(const Options &options, int first);
  /// Makes the communicators of these ranks together; `number` is the number of
  /// ranks of all threads.
  static void makeComms(const std::vector<Rank *> &ranks, int number,
                        ncclUniqueId id);
  void registerBuffers();
  void finish();

  /// Fills the buffers with the case's initial contents.
  void fill(const Case &what);
  /// Makes the case's operator, if it needs one.
  void makeOps(const Case &what);
  void dropOps(const Case &what);
  /// Makes the call for all of these ranks.
  void enqueue(const Case &what);
  /// Captures in graphs what `enqueueAll` enqueues, and launches each graph
  /// `times` times.
  template <typename EnqueueAll>
  void launchGraphs(int times, const EnqueueAll &enqueueAll);
  /// Waits until the calls are done; meanwhile looks for errors, as programs
  /// do.
  void wait();
  /// Returns the number of wrong elements on all of these ranks.
  size_t countWrong(const Case &what);

  std::vector<Rank> ranks;

private:
  Call callOf(const Rank &rank, const Case &what) const;
  size_t countDifferent(const Rank &rank, const char *got,
                        const std::vector<char> &want, size_t elementBytes);

  const Options &options_;
  const int all_; ///< number of ranks of all threads
  size_t capacity_;
};

template <typename EnqueueAll>
void Ranks::launchGraphs(int times, const EnqueueAll &enqueueAll) {
  // Thread-local mode, since other threads capture, too.
  for (Rank &rank : ranks)
    CUDA_CHECK(
        cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeThreadLocal));
  enqueueAll();
  std::vector<cudaGraph_t> graphs(ranks.size());
  std::vector<cudaGraphExec_t> execs(ranks.size());
  for (size_t r = 0; r < ranks.size(); ++r) {
    CUDA_CHECK(cudaStreamEndCapture(ranks[r].stream, &graphs[r]));
    CUDA_CHECK(cudaGraphInstantiate(&execs[r], graphs[r], 0));
  }
  for (int i = 0; i < times; ++i)
    for (size_t r = 0; r < ranks.size(); ++r) {
      CUDA_CHECK(cudaSetDevice(ranks[r].number));
      CUDA_CHECK(cudaGraphLaunch(execs[r], ranks[r].stream));
    }
  wait();
  for (size_t r = 0; r < ranks.size(); ++r) {
    CUDA_CHECK(cudaGraphExecDestroy(execs[r]));
    CUDA_CHECK(cudaGraphDestroy(graphs[r]));
  }
}

} // namespace perf

#endif // BLINK_TEST_NCCLPROGRAMS_RANKS_H
