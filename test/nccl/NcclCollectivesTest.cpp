//===- NcclCollectivesTest.cpp - calls with NCCL's names ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that each call passes on its arguments correctly. The conformance
// suite checks what the collectives do.
//
//===----------------------------------------------------------------------===//

#include "test/nccl/NcclJob.h"

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kJob = 4, kCount = 250, kRoot = 0;

int valueOf(int rank, int i) { return 1000 * (rank + 1) + i; }

int sumOf(int i) {
  int sum = 0;
  for (int rank = 0; rank < kJob; ++rank)
    sum += valueOf(rank, i);
  return sum;
}

/// Checks the first `count` elements of each rank's receive buffer, and that
/// the next element has not changed.
template <typename Expected>
void checkAll(NcclJob &job, int count, Expected expected) {
  for (int rank = 0; rank < kJob; ++rank) {
    CAPTURE(rank);
    const std::vector<int> data = job.received(rank);
    int wrong = 0;
    for (int i = 0; i < count; ++i)
      wrong += data[size_t(i)] != expected(rank, i);
    CHECK(wrong == 0);
    CHECK(data[size_t(count)] == -1);
  }
}

} // namespace

TEST_CASE("each collective of NCCL's is Blink's") {
  const Schedules schedules(kJob);
  NcclJob job(kJob);
  const auto run = [&](auto call) {
    job.fill(valueOf);
    CHECK(job.inGroup(call) == ncclSuccess);
  };
  SUBCASE("allreduce") {
    run([](NcclRank &r) {
      return ncclAllReduce(r.send, r.recv, kCount, blinkInt32, blinkMax, r.comm,
                           r.stream);
    });
    checkAll(job, kCount, [](int, int i) { return valueOf(kJob - 1, i); });
  }
  SUBCASE("broadcast") {
    run([](NcclRank &r) {
      return ncclBroadcast(r.rank == kRoot ? r.send : nullptr, r.recv, kCount,
                           blinkInt32, kRoot, r.comm, r.stream);
    });
    checkAll(job, kCount, [](int, int i) { return valueOf(kRoot, i); });
  }
  SUBCASE("bcast") {
    run([](NcclRank &r) {
      return ncclBcast(r.send, kCount, blinkInt32, kRoot, r.comm, r.stream);
    });
    for (int rank = 0; rank < kJob; ++rank)
      CHECK(job.sent(rank)[kCount - 1] == valueOf(kRoot, kCount - 1));
  }
  SUBCASE("reduce") {
    run([](NcclRank &r) {
      return ncclReduce(r.send, r.recv, kCount, blinkInt32, blinkSum, kRoot,
                        r.comm, r.stream);
    });
    checkAll(job, kCount,
             [](int rank, int i) { return rank == kRoot ? sumOf(i) : -1; });
  }
  SUBCASE("allgather") {
    run([](NcclRank &r) {
      return ncclAllGather(r.send, r.recv, kCount, blinkInt32, r.comm,
                           r.stream);
    });
    checkAll(job, kCount * kJob,
             [](int, int i) { return valueOf(i / kCount, i % kCount); });
  }
  SUBCASE("reducescatter") {
    run([](NcclRank &r) {
      return ncclReduceScatter(r.send, r.recv, kCount, blinkInt32, blinkSum,
                               r.comm, r.stream);
    });
    checkAll(job, kCount,
             [](int rank, int i) { return sumOf(rank * kCount + i); });
  }
  SUBCASE("alltoall") {
    run([](NcclRank &r) {
      return ncclAlltoAll(r.send, r.recv, kCount, blinkInt32, r.comm, r.stream);
    });
    checkAll(job, kCount * kJob, [](int rank, int i) {
      return valueOf(i / kCount, rank * kCount + i % kCount);
    });
  }
  SUBCASE("gather") {
    run([](NcclRank &r) {
      return ncclGather(r.send, r.recv, kCount, blinkInt32, kRoot, r.comm,
                        r.stream);
    });
    checkAll(job, kCount * kJob, [](int rank, int i) {
      return rank == kRoot ? valueOf(i / kCount, i % kCount) : -1;
    });
  }
  SUBCASE("scatter") {
    run([](NcclRank &r) {
      return ncclScatter(r.send, r.recv, kCount, blinkInt32, kRoot, r.comm,
                         r.stream);
    });
    checkAll(job, kCount,
             [](int rank, int i) { return valueOf(kRoot, rank * kCount + i); });
  }
}

TEST_CASE("messages of uneven sizes among all ranks") {
  const Schedules schedules(kJob);
  NcclJob job(kJob);
  const auto countOf = [](int from, int to) { return 10 + 50 * from + 7 * to; };
  const auto sentAt = [](int to) { return 300 * to; };
  job.fill(valueOf);
  CHECK(job.inGroup([&](NcclRank &r) {
    for (int peer = 0; peer < kJob; ++peer) {
      ncclSend(r.send + sentAt(peer), size_t(countOf(r.rank, peer)), blinkInt32,
               peer, r.comm, r.stream);
      ncclRecv(r.recv + sentAt(peer), size_t(countOf(peer, r.rank)), blinkInt32,
               peer, r.comm, r.stream);
    }
    return ncclSuccess;
  }) == ncclSuccess);
  for (int rank = 0; rank < kJob; ++rank) {
    const std::vector<int> data = job.received(rank);
    for (int source = 0; source < kJob; ++source) {
      const int count = countOf(source, rank);
      int wrong = 0;
      for (int i = 0; i < count; ++i)
        wrong += data[size_t(sentAt(source) + i)] !=
                 valueOf(source, sentAt(rank) + i);
      CHECK(wrong == 0);
      CHECK(data[size_t(sentAt(source) + count)] == -1);
    }
  }
}

TEST_CASE("a sum of products, with scalars on the host and on the device") {
  const Schedules schedules(kJob);
  NcclJob job(kJob);
  std::vector<ncclRedOp_t> ops(kJob);
  std::vector<void *> scalars(kJob, nullptr);
  for (int rank = 0; rank < kJob; ++rank) {
    int scalar = rank + 2;
    cudaSetDevice(rank);
    REQUIRE(cudaMalloc(&scalars[size_t(rank)], sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMemcpy(scalars[size_t(rank)], &scalar, sizeof(int),
                       cudaMemcpyHostToDevice) == cudaSuccess);
    const bool there = rank % 2 != 0;
    CHECK(ncclRedOpCreatePreMulSum(
              &ops[size_t(rank)], there ? scalars[size_t(rank)] : &scalar,
              blinkInt32, there ? blinkScalarDevice : blinkScalarHostImmediate,
              job[rank].comm) == ncclSuccess);
    CHECK(ops[size_t(rank)] >= 5);
  }
  job.fill(valueOf);
  CHECK(job.inGroup([&](NcclRank &r) {
    return ncclAllReduce(r.send, r.recv, kCount, blinkInt32,
                         ops[size_t(r.rank)], r.comm, r.stream);
  }) == ncclSuccess);
  checkAll(job, kCount, [](int, int i) {
    int sum = 0;
    for (int rank = 0; rank < kJob; ++rank)
      sum += (rank + 2) * valueOf(rank, i);
    return sum;
  });
  for (int rank = 0; rank < kJob; ++rank) {
    CHECK(ncclRedOpDestroy(ops[size_t(rank)], job[rank].comm) == ncclSuccess);
    cudaFree(scalars[size_t(rank)]);
  }
}

TEST_CASE("calls that mean nothing are refused with a sentence") {
  const Schedules schedules(2);
  NcclJob job(2);
  NcclRank &r = job[0];
  // Blink's bitwise operators do not exist in NCCL.
  for (int op : {-1, 5, 6, 7, 99})
    CHECK(ncclAllReduce(r.send, r.recv, 1, blinkInt32, op, r.comm, r.stream) ==
          ncclInvalidArgument);
  CHECK(ncclAllReduce(r.send, r.recv, 1, 12, blinkSum, r.comm, r.stream) ==
        ncclInvalidArgument);
  CHECK(std::string(ncclGetLastError(r.comm)) != "");
  CHECK(ncclAllReduce(r.send, r.recv, 1, blinkInt32, blinkSum, nullptr,
                      r.stream) == ncclInvalidArgument);
  CHECK(std::string(ncclGetLastError(nullptr)) ==
        "ncclAllReduce: the communicator is NULL");
  CHECK(ncclBroadcast(r.send, r.recv, 1, blinkInt32, 2, r.comm, r.stream) ==
        ncclInvalidArgument);
  // A count of 0 is valid even for one rank alone, since no rank waits.
  CHECK(ncclAllReduce(nullptr, nullptr, 0, blinkInt32, blinkSum, r.comm,
                      r.stream) == ncclSuccess);
  // In a group, one wrong call prevents the whole group.
  job.fill([](int, int) { return 1; });
  CHECK(job.inGroup([](NcclRank &r) {
    return ncclAllReduce(r.send, r.recv, 1, blinkInt32, r.rank == 0 ? 0 : 5,
                         r.comm, r.stream);
  }) == ncclInvalidArgument);
  CHECK(job.received(0)[0] == -1);
  CHECK(wrongOf(job) == "");
}

TEST_CASE("versions are NCCL's") {
  int version = 0;
  CHECK(ncclGetVersion(&version) == ncclSuccess);
  CHECK(version >= 22700);
  for (auto [text, number] : {std::pair{"2.30.7", 23007}, {"22903", 22903}}) {
    const Variable asked("BLINK_NCCL_VERSION", text);
    CHECK(ncclGetVersion(&version) == ncclSuccess);
    CHECK(version == number);
  }
  const Variable wrong("BLINK_NCCL_VERSION", "two");
  CHECK(ncclGetVersion(&version) == ncclInvalidArgument);
}
