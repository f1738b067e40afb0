//===- EmulatedHangTest.cpp - finding the culprit of a hang on devices ----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Jobs on emulated devices with one fault each, and the diagnosis of an
// observer that asks neither the devices nor the launching threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "runtime/cuda/Launch.h"
#include "runtime/flight/Diagnosis.h"
#include "runtime/flight/PictureReader.h"
#include "runtime/flight/PictureText.h"
#include "test/common/Contains.h"
#include "test/conformance/HangFolder.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/conformance/Workers.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

using namespace blink;
using namespace blink::test;
using runtime::Cause;
using runtime::Diagnosis;
using runtime::JobPicture;
using runtime::RankPicture;

namespace {

JobPicture pictureOf(const Job &job) {
  return runtime::readJob(job[0]->backend->flight());
}

/// Returns the first picture that satisfies `fits`.
JobPicture pictureWhen(const Job &job,
                       const std::function<bool(const JobPicture &)> &fits) {
  JobPicture picture;
  const bool came = waitUntil(
      [&] {
        picture = pictureOf(job);
        return fits(picture);
      },
      std::chrono::seconds(60));
  REQUIRE(came);
  return picture;
}

/// Returns a predicate: all ranks but `odd` wait in their `call`-th call.
std::function<bool(const JobPicture &)> othersWait(int odd, uint64_t call) {
  return [=](const JobPicture &picture) {
    for (size_t rank = 0; rank < picture.ranks.size(); ++rank)
      if (int(rank) != odd && (picture.ranks[rank].collectives != call ||
                               picture.ranks[rank].waits.empty()))
        return false;
    return true;
  };
}

cudaStream_t streamOf(const Job &job, int rank) {
  return reinterpret_cast<cudaStream_t>(job.stream(rank));
}

/// Buffers that several calls may share, since nothing checks the contents.
class Buffers {
public:
  explicit Buffers(int numRanks) {
    Case c;
    c.count = 1000;
    for (int rank = 0; rank < numRanks; ++rank)
      all_.emplace_back(c, numRanks, rank);
  }
  blinkResult_t allReduce(const Job &job, int rank, size_t count) const {
    useDeviceOf(rank);
    const RankBuffers &own = all_[size_t(rank)];
    return blinkAllReduce(own.send(), own.recv(), count, blinkFloat32, blinkSum,
                          job[rank], job.stream(rank));
  }
  blinkResult_t send(const Job &job, int rank, int peer) const {
    useDeviceOf(rank);
    return blinkSend(all_[size_t(rank)].send(), 10, blinkFloat32, peer,
                     job[rank], job.stream(rank));
  }
  blinkResult_t receive(const Job &job, int rank, int peer) const {
    useDeviceOf(rank);
    return blinkRecv(all_[size_t(rank)].recv(), 10, blinkFloat32, peer,
                     job[rank], job.stream(rank));
  }

private:
  std::vector<RankBuffers> all_;
};

void synchronize(const Job &job) {
  for (int rank = 0; rank < job.size(); ++rank)
    cudaStreamSynchronize(streamOf(job, rank));
}

TestSchedule sums(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, {});
}
TestSchedule sumsAndMessages(int ranks) {
  TestSchedule both = sums(ranks);
  both.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, ranks, {}).programs[0]);
  return both;
}

} // namespace

TEST_CASE("a device says when calls begin and end") {
  const Job job(sums(3), 3);
  const Buffers buffers(3);
  for (int rank = 0; rank < 3; ++rank)
    CHECK(buffers.allReduce(job, rank, 7) == blinkSuccess);
  synchronize(job);
  const JobPicture picture = pictureOf(job);
  REQUIRE(picture.ranks.size() == 3);
  for (const RankPicture &rank : picture.ranks) {
    CHECK(rank.collectives == 1);
    CHECK(rank.launched.empty());
    CHECK(rank.waits.empty());
    REQUIRE(rank.calls.size() == 1);
    const runtime::CallPicture &call = rank.calls[0];
    CHECK(call.describe() == "allreduce of 7 float32 with sum");
    CHECK(call.number == 1);
    CHECK(call.enqueued != 0);
    CHECK(call.enqueued <= call.started);
    CHECK(call.started <= call.ended);
    CHECK(call.ended <= picture.taken);
    CHECK(call.result == blinkSuccess);
  }
  CHECK(runtime::diagnose(picture).cause == Cause::none);
}

TEST_CASE("a rank that does not call is named while the devices wait") {
  constexpr int kOdd = 1;
  const Job job(sums(4), 4);
  const Buffers buffers(4);
  for (int call = 1; call <= 2; ++call)
    for (int rank = 0; rank < 4; ++rank)
      if (call == 1 || rank != kOdd)
        CHECK(buffers.allReduce(job, rank, size_t(call)) == blinkSuccess);
  const JobPicture picture = pictureWhen(job, othersWait(kOdd, 2));
  const Diagnosis found = runtime::diagnose(picture);
  CHECK(found.cause == Cause::behind);
  CHECK(found.culprits == std::vector<int>{kOdd});
  CHECK(found.sentence ==
        "rank 1 has made 1 call, the others 2: it has not called allreduce of "
        "2 float32 with sum");
  for (size_t rank = 0; rank < 4; ++rank)
    for (const runtime::WaitPicture &wait : picture.ranks[rank].waits) {
      CHECK(wait.call == 2);
      CHECK(wait.peer != int(rank));
      CHECK(wait.expected > wait.seen);
      CHECK(wait.since >= picture.ranks[rank].current()->started);
      CHECK(wait.since <= picture.taken);
    }
  // The rank was late. When it calls, the others go on and the wait is counted.
  CHECK(buffers.allReduce(job, kOdd, 2) == blinkSuccess);
  synchronize(job);
  const JobPicture after = pictureOf(job);
  CHECK(runtime::diagnose(after).cause == Cause::none);
  uint64_t waitedForIt = 0;
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(after.ranks[size_t(rank)].waits.empty());
    uint64_t waitedFor[4];
    blinkStats_t stats = BLINK_STATS_INITIALIZER;
    REQUIRE(blinkCommStats(job[rank], &stats, waitedFor) == blinkSuccess);
    CHECK(stats.collectives == 2);
    CHECK(stats.messages == 0);
    CHECK(waitedFor[rank] == 0);
    CHECK(after.ranks[size_t(rank)].waitedFor[kOdd] == waitedFor[kOdd]);
    if (rank != kOdd) {
      CHECK(stats.waited != 0);
      waitedForIt += waitedFor[kOdd];
    }
  }
  CHECK(waitedForIt != 0);
}

TEST_CASE("a call that a rank has skipped, or swapped, is named") {
  constexpr int kOdd = 2;
  for (bool swaps : {false, true}) {
    const Job job(sums(4), 4);
    const Buffers buffers(4);
    std::atomic<bool> differ{false};
    for (int rank = 0; rank < 4; ++rank) {
      const std::vector<size_t> counts = rank != kOdd
                                             ? std::vector<size_t>{1, 2, 3}
                                         : swaps ? std::vector<size_t>{1, 3, 2}
                                                 : std::vector<size_t>{1, 3};
      for (size_t count : counts)
        if (buffers.allReduce(job, rank, count) != blinkSuccess)
          differ = true;
    }
    synchronize(job);
    const Diagnosis found = runtime::diagnose(pictureOf(job));
    CAPTURE(found.sentence);
    CHECK(found.cause == Cause::differs);
    CHECK(found.culprits == std::vector<int>{kOdd});
    CHECK(found.sentence ==
          "the ranks' calls differ: as call 2 rank 2 has allreduce of 3 "
          "float32 with sum, ranks 0,1,3 have allreduce of 2 float32 with sum");
    blinkResult_t state = blinkSuccess;
    blinkCommGetAsyncError(job[0], &state);
    CHECK(state == blinkInvalidUsage);
  }
}

TEST_CASE("a device that has not come to what it was given is named") {
  constexpr int kOdd = 3;
  const Job job(sums(4), 4);
  const Buffers buffers(4);
  std::atomic<bool> free{false};
  // A kernel of the application, which does not end.
  useDeviceOf(kOdd);
  enqueue(streamOf(job, kOdd), [&] {
    while (!free)
      std::this_thread::yield();
  });
  for (int rank = 0; rank < 4; ++rank)
    CHECK(buffers.allReduce(job, rank, 5) == blinkSuccess);
  const JobPicture picture = pictureWhen(job, othersWait(kOdd, 1));
  const Diagnosis found = runtime::diagnose(picture);
  CHECK(found.cause == Cause::queued);
  CHECK(found.culprits == std::vector<int>{kOdd});
  CHECK(found.sentence ==
        "the GPU of rank 3 has not begun allreduce of 5 float32 with sum, "
        "which has been launched: it is at something else, or what comes "
        "before in its stream is not done");
  CHECK(picture.ranks[kOdd].launched.size() == 1);
  const std::string text = runtime::toText(picture, found);
  CAPTURE(text);
  CHECK(contains(text, ": 4 ranks, CUDA back end\n"));
  CHECK(contains(text, " launched       0  \n"));
  CHECK(
      contains(text, " ago and not begun: allreduce of 5 float32 with sum\n"));
  CHECK(!picture.ranks[kOdd].inCall());
  free = true;
  synchronize(job);
  CHECK(pictureOf(job).ranks[kOdd].launched.empty());
}

namespace {

std::atomic<bool> lanesAreStuck{false};
std::atomic<const void *> stuckOutput{nullptr};

/// Holds the lanes of the rank with output `stuckOutput` before their first
/// fold.
void stuckHook(const runtime::Launch &launch, unsigned, unsigned thread,
               unsigned barrier) {
  while (thread == 0 && barrier == 3 && launch.ranks[0].recv == stuckOutput &&
         lanesAreStuck)
    pauseThread(std::chrono::microseconds(100));
}

} // namespace

TEST_CASE("a device whose kernel is stuck is named") {
  constexpr int kOdd = 0;
  const Job job(sums(3), 3);
  Case c;
  c.count = 100;
  std::vector<RankBuffers> buffers;
  for (int rank = 0; rank < 3; ++rank)
    buffers.emplace_back(c, 3, rank);
  stuckOutput = buffers[kOdd].recv();
  lanesAreStuck = true;
  const LaneHookScope hook(stuckHook);
  for (int rank = 0; rank < 3; ++rank) {
    useDeviceOf(rank);
    CHECK(blinkAllReduce(buffers[size_t(rank)].send(),
                         buffers[size_t(rank)].recv(), 100, blinkFloat32,
                         blinkSum, job[rank],
                         job.stream(rank)) == blinkSuccess);
  }
  const JobPicture picture = pictureWhen(job, [](const JobPicture &now) {
    return now.ranks[kOdd].inCall() && now.ranks[kOdd].waits.empty() &&
           !now.ranks[1].waits.empty() && !now.ranks[2].waits.empty();
  });
  const Diagnosis found = runtime::diagnose(picture);
  CAPTURE(found.sentence);
  CHECK(found.cause == Cause::busy);
  CHECK(found.culprits == std::vector<int>{kOdd});
  lanesAreStuck = false;
  synchronize(job);
}

TEST_CASE("calls of a graph count each time it is launched") {
  const Job job(sums(2), 2);
  const Buffers buffers(2);
  cudaGraphExec_t graphs[2];
  for (int rank = 0; rank < 2; ++rank) {
    useDeviceOf(rank);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(streamOf(job, rank),
                                   cudaStreamCaptureModeRelaxed) ==
            cudaSuccess);
    CHECK(buffers.allReduce(job, rank, 3) == blinkSuccess);
    CHECK(buffers.allReduce(job, rank, 4) == blinkSuccess);
    REQUIRE(cudaStreamEndCapture(streamOf(job, rank), &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiateWithFlags(&graphs[rank], graph, 0) ==
            cudaSuccess);
    cudaGraphDestroy(graph);
  }
  const auto launch = [&](int rank) {
    useDeviceOf(rank);
    REQUIRE(cudaGraphLaunch(graphs[rank], streamOf(job, rank)) == cudaSuccess);
  };
  // A captured call has not begun.
  CHECK(pictureOf(job).ranks[0].calls.empty());
  CHECK(pictureOf(job).ranks[0].launched.empty());
  for (int times = 0; times < 3; ++times)
    for (int rank = 0; rank < 2; ++rank)
      launch(rank);
  for (int rank = 0; rank < 2; ++rank)
    CHECK(buffers.allReduce(job, rank, 5) == blinkSuccess);
  synchronize(job);
  for (const RankPicture &rank : pictureOf(job).ranks) {
    CHECK(rank.collectives == 7);
    CHECK(rank.launched.empty());
    REQUIRE(rank.calls.size() == 7);
    for (size_t i = 0; i < 7; ++i) {
      CHECK(rank.calls[i].number == i + 1);
      CHECK(rank.calls[i].kind.count == (i == 6 ? 5 : 3 + i % 2));
      CHECK(rank.calls[i].ended >= rank.calls[i].started);
    }
  }
  // One rank launches its graph once more than the other.
  launch(0);
  const Diagnosis found = runtime::diagnose(pictureWhen(job, othersWait(1, 8)));
  CHECK(found.cause == Cause::behind);
  CHECK(found.culprits == std::vector<int>{1});
  launch(1);
  synchronize(job);
  CHECK(pictureOf(job).ranks[1].collectives == 9);
  for (cudaGraphExec_t graph : graphs)
    cudaGraphExecDestroy(graph);
}

TEST_CASE("messages of devices are seen, and who does not answer") {
  const Job job(sumsAndMessages(3), 3);
  const Buffers buffers(3);
  CHECK(buffers.send(job, 0, 2) == blinkSuccess);
  CHECK(buffers.receive(job, 2, 0) == blinkSuccess);
  synchronize(job);
  JobPicture picture = pictureOf(job);
  REQUIRE(picture.ranks[0].sent.size() == 1);
  CHECK(picture.ranks[0].sent[0].describe() ==
        "message of 10 float32 to rank 2");
  CHECK(!picture.ranks[0].sent[0].underWay());
  REQUIRE(picture.ranks[2].sent.size() == 1);
  CHECK(picture.ranks[2].sent[0].describe() ==
        "message of 10 float32 from rank 0");
  CHECK(picture.ranks[2].messages == 1);
  // A second message, whose sender comes late.
  CHECK(buffers.receive(job, 2, 0) == blinkSuccess);
  picture = pictureWhen(
      job, [](const JobPicture &now) { return !now.ranks[2].waits.empty(); });
  CHECK(picture.ranks[2].waits[0].message);
  CHECK(picture.ranks[2].waits[0].call == 2);
  CHECK(picture.ranks[2].waits[0].peer == 0);
  const Diagnosis found = runtime::diagnose(picture);
  CHECK(found.cause == Cause::behind);
  CHECK(found.culprits == std::vector<int>{0});
  CHECK(found.sentence == "rank 0 is in no call, and rank 2 waits for it in a "
                          "message of 10 float32 from rank 0");
  CHECK(buffers.send(job, 0, 2) == blinkSuccess);
  synchronize(job);
  blinkStats_t stats = BLINK_STATS_INITIALIZER;
  uint64_t waitedFor[3];
  REQUIRE(blinkCommStats(job[2], &stats, waitedFor) == blinkSuccess);
  CHECK(stats.messages == 2);
  CHECK(stats.mostWaitedFor == 0);
  CHECK(waitedFor[0] == stats.waited);
  CHECK(runtime::diagnose(pictureOf(job)).cause == Cause::none);
}

TEST_CASE("errors of devices leave a picture") {
  constexpr int kOdd = 1;
  const HangFolder folder;
  {
    const Job job(sums(3), 3, 200);
    const Buffers buffers(3);
    for (int rank = 0; rank < 3; ++rank)
      if (rank != kOdd)
        CHECK(buffers.allReduce(job, rank, 5) == blinkSuccess);
    synchronize(job);
    CHECK(buffers.allReduce(job, 0, 5) == blinkRemoteError);
    CHECK(contains(blinkGetLastError(job[0]),
                   "; rank 1 has made 0 calls, the others 1: it has not called "
                   "allreduce of 5 float32 with sum; "));
  }
  const std::vector<std::string> files = folder.files();
  REQUIRE(files.size() == 1);
  CHECK(contains(files[0], "\"cause\":\"behind\",\"culprits\":[1]"));
}

TEST_CASE("a wait for a rank without records leaves the others' alone") {
  constexpr int kRanks = 130, kFar = 129;
  TestSchedule model = makeSchedule(Collective::sendrecv, 0, kRanks, {});
  const Job job(model, kRanks, 100);
  const Buffers buffers(1);
  CHECK(buffers.receive(job, 0, kFar) == blinkSuccess); // it never comes
  useDeviceOf(0);
  cudaStreamSynchronize(streamOf(job, 0));
  blinkStats_t stats = BLINK_STATS_INITIALIZER;
  std::vector<uint64_t> waitedFor(kRanks);
  REQUIRE(blinkCommStats(job[0], &stats, waitedFor.data()) == blinkSuccess);
  CHECK(waitedFor == std::vector<uint64_t>(kRanks));
}

TEST_CASE("a process whose device was in a call, and that dies, does so, too") {
  const HangFolder folder;
  // Rank 2 dies in lane 0, in its second kernel.
  runAll(sums(3), 3, "kill:2:0:4:1");
  const std::vector<std::string> files = folder.files();
  REQUIRE(files.size() == 1);
  CHECK(contains(files[0], "\"cause\":\"died\",\"culprits\":[2]"));
}
