//===- AnyThreadTest.cpp - one communicator, several threads --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/conformance/Job.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <deque>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kThreads = 4;

/// A thread's own streams, one for each rank; null on the host.
struct OwnStreams {
  explicit OwnStreams(int ranks) : list(size_t(ranks), nullptr) {
#if BLINK_TEST_CUDA
    for (int rank = 0; rank < ranks; ++rank) {
      useDeviceOf(rank);
      cudaStream_t stream;
      REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
      list[size_t(rank)] = reinterpret_cast<blinkStream_t>(stream);
    }
#endif
  }
  ~OwnStreams() {
#if BLINK_TEST_CUDA
    for (blinkStream_t stream : list)
      cudaStreamDestroy(reinterpret_cast<cudaStream_t>(stream));
#endif
  }
  OwnStreams(const OwnStreams &) = delete;
  void wait() const {
#if BLINK_TEST_CUDA
    for (blinkStream_t stream : list)
      CHECK(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)) ==
            cudaSuccess);
#endif
  }

  std::vector<blinkStream_t> list;
};

BuildOptions lanes() {
  BuildOptions layout;
  layout.lanes = 2;
  layout.chunkBytes = 512;
  return layout;
}

} // namespace

TEST_CASE("groups of several threads on the same ranks do not mix") {
  constexpr int kRanks = 3;
  const Job job(makeSchedule(Collective::allreduce, 0, kRanks, lanes()),
                kRanks);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const OwnStreams streams(kRanks);
      for (int round = 0; round < (kSlow || kOnCuda ? 10 : 100); ++round) {
        // Each thread has its own size and operator and makes its call twice.
        // The check would fail if another thread's call came between the two,
        // or between two ranks of one call.
        Case c;
        c.count = size_t(1 + 777 * t);
        c.op = t % 2 ? blinkMax : blinkSum;
        std::vector<RankBuffers> buffers;
        for (int rank = 0; rank < kRanks; ++rank) {
          useDeviceOf(rank);
          buffers.emplace_back(c, kRanks, rank);
        }
        blinkGroupStart();
        for (int twice = 0; twice < 2; ++twice)
          for (int i = 0; i < kRanks; ++i) {
            const int rank = (i + t) % kRanks;
            const auto &own = buffers[size_t(rank)];
            call(c, own.send(), own.recv(), job[rank],
                 streams.list[size_t(rank)]);
          }
        CHECK(blinkGroupEnd() == blinkSuccess);
        streams.wait();
        for (RankBuffers &own : buffers)
          CHECK(own.check() == "");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_CASE("calls of several threads on one rank take turns") {
  // Each rank has the same number of threads, which all repeat the same call.
  constexpr int kRanks = 2;
  const Job job(makeSchedule(Collective::allreduce, 0, kRanks, lanes()),
                kRanks);
  // All buffers are freed at the end: freeing GPU memory waits for the GPU's
  // kernels and blocks launches, which must not happen while another thread's
  // kernel waits for a launch.
  Case c;
  c.count = 1000;
  std::deque<OwnStreams> allStreams;
  std::deque<RankBuffers> allBuffers;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    for (int rank = 0; rank < kRanks; ++rank) {
      useDeviceOf(rank);
      allStreams.emplace_back(kRanks);
      allBuffers.emplace_back(c, kRanks, rank);
    }
  for (int t = 0; t < kThreads; ++t)
    for (int rank = 0; rank < kRanks; ++rank)
      threads.emplace_back([&, t, rank] {
        useDeviceOf(rank);
        const OwnStreams &streams = allStreams[size_t(t * kRanks + rank)];
        RankBuffers &buffers = allBuffers[size_t(t * kRanks + rank)];
        for (int round = 0; round < (kSlow || kOnCuda ? 10 : 200); ++round) {
          CHECK(call(c, buffers.send(), buffers.recv(), job[rank],
                     streams.list[size_t(rank)]) == blinkSuccess);
          streams.wait();
          CHECK(buffers.check() == "");
          int number;
          blinkResult_t result;
          CHECK(blinkCommUserRank(job[rank], &number) == blinkSuccess);
          CHECK(blinkCommGetAsyncError(job[rank], &result) == blinkSuccess);
          CHECK(result == blinkSuccess);
        }
      });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_CASE("threads that split and register one communicator take turns") {
  constexpr int kRanks = 2;
  BundleOptions options;
  options.numGpus = kRanks;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0, 1}};
  const Job job(seal(makeBundle(options)), kRanks, 0, nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        std::vector<blinkComm_t> both(kRanks);
        blinkGroupStart();
        for (int rank = 0; rank < kRanks; ++rank)
          blinkCommSplit(job[rank], 0, -rank, &both[size_t(rank)], nullptr);
        CHECK(blinkGroupEnd() == blinkSuccess);
        const Job reversed({both[1], both[0]}, OldRanks({1, 0}));
        Case c;
        c.count = 100;
        std::vector<RankBuffers> buffers;
        std::vector<void *> handles(kRanks);
        for (int rank = 0; rank < kRanks; ++rank) {
          useDeviceOf(rank);
          buffers.emplace_back(c, kRanks, rank);
          CHECK(blinkCommRegister(job[rank], buffers.back().recv(), 400,
                                  &handles[size_t(rank)]) == blinkSuccess);
        }
        CHECK(runCase(reversed, c) == "");
        for (int rank = 0; rank < kRanks; ++rank)
          CHECK(blinkCommDeregister(job[rank], handles[size_t(rank)]) ==
                blinkSuccess);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
