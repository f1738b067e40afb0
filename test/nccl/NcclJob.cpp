//===- NcclJob.cpp - ranks with NCCL's interface --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/nccl/NcclJob.h"

#include <filesystem>

namespace blink::test {

std::string fakeNccl() {
  return std::filesystem::read_symlink("/proc/self/exe")
      .replace_filename("libblink_fake_nccl.so");
}

NcclJob::NcclJob(int ranks, std::vector<ncclComm_t> comms) {
  if (comms.empty()) {
    comms.resize(size_t(ranks));
    const ncclResult_t result = ncclCommInitAll(comms.data(), ranks, nullptr);
    const std::string why = ncclGetLastError(nullptr);
    INFO(why);
    REQUIRE(result == ncclSuccess);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    NcclRank one{rank, comms[size_t(rank)]};
    REQUIRE(cudaSetDevice(rank) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&one.stream) == cudaSuccess);
    for (int **buffer : {&one.send, &one.recv}) {
      void *memory = nullptr;
      REQUIRE(cudaMalloc(&memory, kElements * sizeof(int)) == cudaSuccess);
      *buffer = static_cast<int *>(memory);
    }
    ranks_.push_back(one);
  }
}

NcclJob::~NcclJob() {
  for (NcclRank &rank : ranks_) {
    cudaSetDevice(rank.rank);
    cudaStreamSynchronize(rank.stream);
  }
  for (NcclRank &rank : ranks_) {
    cudaSetDevice(rank.rank);
    CHECK(ncclCommDestroy(rank.comm) == ncclSuccess);
    cudaFree(rank.send);
    cudaFree(rank.recv);
    cudaStreamDestroy(rank.stream);
  }
}

ncclComm_t NcclJob::release(int rank) {
  return std::exchange(ranks_[size_t(rank)].comm, nullptr);
}

void NcclJob::copyIn(NcclRank &rank, const std::vector<int> &data) {
  const std::vector<int> untouched(kElements, -1);
  const size_t bytes = kElements * sizeof(int);
  cudaSetDevice(rank.rank);
  REQUIRE(cudaMemcpy(rank.send, data.data(), bytes, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  REQUIRE(cudaMemcpy(rank.recv, untouched.data(), bytes,
                     cudaMemcpyHostToDevice) == cudaSuccess);
}

std::vector<int> NcclJob::copyOut(const NcclRank &rank, const int *from) {
  std::vector<int> data(kElements);
  cudaSetDevice(rank.rank);
  REQUIRE(cudaStreamSynchronize(rank.stream) == cudaSuccess);
  REQUIRE(cudaMemcpy(data.data(), from, kElements * sizeof(int),
                     cudaMemcpyDeviceToHost) == cudaSuccess);
  return data;
}

std::vector<int> NcclJob::received(int rank) {
  return copyOut(ranks_[size_t(rank)], ranks_[size_t(rank)].recv);
}

std::vector<int> NcclJob::sent(int rank) {
  return copyOut(ranks_[size_t(rank)], ranks_[size_t(rank)].send);
}

std::string wrongOf(NcclJob &job) {
  constexpr int kCount = 1001;
  job.fill([](int rank, int i) { return (rank + 1) * (i % 13); });
  const ncclResult_t result = job.inGroup([&](NcclRank &rank) {
    return ncclAllReduce(rank.send, rank.recv, kCount, blinkInt32, blinkSum,
                         rank.comm, rank.stream);
  });
  if (result != ncclSuccess)
    return ncclGetLastError(nullptr);
  const int all = job.size() * (job.size() + 1) / 2;
  for (int rank = 0; rank < job.size(); ++rank) {
    const std::vector<int> data = job.received(rank);
    for (int i = 0; i < int(data.size()); ++i)
      if (data[size_t(i)] != (i < kCount ? all * (i % 13) : -1))
        return "rank " + std::to_string(rank) + " has " +
               std::to_string(data[size_t(i)]) + " at " + std::to_string(i);
  }
  return "";
}

} // namespace blink::test
