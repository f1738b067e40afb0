//===- ChainTest.cpp - many calls, each on the result of the last ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Matrix.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include "runtime/cuda/DeviceMemory.h"
#endif

#include <atomic>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// One rank's integers, in the memory that the back end needs.
class Integers {
public:
  Integers(int rank, const std::vector<uint32_t> &values)
      : rank_(rank), values_(values), data_(values_.data()) {
#if BLINK_TEST_CUDA
    useDeviceOf(rank_);
    void *memory = nullptr;
    REQUIRE(cudaMalloc(&memory, bytes()) == cudaSuccess);
    data_ = memory;
    REQUIRE(runtime::copyToDevice(data_, values_.data(), bytes()) ==
            cudaSuccess);
#endif
  }
  ~Integers() {
#if BLINK_TEST_CUDA
    cudaFree(data_);
#endif
  }
  Integers(const Integers &) = delete;

  void *data() { return data_; }
  /// Returns the values. No call may be under way.
  const std::vector<uint32_t> &values() {
#if BLINK_TEST_CUDA
    useDeviceOf(rank_);
    if (cudaMemcpy(values_.data(), data_, bytes(), cudaMemcpyDeviceToHost) !=
        cudaSuccess)
      values_.clear();
#endif
    return values_;
  }

private:
  size_t bytes() const { return values_.size() * sizeof(uint32_t); }

  [[maybe_unused]] int rank_;
  std::vector<uint32_t> values_;
  void *data_;
};

/// An allreduce from A to B, then a broadcast from B to A, and so on. The
/// number of ranks is odd, so multiplying by it loses nothing modulo 2^32: an
/// error in one call remains visible to the end.
class Chain {
public:
  static constexpr int kRanks = 3, kRoot = 1;

  explicit Chain(size_t count) : count_(count) {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      std::vector<uint32_t> values;
      for (uint32_t i = 0; i < count; ++i)
        values.push_back(rank + 3 * i + 1);
      a_.push_back(std::make_unique<Integers>(int(rank), values));
      values.assign(count, 0);
      b_.push_back(std::make_unique<Integers>(int(rank), values));
    }
  }

  /// Makes call number `number` of one rank.
  blinkResult_t call(int number, int rank, const Job &job,
                     blinkStream_t stream) {
    void *a = a_[size_t(rank)]->data(), *b = b_[size_t(rank)]->data();
    return number % 2 == 0 ? blinkAllReduce(a, b, count_, blinkUint32, blinkSum,
                                            job[rank], stream)
                           : blinkBroadcast(b, a, count_, blinkUint32, kRoot,
                                            job[rank], stream);
  }
  /// Makes the calls of all ranks in one group.
  blinkResult_t callAll(int number, const Job &job, const Job &streams) {
    blinkGroupStart();
    for (int rank = 0; rank < kRanks; ++rank)
      call(number, rank, job, streams.stream(rank));
    return blinkGroupEnd();
  }

  /// Whether a rank's buffers hold the expected values after `calls` calls, an
  /// even number.
  bool isRightAt(int rank, int calls) {
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count_; ++i) {
      uint32_t value = kRanks * (3 * i + 1) + kRanks * (kRanks - 1) / 2;
      for (int k = 2; k < calls; k += 2)
        value *= kRanks;
      expected.push_back(value);
    }
    return a_[size_t(rank)]->values() == expected &&
           b_[size_t(rank)]->values() == expected;
  }
  bool isRight(int calls) {
    bool right = true;
    for (int rank = 0; rank < kRanks; ++rank)
      right = right && isRightAt(rank, calls);
    return right;
  }

private:
  size_t count_;
  std::vector<std::unique_ptr<Integers>> a_, b_;
};

/// Waits for all streams; returns the first error, or blinkSuccess.
blinkResult_t wait(const Job &job) {
  for (blinkResult_t result : job.onThreads([](int) { return blinkSuccess; }))
    if (result != blinkSuccess)
      return result;
  return blinkSuccess;
}

/// Returns a schedule with one lane and one slot, where every fold has to wait
/// for others.
TestSchedule narrow() {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.lanes = 1;
  layout.slots = 1;
  layout.chunkBytes = 64;
  return allCollectives(Chain::kRanks, Chain::kRoot, layout);
}

TestSchedule wide() {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 3;
  layout.lanes = 3;
  layout.chunkBytes = 256;
  return allCollectives(Chain::kRanks, Chain::kRoot, layout);
}

/// Reduces the number of calls to a tenth where calls are slow, unless the
/// whole suite is asked for. An emulated kernel starts threads, which takes
/// long; and so do the system calls for sockets.
int fewer(int calls) {
  const bool slow = kOnCuda || kSlow || isRemote();
  return slow && !isWhole() ? calls / 10 : calls;
}

} // namespace

TEST_CASE("ten thousand calls back to back") {
  const int calls = fewer(10000);
  Job job(narrow(), Chain::kRanks);
  Chain chain(33);
  for (int k = 0; k < calls; ++k) {
    REQUIRE(chain.callAll(k, job, job) == blinkSuccess);
    if ((k + 1) % 1000 != 0)
      continue;
    REQUIRE(wait(job) == blinkSuccess);
    REQUIRE(chain.isRight(k + 1));
  }
  REQUIRE(wait(job) == blinkSuccess);
  CHECK(chain.isRight(calls));
}

#if !BLINK_TEST_CUDA // ranks that share a GPU must call in one group
TEST_CASE("ten thousand calls back to back, a thread a rank") {
  const int calls = fewer(10000);
  Job job(narrow(), Chain::kRanks);
  Chain chain(33);
  std::atomic<int> wrong{0};
  for (blinkResult_t result : job.onThreads([&](int rank) {
         blinkResult_t result = blinkSuccess;
         for (int k = 0; k < calls && result == blinkSuccess; ++k) {
           result = chain.call(k, rank, job, nullptr);
           if ((k + 1) % 1000 == 0)
             wrong += !chain.isRightAt(rank, k + 1);
         }
         return result;
       }))
    CHECK(result == blinkSuccess);
  CHECK(wrong == 0);
}

TEST_CASE("two communicators take turns in a thread a rank") {
  const int calls = fewer(1000);
  Job x(narrow(), Chain::kRanks), y(wide(), Chain::kRanks);
  Chain onX(100), onY(1000), across(17);
  for (blinkResult_t result : x.onThreads([&](int rank) {
         blinkResult_t result = blinkSuccess;
         for (int k = 0; k < calls && result == blinkSuccess; ++k) {
           result = onX.call(k, rank, x, nullptr);
           if (result == blinkSuccess)
             result = across.call(k, rank, k % 2 ? x : y, nullptr);
           if (result == blinkSuccess)
             result = onY.call(k, rank, y, nullptr);
         }
         return result;
       }))
    CHECK(result == blinkSuccess);
  CHECK(onX.isRight(calls));
  CHECK(across.isRight(calls));
  CHECK(onY.isRight(calls));
}
#endif

TEST_CASE("two communicators take turns, and share a group") {
  const int calls = fewer(1000);
  Job x(narrow(), Chain::kRanks), y(wide(), Chain::kRanks);
  Chain onX(100), onY(1000), across(17);
  for (int k = 0; k < calls; ++k) {
    blinkGroupStart(); // nested groups act as one group
    onX.callAll(k, x, x);
    onY.callAll(k, y, y);
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    // The two communicators take turns, each on the other's result, in one
    // stream.
    REQUIRE(across.callAll(k, k % 2 ? x : y, x) == blinkSuccess);
  }
  REQUIRE(wait(x) == blinkSuccess);
  REQUIRE(wait(y) == blinkSuccess);
  CHECK(onX.isRight(calls));
  CHECK(onY.isRight(calls));
  CHECK(across.isRight(calls));
}

TEST_CASE("two communicators in two threads at once") {
  const int calls = fewer(1000);
  Job x(narrow(), Chain::kRanks), y(wide(), Chain::kRanks);
  Chain onX(100), onY(1000);
  std::atomic<int> failed{0};
  auto run = [&](Chain &chain, const Job &job) {
    for (int k = 0; k < calls; ++k)
      failed += chain.callAll(k, job, job) != blinkSuccess;
  };
  std::thread other([&] { run(onX, x); });
  run(onY, y);
  other.join();
  CHECK(failed == 0);
  REQUIRE(wait(x) == blinkSuccess);
  REQUIRE(wait(y) == blinkSuccess);
  CHECK(onX.isRight(calls));
  CHECK(onY.isRight(calls));
}
