//===- Job.cpp - the ranks of a test --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "test/conformance/Elements.h"

#include "doctest/doctest.h"

#include <cstring>
#include <thread>

namespace blink::test {
namespace {

constexpr unsigned char kCanary = 0xa5;
constexpr size_t kMargin = 64;

/// `count` elements with a margin on both sides that nobody may touch.
class Buffer {
public:
  Buffer(blinkDataType_t type, size_t count, bool misaligned)
      : size_(count * bytesOf(type)),
        offset_(kMargin + (misaligned ? bytesOf(type) : 0)),
        bytes_(size_ + 2 * kMargin + offset_, kCanary) {}

  unsigned char *data() { return bytes_.data() + offset_; }

  bool marginsIntact() const {
    for (size_t i = 0; i < bytes_.size(); ++i)
      if ((i < offset_ || i >= offset_ + size_) && bytes_[i] != kCanary)
        return false;
    return true;
  }

private:
  size_t size_, offset_;
  std::vector<unsigned char> bytes_;
};

} // namespace

TestSchedule allCollectives(int numRanks, int root,
                            const BuildOptions &options) {
  TestSchedule all;
  for (Collective collective : sched::EnumValuesCollective()) {
    TestSchedule one = makeSchedule(collective, root, numRanks, options);
    if (all.programs.empty())
      all = one;
    else
      all.programs.push_back(one.programs[0]);
  }
  return all;
}

Job::Job(const TestSchedule &model, int numRanks, int timeoutMs)
    : comms_(numRanks) {
  std::vector<uint8_t> bytes = seal(model);
  blinkSchedule_t schedule = nullptr;
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = timeoutMs;
  blinkResult_t result =
      blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule);
  if (result == blinkSuccess)
    result =
        blinkCommInitAll(comms_.data(), numRanks, nullptr, schedule, &config);
  std::string error = blinkGetLastError(nullptr);
  blinkScheduleClose(schedule);
  CAPTURE(error);
  REQUIRE(result == blinkSuccess);
}

Job::~Job() {
  for (blinkComm_t comm : comms_)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
}

blinkComm_t Job::release(int rank) {
  blinkComm_t comm = comms_[rank];
  comms_[rank] = nullptr;
  return comm;
}

std::vector<blinkResult_t>
Job::onThreads(const std::function<blinkResult_t(int)> &body) const {
  std::vector<blinkResult_t> results(comms_.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size(); ++rank)
    threads.emplace_back([&, rank] { results[rank] = body(rank); });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

blinkResult_t
Job::inGroup(const std::function<blinkResult_t(int)> &body) const {
  blinkGroupStart();
  for (int rank = 0; rank < size(); ++rank)
    body(rank);
  return blinkGroupEnd();
}

std::string Case::describe() const {
  return std::string(sched::EnumNameCollective(collective)) + " type " +
         std::to_string(type) + " op " + std::to_string(op) + " count " +
         std::to_string(count) + " root " + std::to_string(root) +
         (inPlace ? " in place" : "") + (misaligned ? " misaligned" : "") +
         (threads ? " threads" : "");
}

blinkResult_t call(const Case &c, const void *send, void *recv,
                   blinkComm_t comm) {
  switch (c.collective) {
  case Collective::allreduce:
    return blinkAllReduce(send, recv, c.count, c.type, c.op, comm, nullptr);
  case Collective::broadcast:
    return blinkBroadcast(send, recv, c.count, c.type, c.root, comm, nullptr);
  case Collective::reduce:
    return blinkReduce(send, recv, c.count, c.type, c.op, c.root, comm,
                       nullptr);
  case Collective::allgather:
    return blinkAllGather(send, recv, c.count, c.type, comm, nullptr);
  case Collective::reducescatter:
    return blinkReduceScatter(send, recv, c.count, c.type, c.op, comm, nullptr);
  case Collective::gather:
    return blinkGather(send, recv, c.count, c.type, c.root, comm, nullptr);
  case Collective::scatter:
    return blinkScatter(send, recv, c.count, c.type, c.root, comm, nullptr);
  case Collective::alltoall:
    return blinkAllToAll(send, recv, c.count, c.type, comm, nullptr);
  }
  return blinkInternalError;
}

std::string runCase(const Job &job, const Case &c) {
  const int n = job.size();
  const size_t size = size_t(bytesOf(c.type));
  const bool gathers = c.collective == Collective::allgather ||
                       c.collective == Collective::gather ||
                       c.collective == Collective::alltoall;
  const bool scatters = c.collective == Collective::reducescatter ||
                        c.collective == Collective::scatter ||
                        c.collective == Collective::alltoall;
  const bool reduces = c.collective == Collective::allreduce ||
                       c.collective == Collective::reduce ||
                       c.collective == Collective::reducescatter;
  const size_t sendCount = c.count * (scatters ? n : 1);
  const size_t recvCount = c.count * (gathers ? n : 1);

  // The columns of kPeriod different elements: each rank's, and reduced.
  std::vector<std::vector<uint64_t>> inputs(n);
  std::vector<uint64_t> reduced(kPeriod);
  for (size_t i = 0; i < kPeriod; ++i) {
    std::vector<uint64_t> column;
    for (int rank = 0; rank < n; ++rank) {
      column.push_back(inputBits(c.type, c.op, rank, i));
      inputs[rank].push_back(column.back());
    }
    reduced[i] = reduceBits(c.type, c.op, column);
  }

  std::vector<Buffer> sends, recvs;
  std::vector<void *> send(n), recv(n);
  for (int rank = 0; rank < n; ++rank) {
    sends.emplace_back(c.type, c.inPlace ? 0 : sendCount, c.misaligned);
    recvs.emplace_back(c.type,
                       c.inPlace ? std::max(sendCount, recvCount) : recvCount,
                       c.misaligned);
  }
  for (int rank = 0; rank < n; ++rank) {
    send[rank] = sends[rank].data();
    recv[rank] = recvs[rank].data();
    // In place: the smaller buffer is this rank's part of the larger one.
    if (c.inPlace && gathers)
      send[rank] = recvs[rank].data() + rank * c.count * size;
    else if (c.inPlace)
      send[rank] = recv[rank];
    if (c.inPlace && scatters)
      recv[rank] = recvs[rank].data() + rank * c.count * size;
    for (size_t i = 0; i < sendCount; ++i)
      storeBits(c.type, send[rank], i, inputs[rank][i % kPeriod]);
  }

  std::vector<blinkResult_t> results;
  auto body = [&](int rank) {
    return call(c, send[rank], recv[rank], job[rank]);
  };
  if (c.threads)
    results = job.onThreads(body);
  else
    results.push_back(job.inGroup(body));
  for (blinkResult_t result : results)
    if (result != blinkSuccess)
      return c.describe() + ": " + blinkGetErrorString(result) + ", " +
             blinkGetLastError(nullptr);

  size_t wrong = 0, firstWrong = 0;
  for (int rank = 0; rank < n; ++rank) {
    if ((c.collective == Collective::reduce ||
         c.collective == Collective::gather) &&
        rank != c.root)
      continue;
    for (size_t i = 0; i < recvCount; ++i) {
      // Where the element comes from, and which it is there.
      size_t source = gathers ? i / c.count : c.root;
      size_t index =
          (gathers ? i % c.count : i) + (scatters ? rank * c.count : 0);
      uint64_t expected =
          reduces ? reduced[index % kPeriod] : inputs[source][index % kPeriod];
      if (loadBits(c.type, recv[rank], i) != expected && wrong++ == 0)
        firstWrong = i;
    }
  }
  if (wrong != 0)
    return c.describe() + ": " + std::to_string(wrong) + " wrong, first at " +
           std::to_string(firstWrong);
  for (int rank = 0; rank < n; ++rank) {
    if (!sends[rank].marginsIntact() || !recvs[rank].marginsIntact())
      return c.describe() + ": wrote beside a buffer of rank " +
             std::to_string(rank);
    if (c.inPlace)
      continue;
    for (size_t i = 0; i < sendCount; ++i)
      if (loadBits(c.type, send[rank], i) != inputs[rank][i % kPeriod])
        return c.describe() + ": the input of rank " + std::to_string(rank) +
               " changed";
  }
  return "";
}

} // namespace blink::test
