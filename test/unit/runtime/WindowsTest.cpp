//===- WindowsTest.cpp - shared memory and its windows --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Windows.h"
#include "runtime/core/Memory.h"
#include "runtime/job/SharedBlocks.h"

#include "TestJob.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <unistd.h>

using namespace blink::runtime;

namespace {

/// A block of memory, freed at the end.
class TestBlock {
public:
  explicit TestBlock(size_t bytes) {
    void *memory = nullptr;
    REQUIRE(allocateBlock(bytes, memory).ok());
    begin = static_cast<char *>(memory);
  }
  ~TestBlock() { CHECK(freeBlock(begin).ok()); }
  char *begin = nullptr;
};

const uint64_t kPage = uint64_t(sysconf(_SC_PAGESIZE));

uint64_t at(const void *memory) { return reinterpret_cast<uint64_t>(memory); }

/// Two ranks of one process, with a ring from each to the other.
struct Pair {
  explicit Pair(std::chrono::milliseconds timeout = kLong) : job(2, timeout) {
    plan.numRanks = 2;
    plan.rings.resize(2);
    plan.rings[0].destination = plan.rings[1].source = 1;
    for (int rank : {0, 1}) {
      storeRelease(&job.peer(rank).process, uint64_t(getpid()));
      windows[rank].begin(job, job.board, records.data(), plan, rank,
                          [&, rank] { ++quiet[rank]; });
    }
  }
  /// Whether the rank's calls may use the range, after the other rank has had
  /// time to open it.
  bool covers(int rank, const char *begin, uint64_t bytes) {
    windows[1 - rank].look();
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (!windows[rank].covers(begin, bytes, shift))
      if (std::chrono::steady_clock::now() > end)
        return false;
    return true;
  }
  /// Returns where the other rank has the place mapped; call covers() first.
  const char *there(int rank, const char *place) {
    return windows[1 - rank].at(rank, at(place) + shift);
  }

  TestJob job;
  Plan plan;
  std::vector<WindowRecord> records{2 * kMaxWindows};
  int quiet[2] = {};
  uint64_t shift = 0;
  Windows windows[2];
};

} // namespace

TEST_CASE("a block is zero, writable to its end and starts on a page") {
  for (size_t bytes : {size_t(1), size_t(kPage), size_t(3 * kPage + 5)}) {
    TestBlock block(bytes);
    CHECK(at(block.begin) % kPage == 0);
    CHECK(std::all_of(block.begin, block.begin + bytes,
                      [](char c) { return c == 0; }));
    std::fill_n(block.begin, bytes, char(7));
  }
}

TEST_CASE("memory that is not there is refused, not found missing later") {
  void *memory = &memory;
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t(1) << 60}) {
    Status status = allocateBlock(bytes, memory);
    CHECK(status.code == blinkSystemError);
    CHECK(status.text.find("cannot allocate " + std::to_string(bytes)) == 0);
    CHECK(memory == nullptr);
  }
}

TEST_CASE("only a block's begin can be freed, once and while it is not used") {
  void *memory = nullptr;
  REQUIRE(allocateBlock(100, memory).ok());
  char *begin = static_cast<char *>(memory);
  CHECK(freeBlock(begin + 1).code == blinkInvalidArgument);
  CHECK(freeBlock(&memory).code == blinkInvalidArgument);
  SharedPlace place;
  REQUIRE(useBlock(begin + 10, 20, place));
  REQUIRE(useBlock(begin + 15, 1, place));
  CHECK(freeBlock(begin).code == blinkInvalidUsage);
  releaseBlock(begin + 10);
  CHECK(freeBlock(begin).code == blinkInvalidUsage);
  releaseBlock(begin + 15);
  CHECK(freeBlock(begin).ok());
  CHECK(freeBlock(begin).code == blinkInvalidArgument);
}

TEST_CASE("what is used lies in one block") {
  TestBlock low(kPage), high(kPage);
  SharedPlace place;
  for (TestBlock *block : {&low, &high}) {
    REQUIRE(useBlock(block->begin + 8, kPage - 8, place));
    CHECK(place.offset == 8);
    releaseBlock(block->begin + 8);
    CHECK_FALSE(useBlock(block->begin + 8, kPage - 7, place));
    CHECK_FALSE(useBlock(block->begin + 8, ~uint64_t(0), place));
  }
  char elsewhere = 0;
  CHECK_FALSE(useBlock(&elsewhere, 1, place));
}

TEST_CASE("a window shows another's bytes, and no others") {
  TestBlock block(3 * kPage);
  for (uint64_t i = 0; i < 3 * kPage; ++i)
    block.begin[i] = char(i % 251);
  // The range neither begins nor ends at a page border.
  char *const begin = block.begin + kPage + 100;
  const uint64_t bytes = kPage + 7;
  Pair pair;
  Windows &owner = pair.windows[0];
  CHECK_FALSE(owner.any());
  uintptr_t handle = 0;
  REQUIRE(owner.add(begin, bytes, handle).ok());
  CHECK(owner.any());
  CHECK(owner.bytes() == bytes);
  uint64_t shift = 1;
  CHECK_FALSE(owner.covers(begin, bytes, shift)); // not open yet
  CHECK(shift == 0);
  REQUIRE(pair.covers(0, begin, bytes));

  const char *here = pair.there(0, begin);
  CHECK(here != begin);
  CHECK(std::equal(here, here + bytes, begin));
  begin[50] = 99; // these are the same pages, not a copy
  CHECK(here[50] == 99);
  CHECK(pair.there(0, begin + bytes - 1) == here + bytes - 1);

  CHECK(owner.covers(begin + bytes - 1, 1, shift));
  CHECK(owner.covers(nullptr, 0, shift));
  CHECK_FALSE(owner.covers(begin - 1, 2, shift));
  CHECK_FALSE(owner.covers(begin + 1, bytes, shift));

  CHECK(freeBlock(block.begin).code == blinkInvalidUsage);
  CHECK(owner.remove(handle).ok());
  CHECK(owner.remove(handle).code == blinkInvalidArgument);
  CHECK_FALSE(owner.any());
  CHECK_FALSE(owner.covers(begin, bytes, shift));
  CHECK(pair.quiet[1] == 0);
}

TEST_CASE("windows within windows are found, and numbers used again") {
  TestBlock block(2 * kPage);
  Pair pair;
  Windows &owner = pair.windows[1];
  uintptr_t outer = 0, inner = 0, again = 0;
  REQUIRE(owner.add(block.begin, 2 * kPage, outer).ok());
  REQUIRE(owner.add(block.begin + 100, 10, inner).ok());
  REQUIRE(pair.covers(1, block.begin + 105, 10)); // beyond the inner one
  CHECK(WindowPlace::numberOf(at(block.begin) + pair.shift) == 0);
  REQUIRE(pair.covers(1, block.begin + 105, 5));
  CHECK(WindowPlace::numberOf(at(block.begin + 105) + pair.shift) == 1);
  CHECK(WindowPlace::offsetOf(at(block.begin + 105) + pair.shift) == 5);
  CHECK(owner.remove(outer).ok());
  REQUIRE(owner.add(block.begin + kPage, 10, again).ok());
  REQUIRE(pair.covers(1, block.begin + kPage, 10));
  CHECK(WindowPlace::numberOf(at(block.begin + kPage) + pair.shift) == 0);
  block.begin[kPage + 3] = 5;
  CHECK(*pair.there(1, block.begin + kPage + 3) == 5);
}

TEST_CASE("a window ends with its communicator") {
  TestBlock block(10);
  uintptr_t handle = 0;
  Pair pair;
  CHECK(pair.windows[0].add(block.begin, 10, handle).ok());
  pair.windows[0].end();
} // now the block can be freed

TEST_CASE("memory of another kind has a handle and is no window") {
  char memory[64] = {};
  Pair pair;
  uintptr_t handle = 0;
  REQUIRE(pair.windows[0].add(memory, sizeof(memory), handle).ok());
  CHECK(handle != 0);
  CHECK_FALSE(pair.windows[0].any());
  CHECK(pair.windows[0].bytes() == 0);
  CHECK(pair.windows[0].remove(handle).ok());
}

TEST_CASE("a file that is not the one meant is not mapped") {
  TestBlock block(kPage), other(kPage);
  uintptr_t handle = 0;
  Pair pair;
  REQUIRE(pair.windows[0].add(block.begin, kPage, handle).ok());
  REQUIRE(pair.windows[0].add(other.begin, kPage, handle).ok());
  uint64_t &file = pair.records[0].file;
  SUBCASE("the number was used again") { file = pair.records[1].file; }
  SUBCASE("there is none") { file = 1 << 20; }
  REQUIRE(pair.covers(0, other.begin, kPage)); // it has seen the first, too
  uint64_t shift = 0;
  CHECK_FALSE(pair.windows[0].covers(block.begin, kPage, shift));
}

TEST_CASE("after a failure windows are closed when no lane is at work") {
  TestBlock block(10);
  uintptr_t handle = 0;
  Pair pair;
  REQUIRE(pair.windows[0].add(block.begin, 10, handle).ok());
  REQUIRE(pair.covers(0, block.begin, 10));
  pair.job.fail({blinkRemoteError, "a test"});
  CHECK(pair.windows[0].remove(handle).ok());
  CHECK(pair.quiet[1] == 1);
}
