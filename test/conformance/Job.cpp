//===- Job.cpp - the ranks of a test --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "test/conformance/Elements.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include "runtime/cuda/Kernels.h"
#endif

#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>

namespace blink::test {
namespace {

constexpr unsigned char kCanary = 0xa5;
constexpr size_t kMargin = 64;

#if BLINK_TEST_CUDA
/// REQUIRE for programs that are no tests.
void must(bool good) {
  if (!good)
    std::abort();
}

int numDevices() {
  int count = 0;
  must(cudaGetDeviceCount(&count) == cudaSuccess && count > 0);
  return count;
}
#endif

/// `count` elements with a margin on both sides that nobody may touch, and
/// their twin in the memory of a GPU.
class Buffer {
public:
  Buffer(blinkDataType_t type, size_t count, bool misaligned)
      : size_(count * bytesOf(type)),
        offset_(kMargin + (misaligned ? bytesOf(type) : 0)),
        bytes_(size_ + 2 * kMargin + offset_, kCanary), twin_(bytes_.data()) {
#if BLINK_TEST_CUDA
    void *memory = nullptr;
    must(cudaMalloc(&memory, bytes_.size()) == cudaSuccess);
    twin_ = static_cast<unsigned char *>(memory);
#endif
  }
  ~Buffer() {
#if BLINK_TEST_CUDA
    cudaFree(twin_);
#endif
  }
  Buffer(const Buffer &) = delete;

  unsigned char *data() { return bytes_.data() + offset_; }
  /// Where the back end finds what is at `address` of data().
  unsigned char *twin(const unsigned char *address) {
    return twin_ + (address - bytes_.data());
  }
  void upload() {
#if BLINK_TEST_CUDA
    must(cudaMemcpy(twin_, bytes_.data(), bytes_.size(),
                    cudaMemcpyHostToDevice) == cudaSuccess);
#endif
  }
  void download() {
#if BLINK_TEST_CUDA
    must(cudaMemcpy(bytes_.data(), twin_, bytes_.size(),
                    cudaMemcpyDeviceToHost) == cudaSuccess);
#endif
  }

  bool marginsIntact() const {
    for (size_t i = 0; i < bytes_.size(); ++i)
      if ((i < offset_ || i >= offset_ + size_) && bytes_[i] != kCanary)
        return false;
    return true;
  }

private:
  size_t size_, offset_;
  std::vector<unsigned char> bytes_;
  unsigned char *twin_;
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

TestSchedule withKind(TestSchedule model, sched::ChannelKind kind) {
  for (TestProgram &program : model.programs)
    for (TestChannel &channel : program.variants[0].channels)
      channel.kind = kind;
  return model;
}

void useDeviceOf(int rank) {
#if BLINK_TEST_CUDA
  must(cudaSetDevice(rank % numDevices()) == cudaSuccess);
#endif
}

int mostLanes(int numRanks) {
#if BLINK_TEST_CUDA
  const int devices = numDevices();
  uint32_t resident = 0;
  REQUIRE(runtime::residentLanes(resident) == cudaSuccess);
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

Job::~Job() {
  for (blinkComm_t comm : comms_)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
#if BLINK_TEST_CUDA
  for (blinkStream_t stream : streams_)
    cudaStreamDestroy(reinterpret_cast<cudaStream_t>(stream));
#endif
}

/// Waits for the rank's stream; what became of the communicator.
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

std::string Case::describe() const {
  return std::string(sched::EnumNameCollective(collective)) + " type " +
         std::to_string(type) + " op " + std::to_string(op) + " count " +
         std::to_string(count) + " root " + std::to_string(root) +
         (inPlace ? " in place" : "") + (misaligned ? " misaligned" : "") +
         (threads ? " threads" : "");
}

blinkResult_t call(const Case &c, const void *send, void *recv,
                   blinkComm_t comm, blinkStream_t stream) {
  switch (c.collective) {
  case Collective::allreduce:
    return blinkAllReduce(send, recv, c.count, c.type, c.op, comm, stream);
  case Collective::broadcast:
    return blinkBroadcast(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::reduce:
    return blinkReduce(send, recv, c.count, c.type, c.op, c.root, comm, stream);
  case Collective::allgather:
    return blinkAllGather(send, recv, c.count, c.type, comm, stream);
  case Collective::reducescatter:
    return blinkReduceScatter(send, recv, c.count, c.type, c.op, comm, stream);
  case Collective::gather:
    return blinkGather(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::scatter:
    return blinkScatter(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::alltoall:
    return blinkAllToAll(send, recv, c.count, c.type, comm, stream);
  }
  return blinkInternalError;
}

//===-- Buffers -----------------------------------------------------------===//

/// One period of a rank's input. Kept: making an element is slow.
static const std::vector<uint64_t> &inputColumn(blinkDataType_t type,
                                                blinkRedOp_t op, int rank) {
  static std::map<std::tuple<int, int, int>, std::vector<uint64_t>> columns;
  std::vector<uint64_t> &column = columns[{type, op, rank}];
  for (size_t i = column.size(); i < kPeriod; ++i)
    column.push_back(inputBits(type, op, rank, i));
  return column;
}

/// The reduction of one period of all ranks' inputs. Kept, too.
static const std::vector<uint64_t> &
reducedColumn(blinkDataType_t type, blinkRedOp_t op, int numRanks) {
  static std::map<std::tuple<int, int, int>, std::vector<uint64_t>> columns;
  std::vector<uint64_t> &column = columns[{type, op, numRanks}];
  for (size_t i = column.size(); i < kPeriod; ++i) {
    std::vector<uint64_t> contributions;
    for (int rank = 0; rank < numRanks; ++rank)
      contributions.push_back(inputColumn(type, op, rank)[i]);
    column.push_back(reduceBits(type, op, contributions));
  }
  return column;
}

struct RankBuffers::State {
  State(const Case &c, int numRanks, int rank);

  Case c;
  int n, rank;
  bool gathers, scatters, reduces;
  size_t sendCount, recvCount;
  std::unique_ptr<Buffer> sendBuffer, recvBuffer;
  unsigned char *send, *recv;

  uint64_t input(int ofRank, size_t index) const {
    return columns[ofRank][index % kPeriod];
  }
  std::vector<std::vector<uint64_t>> columns; ///< of each rank, one period
};

RankBuffers::State::State(const Case &c, int numRanks, int rank)
    : c(c), n(numRanks), rank(rank) {
  gathers = c.collective == Collective::allgather ||
            c.collective == Collective::gather ||
            c.collective == Collective::alltoall;
  scatters = c.collective == Collective::reducescatter ||
             c.collective == Collective::scatter ||
             c.collective == Collective::alltoall;
  reduces = c.collective == Collective::allreduce ||
            c.collective == Collective::reduce ||
            c.collective == Collective::reducescatter;
  sendCount = c.count * (scatters ? n : 1);
  recvCount = c.count * (gathers ? n : 1);
  sendBuffer =
      std::make_unique<Buffer>(c.type, c.inPlace ? 0 : sendCount, c.misaligned);
  recvBuffer = std::make_unique<Buffer>(
      c.type, c.inPlace ? std::max(sendCount, recvCount) : recvCount,
      c.misaligned);
  send = sendBuffer->data();
  recv = recvBuffer->data();
  // In place: the smaller buffer is this rank's part of the larger one.
  const size_t part = size_t(rank) * c.count * size_t(bytesOf(c.type));
  if (c.inPlace)
    send = recv + (gathers ? part : 0);
  if (c.inPlace && scatters)
    recv = recv + part;
  for (int r = 0; r < n; ++r)
    columns.push_back(inputColumn(c.type, c.op, r));
  for (size_t i = 0; i < sendCount; ++i)
    storeBits(c.type, send, i, input(rank, i));
  sendBuffer->upload();
  recvBuffer->upload();
}

RankBuffers::RankBuffers(const Case &c, int numRanks, int rank)
    : state_(std::make_unique<State>(c, numRanks, rank)) {}
RankBuffers::RankBuffers(RankBuffers &&) noexcept = default;
RankBuffers::~RankBuffers() = default;
const void *RankBuffers::send() const {
  return (state_->c.inPlace ? state_->recvBuffer : state_->sendBuffer)
      ->twin(state_->send);
}
void *RankBuffers::recv() const {
  return state_->recvBuffer->twin(state_->recv);
}

std::string RankBuffers::check() {
  const State &s = *state_;
  s.sendBuffer->download();
  s.recvBuffer->download();
  const Case &c = s.c;
  const bool receives = (c.collective != Collective::reduce &&
                         c.collective != Collective::gather) ||
                        s.rank == c.root;
  std::vector<uint64_t> reduced;
  if (s.reduces)
    reduced = reducedColumn(c.type, c.op, s.n);
  size_t wrong = 0, firstWrong = 0;
  for (size_t i = 0; receives && i < s.recvCount; ++i) {
    // Where the element comes from, and which it is there.
    const int source = s.gathers ? int(i / c.count) : c.root;
    const size_t index = (s.gathers ? i % c.count : i) +
                         (s.scatters ? size_t(s.rank) * c.count : 0);
    const uint64_t expected =
        s.reduces ? reduced[index % kPeriod] : s.input(source, index);
    if (loadBits(c.type, s.recv, i) != expected && wrong++ == 0)
      firstWrong = i;
  }
  const std::string place = c.describe() + ", rank " + std::to_string(s.rank);
  if (wrong != 0)
    return place + ": " + std::to_string(wrong) + " wrong, first at " +
           std::to_string(firstWrong);
  if (!s.sendBuffer->marginsIntact() || !s.recvBuffer->marginsIntact())
    return place + ": wrote beside a buffer";
  for (size_t i = 0; !c.inPlace && i < s.sendCount; ++i)
    if (loadBits(c.type, s.send, i) != s.input(s.rank, i))
      return place + ": the input changed";
  return "";
}

std::string runCase(const Job &job, const Case &c) {
  std::vector<RankBuffers> buffers;
  for (int rank = 0; rank < job.size(); ++rank) {
    useDeviceOf(rank);
    buffers.emplace_back(c, job.size(), rank);
  }
  std::vector<blinkResult_t> results;
  auto body = [&](int rank) {
    return call(c, buffers[rank].send(), buffers[rank].recv(), job[rank],
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
  for (RankBuffers &one : buffers) {
    std::string wrong = one.check();
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

} // namespace blink::test
