//===- Job.cpp - the ranks of a test --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "runtime/Transport.h"
#include "test/conformance/Patterns.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Kernels.h"
#include "schedules/Collectives.h"
#endif

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include <sys/mman.h>

namespace blink::test {
namespace {

constexpr unsigned char kCanary = 0xa5;
constexpr size_t kMargin = 64;

/// REQUIRE for programs without test cases.
void must(bool good) {
  if (!good)
    std::abort();
}

#if BLINK_TEST_CUDA
int numDevices() {
  int count = 0;
  must(cudaGetDeviceCount(&count) == cudaSuccess && count > 0);
  return count;
}
#endif

/// `count` elements with a margin on both sides that no code may write to, and
/// their copy in a GPU's memory. The elements are not initialised.
class Buffer {
public:
  Buffer(blinkDataType_t type, size_t count, bool misaligned,
         std::pmr::memory_resource *memory)
      : size_(count * size_t(bytesOf(type))),
        offset_(kMargin + (misaligned ? size_t(bytesOf(type)) : 0)),
        total_(offset_ + size_ + kMargin), memory_(memory),
        bytes_(static_cast<unsigned char *>(memory->allocate(total_, kAlign))),
        twin_(bytes_) {
    std::memset(bytes_, kCanary, offset_);
    std::memset(bytes_ + offset_ + size_, kCanary, kMargin);
#if BLINK_TEST_CUDA
    void *there = nullptr;
    must(cudaMalloc(&there, total_) == cudaSuccess);
    twin_ = static_cast<unsigned char *>(there);
#endif
  }
  ~Buffer() {
#if BLINK_TEST_CUDA
    cudaFree(twin_);
#endif
    memory_->deallocate(bytes_, total_, kAlign);
  }
  Buffer(const Buffer &) = delete;

  unsigned char *data() { return bytes_ + offset_; }
  /// Fills the elements so that an element that is never written is noticed.
  void poison() { std::memset(data(), kCanary, size_); }
  /// Returns where the back end finds the byte at `address` of data().
  unsigned char *twin(const unsigned char *address) {
    return twin_ + (address - bytes_);
  }
  void upload() {
#if BLINK_TEST_CUDA
    must(runtime::copyToDevice(twin_, bytes_, total_) == cudaSuccess);
#endif
  }
  void download() {
#if BLINK_TEST_CUDA
    must(cudaMemcpy(bytes_, twin_, total_, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
#endif
  }

  bool marginsIntact() const {
    const auto intact = [](unsigned char byte) { return byte == kCanary; };
    return std::all_of(bytes_, bytes_ + offset_, intact) &&
           std::all_of(bytes_ + offset_ + size_, bytes_ + total_, intact);
  }

private:
  static constexpr size_t kAlign = 64;
  size_t size_, offset_, total_;
  std::pmr::memory_resource *memory_;
  unsigned char *bytes_, *twin_;
};

} // namespace

TestSchedule allCollectives(int numRanks, int root,
                            const BuildOptions &options) {
  TestSchedule all;
  for (Collective collective : collectives()) {
    TestSchedule one = makeSchedule(collective, root, numRanks, options);
    if (all.programs.empty())
      all = one;
    else
      all.programs.push_back(one.programs[0]);
  }
  return all;
}

TestSchedule withKind(TestSchedule model, sched::ChannelKind kind) {
  for (TestProgram &program : model.programs)
    for (TestChannel &channel : program.variants[0].channels)
      channel.kind = kind;
  return model;
}

TestSchedule withProtocol(TestSchedule model, sched::Protocol protocol) {
  for (TestProgram &program : model.programs)
    program.variants[0].protocol = protocol;
  return model;
}

TestSchedule withFloatSums(TestSchedule model) {
  for (TestProgram &program : model.programs)
    if (reduces(program.collective))
      program.accumulate = sched::Accumulation::f32;
  return model;
}

void useDeviceOf(int rank) {
#if BLINK_TEST_CUDA
  must(cudaSetDevice(rank % numDevices()) == cudaSuccess);
#endif
}

bool isRemote() {
  return runtime::transportOf(sched::ChannelKind::peer).create != nullptr;
}

int mostLanes(int numRanks) {
#if BLINK_TEST_CUDA
  const int devices = numDevices();
  uint32_t resident = 0;
  REQUIRE(runtime::prepareLanes(resident) == cudaSuccess);
  return int(resident) / ((numRanks + devices - 1) / devices);
#else
  return INT_MAX;
#endif
}

Job::Job(const TestSchedule &model, int numRanks, int timeoutMs)
    : Job(seal(model), numRanks, timeoutMs, nullptr) {}

Job::Job(const std::vector<uint8_t> &bytes, int numRanks, int timeoutMs,
         const int *gpus)
    : comms_(numRanks), streams_(numRanks) {
  blinkSchedule_t schedule = nullptr;
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = timeoutMs;
  config.gpus = gpus;
  const int *devices = nullptr;
#if BLINK_TEST_CUDA
  config.backend = blinkBackendCuda;
  std::vector<int> list;
  for (int rank = 0; rank < numRanks; ++rank) {
    list.push_back(rank % numDevices());
    useDeviceOf(rank);
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    streams_[rank] = reinterpret_cast<blinkStream_t>(stream);
  }
  devices = list.data();
#endif
  blinkResult_t result =
      blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule);
  if (result == blinkSuccess)
    result =
        blinkCommInitAll(comms_.data(), numRanks, devices, schedule, &config);
  std::string error = blinkGetLastError(nullptr);
  blinkScheduleClose(schedule);
  CAPTURE(error);
  REQUIRE(result == blinkSuccess);
}

Job::Job(std::vector<blinkComm_t> comms, const std::vector<int> &excluded)
    : comms_(std::move(comms)), streams_(comms_.size()) {
#if BLINK_TEST_CUDA
  size_t next = 0;
  for (int rank = 0; next < comms_.size(); ++rank) {
    if (std::find(excluded.begin(), excluded.end(), rank) != excluded.end())
      continue;
    useDeviceOf(rank);
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    streams_[next++] = reinterpret_cast<blinkStream_t>(stream);
  }
#endif
}

Job::Job(std::vector<blinkComm_t> comms, const OldRanks &old)
    : comms_(std::move(comms)), streams_(comms_.size()) {
#if BLINK_TEST_CUDA
  for (size_t rank = 0; rank < comms_.size(); ++rank) {
    useDeviceOf(old.ranks[rank]);
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    streams_[rank] = reinterpret_cast<blinkStream_t>(stream);
  }
#endif
}

Job::~Job() {
  for (blinkComm_t comm : comms_)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
#if BLINK_TEST_CUDA
  for (blinkStream_t stream : streams_)
    cudaStreamDestroy(reinterpret_cast<cudaStream_t>(stream));
#endif
}

/// Waits for the rank's stream and returns the state of the communicator.
blinkResult_t Job::synchronize(int rank) const {
#if BLINK_TEST_CUDA
  if (cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(streams_[rank])) !=
      cudaSuccess)
    return blinkUnhandledCudaError;
  blinkResult_t result = blinkSuccess;
  blinkCommGetAsyncError(comms_[rank], &result);
  return result;
#else
  return blinkSuccess;
#endif
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
    threads.emplace_back([&, rank] {
      results[rank] = body(rank);
      if (results[rank] == blinkSuccess)
        results[rank] = synchronize(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

blinkResult_t
Job::inGroup(const std::function<blinkResult_t(int)> &body) const {
  blinkGroupStart();
  for (int rank = 0; rank < size(); ++rank)
    body(rank);
  blinkResult_t result = blinkGroupEnd();
  for (int rank = 0; rank < size() && result == blinkSuccess; ++rank)
    result = synchronize(rank);
  return result;
}

Case variedCase(Collective collective, size_t count, int root,
                unsigned number) {
  Case c;
  c.collective = collective;
  c.count = count;
  c.root = root;
  c.type = kTypes[number % kNumTypes];
  c.op = kOps[number / kNumTypes % kNumOps];
  if (!hasReduction(c.type, c.op))
    c.op = kOps[number / kNumTypes % 5];
  c.inPlace = number % 2 && sched::hasInPlace(collective);
  c.misaligned = number % 3 == 0;
  return c;
}

//===-- Buffers -----------------------------------------------------------===//

KeptMemory::KeptMemory(size_t bytes, int numRanks)
    : bytes_(nullptr, std::free) {
  constexpr size_t kHugePage = 2 << 20;
  const size_t share =
      (bytes / size_t(numRanks) + kHugePage) / kHugePage * kHugePage;
  const size_t total = share * size_t(numRanks);
  bytes_.reset(std::aligned_alloc(kHugePage, total));
  must(bytes_ != nullptr);
  madvise(bytes_.get(), total, MADV_HUGEPAGE); // works without huge pages, too
  for (int rank = 0; rank < numRanks; ++rank)
    ranks_.emplace_back(static_cast<unsigned char *>(bytes_.get()) +
                            size_t(rank) * share,
                        share);
}

std::pmr::memory_resource *KeptMemory::of(int rank) {
#if defined(__SANITIZE_ADDRESS__)
  return std::pmr::new_delete_resource(); // so that it can guard each buffer
#else
  return &ranks_[size_t(rank)];
#endif
}

void KeptMemory::reuse() {
  for (std::pmr::monotonic_buffer_resource &rank : ranks_)
    rank.release();
}

struct RankBuffers::State {
  State(const Case &c, int numRanks, int rank,
        std::pmr::memory_resource *memory);

  Case c;
  int n, rank;
  bool gathers, scatters, reduces;
  size_t sendCount, recvCount;
  std::unique_ptr<Buffer> sendBuffer, recvBuffer;
  unsigned char *send, *recv;

  const Pattern &input(int ofRank) const {
    return inputPattern(c.type, reduces ? std::optional(c.op) : std::nullopt,
                        ofRank);
  }
};

RankBuffers::State::State(const Case &c, int numRanks, int rank,
                          std::pmr::memory_resource *memory)
    : c(c), n(numRanks), rank(rank) {
  gathers = c.collective == Collective::allgather ||
            c.collective == Collective::gather ||
            c.collective == Collective::alltoall ||
            c.collective == Collective::sendrecv;
  scatters = c.collective == Collective::reducescatter ||
             c.collective == Collective::scatter ||
             c.collective == Collective::alltoall ||
             c.collective == Collective::sendrecv;
  reduces = test::reduces(c.collective);
  sendCount = c.count * (scatters ? n : 1);
  recvCount = c.count * (gathers ? n : 1);
  sendBuffer = std::make_unique<Buffer>(c.type, c.inPlace ? 0 : sendCount,
                                        c.misaligned, memory);
  recvBuffer = std::make_unique<Buffer>(
      c.type, c.inPlace ? std::max(sendCount, recvCount) : recvCount,
      c.misaligned, memory);
  if (!c.inPlace || recvCount > sendCount) // otherwise all of it is input
    recvBuffer->poison();
  send = sendBuffer->data();
  recv = recvBuffer->data();
  // In place, the smaller buffer is this rank's part of the larger one.
  const size_t part = size_t(rank) * c.count * size_t(bytesOf(c.type));
  if (c.inPlace)
    send = recv + (gathers ? part : 0);
  if (c.inPlace && scatters)
    recv = recv + part;
  test::fill(send, input(rank), size_t(bytesOf(c.type)), 0, sendCount);
  sendBuffer->upload();
  recvBuffer->upload();
}

RankBuffers::RankBuffers(const Case &c, int numRanks, int rank,
                         std::pmr::memory_resource *memory)
    : state_(std::make_unique<State>(c, numRanks, rank, memory)) {}
RankBuffers::RankBuffers(RankBuffers &&) noexcept = default;
RankBuffers::~RankBuffers() = default;
const void *RankBuffers::send() const {
  return (state_->c.inPlace ? state_->recvBuffer : state_->sendBuffer)
      ->twin(state_->send);
}
void *RankBuffers::recv() const {
  return state_->recvBuffer->twin(state_->recv);
}

void RankBuffers::fill(const std::vector<uint64_t> &bits) {
  for (size_t i = 0; i < bits.size(); ++i)
    storeBits(state_->c.type, state_->send, i, bits[i]);
  (state_->c.inPlace ? state_->recvBuffer : state_->sendBuffer)->upload();
}

std::vector<uint64_t> RankBuffers::result() {
  state_->recvBuffer->download();
  std::vector<uint64_t> bits;
  for (size_t i = 0; i < state_->recvCount; ++i)
    bits.push_back(loadBits(state_->c.type, state_->recv, i));
  return bits;
}

std::string RankBuffers::check() {
  const State &s = *state_;
  s.sendBuffer->download();
  s.recvBuffer->download();
  const Case &c = s.c;
  const bool receives = (c.collective != Collective::reduce &&
                         c.collective != Collective::gather) ||
                        s.rank == c.root;
  const size_t size = size_t(bytesOf(c.type));
  Wrong wrong;
  // Elements of a scattered buffer are numbered across all its blocks.
  const size_t first = s.scatters ? size_t(s.rank) * c.count : 0;
  if (receives && s.reduces)
    compare(s.recv, 0, reducedPattern(c.type, c.op, s.n), size, first,
            s.recvCount, wrong);
  for (int source = 0; receives && s.gathers && source < s.n; ++source)
    compare(s.recv, size_t(source) * c.count, s.input(source), size, first,
            c.count, wrong);
  if (receives && !s.reduces && !s.gathers)
    compare(s.recv, 0, s.input(c.root), size, first, s.recvCount, wrong);
  const std::string place = c.describe() + ", rank " + std::to_string(s.rank);
  if (wrong.count != 0)
    return place + ": " + std::to_string(wrong.count) + " wrong, first at " +
           std::to_string(wrong.first);
  if (!s.sendBuffer->marginsIntact() || !s.recvBuffer->marginsIntact())
    return place + ": wrote beside a buffer";
  if (!c.inPlace)
    compare(s.send, 0, s.input(s.rank), size, 0, s.sendCount, wrong);
  return wrong.count == 0 ? "" : place + ": the input changed";
}

std::string runCase(const Job &job, const Case &c, KeptMemory *memory) {
  // With `threads` each rank's thread fills and compares its own buffers: for
  // large buffers that takes as long as the call.
  const auto forRanks = [&](const std::function<void(int)> &body) {
    if (c.threads)
      job.onThreads([&](int rank) { return body(rank), blinkSuccess; });
    for (int rank = 0; rank < job.size() && !c.threads; ++rank)
      body(rank);
  };
  std::vector<std::optional<RankBuffers>> buffers(size_t(job.size()));
  forRanks([&](int rank) {
    useDeviceOf(rank);
    buffers[rank].emplace(c, job.size(), rank,
                          memory ? memory->of(rank)
                                 : std::pmr::get_default_resource());
  });
  std::vector<blinkResult_t> results;
  auto body = [&](int rank) {
    return call(c, buffers[rank]->send(), buffers[rank]->recv(), job[rank],
                job.stream(rank));
  };
  if (c.threads)
    results = job.onThreads(body);
  else
    results.push_back(job.inGroup(body));
  for (blinkResult_t result : results)
    if (result != blinkSuccess)
      return c.describe() + ": " + blinkGetErrorString(result) + ", " +
             blinkGetLastError(nullptr);
  std::vector<std::string> wrong(buffers.size());
  forRanks([&](int rank) { wrong[rank] = buffers[rank]->check(); });
  for (const std::string &one : wrong)
    if (!one.empty())
      return one;
  return "";
}

} // namespace blink::test
