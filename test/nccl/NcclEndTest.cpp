//===- NcclEndTest.cpp - finalizing while calls are under way -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Latches.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/nccl/NcclJob.h"

#include <atomic>
#include <future>

using namespace blink;
using namespace blink::test;

namespace {

/// Finalizes rank 0 while both ranks' `call` is in the streams. Rank 0's stream
/// is busy until the finalizer waits.
template <typename Call> void finalizeDuring(NcclJob &job, Call call) {
  job.fill([](int rank, int i) { return rank + i; });
  std::promise<void> opened;
  cudaSetDevice(0);
  enqueue(job[0].stream, [gate = opened.get_future().share()] { gate.wait(); });
  REQUIRE(job.inGroup(call) == ncclSuccess);
  const uint64_t before = numCalls("cudaEventSynchronize");
  std::atomic<bool> isOpen{false};
  bool wasOpen = false;
  ncclResult_t result = ncclInProgress;
  std::thread finalizer([&] {
    result = ncclCommFinalize(job[0].comm);
    wasOpen = isOpen;
  });
  // By now the finalizer waits. If it did not, this loop would time out.
  CHECK(waitUntil([&] { return numCalls("cudaEventSynchronize") > before; },
                  std::chrono::seconds(20)));
  isOpen = true;
  opened.set_value();
  finalizer.join();
  CHECK(result == ncclSuccess);
  CHECK(wasOpen);
}

} // namespace

TEST_CASE("finalizing waits for a message in a stream") {
  const Schedules schedules(2);
  NcclJob job(2);
  finalizeDuring(job, [](NcclRank &rank) {
    return rank.rank == 0
               ? ncclRecv(rank.recv, 8, blinkInt32, 1, rank.comm, rank.stream)
               : ncclSend(rank.send, 8, blinkInt32, 0, rank.comm, rank.stream);
  });
  CHECK(job.received(0)[3] == 4);
}

TEST_CASE("finalizing waits for what is in a stream") {
  const Schedules schedules(2);
  NcclJob job(2);
  finalizeDuring(job, [](NcclRank &rank) {
    return ncclAllReduce(rank.send, rank.recv, 8, blinkInt32, blinkSum,
                         rank.comm, rank.stream);
  });
  CHECK(job.received(0)[3] == 7);
  // No call may follow, except the queries that programs make at the end.
  CHECK(ncclAllReduce(job[0].send, job[0].recv, 8, blinkInt32, blinkSum,
                      job[0].comm, job[0].stream) == ncclInvalidUsage);
  CHECK(ncclCommFinalize(job[0].comm) == ncclInvalidUsage);
  int number = -1;
  CHECK(ncclCommUserRank(job[0].comm, &number) == ncclSuccess);
  CHECK(number == 0);
  CHECK(ncclCommCount(job[0].comm, &number) == ncclSuccess);
  CHECK(ncclCommCuDevice(job[0].comm, &number) == ncclSuccess);
  ncclResult_t state = ncclInProgress;
  CHECK(ncclCommGetAsyncError(job[0].comm, &state) == ncclSuccess);
  CHECK(state == ncclSuccess);
}

TEST_CASE("finalizing what has failed says why, and it can be freed") {
  const Schedules schedules(2);
  NcclJob job(2);
  CHECK(ncclCommRevoke(job[1].comm, 0) == ncclSuccess);
  CHECK(ncclCommFinalize(job[0].comm) == ncclRemoteError);
  const std::string why = ncclGetLastError(job[0].comm);
  CAPTURE(why);
  CHECK(why.find("rank 1 aborted") != std::string::npos);
}
