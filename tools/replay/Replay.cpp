//===- Replay.cpp - run a schedule on real data and check it --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/Replay.h"

#include "schedules/ScheduleFile.h"
#include "tools/replay/Samples.h"

#include <chrono>
#include <cstring>

using namespace blink;
using sched::Collective;

namespace {

using Bytes = std::vector<uint8_t>;

/// One replay: buffers of all ranks, and the reference they are held against.
class Session {
public:
  Session(const sched::Program &program, const ReplayOptions &options)
      : options_(options), collective_(program.collective()),
        root_(program.root()),
        numRanks_(static_cast<int>(program.allocation()->size())),
        numPrograms_(static_cast<int>(sched::numPrograms(program))),
        inputBlocks_(sched::inputBlocks(collective_, numRanks_)),
        outputBlocks_(sched::outputBlocks(collective_, numRanks_)),
        elementSize_(sizeOf(options.type)),
        count_(options.bytes / elementSize_ /
               std::max(inputBlocks_, outputBlocks_)),
        samples_(options.type, options.op, numRanks_, options.seed) {}

  ReplayResult run(const std::vector<uint8_t> &file);

private:
  bool isRelay(int rank) const { return rank >= numRanks_; }
  bool iterate(const std::vector<blinkComm_t> &comms, ReplayResult &result);
  blinkResult_t call(int rank, blinkComm_t comm);
  void fill();
  void check(ReplayResult &result);
  Bytes expected(int rank, uint32_t block) const;
  bool receives(int rank) const {
    return !onlyRootGets(collective_) || rank == root_;
  }
  size_t blockBytes() const { return count_ * elementSize_; }
  // In place the smaller buffer is this rank's part of the larger one.
  uint8_t *input(int rank) {
    if (!options_.inPlace)
      return inputs_[rank].data();
    bool shifted = inputBlocks_ < outputBlocks_;
    return outputs_[rank].data() + (shifted ? rank * blockBytes() : 0);
  }
  uint8_t *output(int rank) {
    bool shifted = options_.inPlace && outputBlocks_ < inputBlocks_;
    return outputs_[rank].data() + (shifted ? rank * blockBytes() : 0);
  }

  const ReplayOptions &options_;
  Collective collective_;
  int root_;
  int numRanks_;
  int numPrograms_; ///< ranks and relays
  uint32_t inputBlocks_, outputBlocks_;
  size_t elementSize_;
  size_t count_; ///< elements of a block
  Samples samples_;
  std::vector<Bytes> inputs_, outputs_;
};

/// What block `block` of `rank`'s output must be.
Bytes Session::expected(int rank, uint32_t block) const {
  Bytes bytes(blockBytes());
  // Elements of a scattered buffer are numbered through all its blocks.
  uint64_t first = inputBlocks_ > 1 ? uint64_t(rank) * count_ : 0;
  int source = outputBlocks_ > 1 ? int(block) : root_;
  for (size_t i = 0; i < count_; ++i) {
    void *out = bytes.data() + i * elementSize_;
    isReduction(collective_) ? samples_.reduced(first + i, out)
                             : samples_.input(source, first + i, out);
  }
  return bytes;
}

void Session::fill() {
  for (int rank = 0; rank < numRanks_; ++rank)
    for (size_t i = 0; i < count_ * inputBlocks_; ++i)
      samples_.input(rank, i, input(rank) + i * elementSize_);
}

blinkResult_t Session::call(int rank, blinkComm_t comm) {
  const void *send = isRelay(rank) ? nullptr : input(rank);
  void *recv = isRelay(rank) ? nullptr : output(rank);
  switch (collective_) {
  case Collective::allreduce:
    return blinkAllReduce(send, recv, count_, options_.type, options_.op, comm,
                          nullptr);
  case Collective::broadcast:
    return blinkBroadcast(send, recv, count_, options_.type, root_, comm,
                          nullptr);
  case Collective::reduce:
    return blinkReduce(send, recv, count_, options_.type, options_.op, root_,
                       comm, nullptr);
  case Collective::allgather:
    return blinkAllGather(send, recv, count_, options_.type, comm, nullptr);
  case Collective::reducescatter:
    return blinkReduceScatter(send, recv, count_, options_.type, options_.op,
                              comm, nullptr);
  case Collective::gather:
    return blinkGather(send, recv, count_, options_.type, root_, comm, nullptr);
  case Collective::scatter:
    return blinkScatter(send, recv, count_, options_.type, root_, comm,
                        nullptr);
  case Collective::alltoall:
    return blinkAllToAll(send, recv, count_, options_.type, comm, nullptr);
  }
  return blinkInternalError;
}

void Session::check(ReplayResult &result) {
  bool sameOnAllRanks = inputBlocks_ == 1;
  std::vector<Bytes> reference;
  for (int rank = 0; rank < numRanks_; ++rank) {
    if (!receives(rank))
      continue;
    if (reference.empty() || !sameOnAllRanks) {
      reference.clear();
      for (uint32_t block = 0; block < outputBlocks_; ++block)
        reference.push_back(expected(rank, block));
    }
    for (uint32_t block = 0; block < outputBlocks_; ++block) {
      const uint8_t *got = output(rank) + block * blockBytes();
      const uint8_t *want = reference[block].data();
      result.checked += count_;
      if (count_ == 0 || std::memcmp(got, want, blockBytes()) == 0)
        continue;
      for (size_t i = 0; i < count_; ++i)
        if (std::memcmp(got + i * elementSize_, want + i * elementSize_,
                        elementSize_) != 0 &&
            result.wrong++ == 0)
          result.firstWrong = "rank " + std::to_string(rank) + ", block " +
                              std::to_string(block) + ", element " +
                              std::to_string(i);
    }
  }
}

bool Session::iterate(const std::vector<blinkComm_t> &comms,
                      ReplayResult &result) {
  fill();
  if (!options_.inPlace)
    for (Bytes &output : outputs_)
      std::fill(output.begin(), output.end(), uint8_t(0xff));
  auto start = std::chrono::steady_clock::now();
  blinkGroupStart();
  for (int rank = 0; rank < numPrograms_; ++rank)
    call(rank, comms[rank]); // GroupEnd returns what a call was refused for
  blinkResult_t code = blinkGroupEnd();
  result.seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (code != blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    return false;
  }
  check(result);
  return true;
}

ReplayResult Session::run(const std::vector<uint8_t> &file) {
  ReplayResult result;
  uint32_t blocks = std::max(inputBlocks_, outputBlocks_);
  result.bytes = count_ * elementSize_ * blocks;
  for (int rank = 0; rank < numRanks_; ++rank) {
    inputs_.emplace_back(options_.inPlace ? 0 : blockBytes() * inputBlocks_);
    outputs_.emplace_back(blockBytes() *
                          (options_.inPlace ? blocks : outputBlocks_));
  }
  if (options_.inPlace && !hasInPlace(collective_)) {
    result.error = "there is no alltoall in place";
    return result;
  }
  blinkSchedule_t schedule = nullptr;
  std::vector<blinkComm_t> comms(numPrograms_, nullptr);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = options_.timeoutMs;
  if (blinkScheduleOpenMemory(file.data(), file.size(), &schedule) !=
          blinkSuccess ||
      blinkCommInitAll(comms.data(), numPrograms_, nullptr, schedule,
                       &config) != blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    blinkScheduleClose(schedule);
    return result;
  }
  for (int i = 0; i < options_.iterations; ++i)
    if (!iterate(comms, result))
      break;
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return result;
}

} // namespace

ReplayResult blink::replay(const std::vector<uint8_t> &file,
                           const sched::Program &program,
                           const ReplayOptions &options) {
  return Session(program, options).run(file);
}
