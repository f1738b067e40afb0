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

/// One rank, on the device of its number.
struct Rank {
  int number = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  char *send = nullptr, *recv = nullptr; ///< a guard longer than the largest
  char *want = nullptr;                  ///< to compare a buffer with
  unsigned *wrong = nullptr;             ///< counters of the comparison
  void *handles[2] = {};
  ncclWindow_t windows[2] = {};
  // Of a call with an operator that has a scalar.
  ncclRedOp_t op = ncclSum;
  void *scalar = nullptr;
};

/// One call by all ranks, of which a thread has some.
struct Case {
  const Collective &collective;
  const Type &type;
  const Op &op;
  int root;
  size_t count; ///< of elements, as the function takes it
  bool inPlace;
  uint64_t seed;
};

class Ranks {
public:
  /// Ranks [first, first + options.gpus). Without communicators: they are
  /// makeComms', or others'.
  Ranks(const Options &options, int first);
  /// All of them at once; `number`: how many of all threads.
  static void makeComms(const std::vector<Rank *> &ranks, int number,
                        ncclUniqueId id);
  void registerBuffers();
  void finish();

  /// Puts into the buffers what the case begins with.
  void fill(const Case &what);
  /// Makes the case's operator, where it has one.
  void makeOps(const Case &what);
  void dropOps(const Case &what);
  /// The call, by all of these ranks.
  void enqueue(const Case &what);
  /// Does what `enqueueAll` enqueues from graphs, each of which is launched so
  /// often.
  template <typename EnqueueAll>
  void launchGraphs(int times, const EnqueueAll &enqueueAll);
  /// Until it is done; looks for errors meanwhile, as programs do.
  void wait();
  /// How many elements are not what they must be, in all of these ranks.
  size_t countWrong(const Case &what);

  std::vector<Rank> ranks;

private:
  Call callOf(const Rank &rank, const Case &what) const;
  size_t countDifferent(const Rank &rank, const char *got,
                        const std::vector<char> &want, size_t elementBytes);

  const Options &options_;
  const int all_; ///< ranks of all threads
  size_t capacity_;
};

template <typename EnqueueAll>
void Ranks::launchGraphs(int times, const EnqueueAll &enqueueAll) {
  // Other threads capture, too.
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
