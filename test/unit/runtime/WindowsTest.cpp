//===- WindowsTest.cpp - shared memory and its windows --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Windows.h"
#include "runtime/job/SharedBlocks.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <unistd.h>

using namespace blink::runtime;

namespace {

/// A block, freed at the end.
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

void add(Windows &windows, uint32_t number, const void *buffer, uint64_t bytes,
         WindowRecord &record) {
  windows.offer(buffer, bytes, record);
  windows.take(number);
}

uint64_t at(const void *memory) { return reinterpret_cast<uint64_t>(memory); }

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
  // Neither begins nor ends on a page.
  const uint64_t begin = kPage + 100, bytes = kPage + 7;
  const uint64_t address = at(block.begin) + begin;
  Windows owner, reader;
  WindowRecord record;
  add(owner, 0, block.begin + begin, bytes, record);
  CHECK(record.bytes == bytes);
  REQUIRE(reader.map(0, 5, uint64_t(getpid()), record));
  CHECK_FALSE(reader.any());
  CHECK(reader.find(5, address, 1) == nullptr); // not open yet
  reader.open(0);
  owner.open(0);
  CHECK(reader.any());

  const char *here = reader.find(5, address, bytes);
  REQUIRE(here);
  CHECK(here != block.begin + begin);
  CHECK(std::equal(here, here + bytes, block.begin + begin));
  block.begin[begin + 50] = 99; // the same pages, no copy
  CHECK(here[50] == 99);
  CHECK(reader.find(5, address + 50, bytes - 50) == here + 50);
  CHECK(reader.find(5, address + bytes - 1, 1) == here + bytes - 1);

  CHECK(reader.find(4, address, 1) == nullptr); // of another rank
  CHECK(reader.find(5, address - 1, 1) == nullptr);
  CHECK(reader.find(5, address - 1, 2) == nullptr);
  CHECK(reader.find(5, address + bytes, 1) == nullptr);
  CHECK(reader.find(5, address + 1, bytes) == nullptr);
  CHECK(reader.find(5, address, ~uint64_t(0)) == nullptr);

  CHECK(owner.cover(block.begin + begin, bytes));
  CHECK(owner.cover(block.begin + begin + bytes - 1, 1));
  CHECK(owner.cover(nullptr, 0));
  CHECK_FALSE(owner.cover(block.begin + begin - 1, 2));
  CHECK_FALSE(owner.cover(block.begin + begin + 1, bytes));

  reader.drop(0);
  CHECK_FALSE(reader.any());
  CHECK(reader.find(5, address, 1) == nullptr);
  CHECK(freeBlock(block.begin).code == blinkInvalidUsage); // the owner's
  owner.drop(0);
  CHECK_FALSE(owner.cover(block.begin + begin, bytes));
}

TEST_CASE("a window ends with its communicator") {
  TestBlock block(10);
  WindowRecord record;
  {
    Windows windows;
    add(windows, 3, block.begin, 10, record);
  }
  {
    Windows windows;
    windows.offer(block.begin, 10, record); // and it never got a number
  }
} // the block can be freed

TEST_CASE("memory of another kind takes a number and is no window") {
  char memory[64] = {};
  Windows owner, reader;
  WindowRecord record;
  add(owner, 0, memory, sizeof(memory), record);
  owner.open(0);
  CHECK(record.bytes == 0);
  CHECK(owner.used() == 1);
  CHECK_FALSE(owner.cover(memory, sizeof(memory)));
  CHECK(reader.map(0, 1, uint64_t(getpid()), record)); // nothing to do
  reader.open(0);
  CHECK(reader.find(1, at(memory), 1) == nullptr);
}

TEST_CASE("a file that is not the one meant is not mapped") {
  TestBlock block(kPage), other(kPage);
  Windows owner, reader;
  WindowRecord record, otherRecord;
  add(owner, 0, block.begin, kPage, record);
  add(owner, 1, other.begin, kPage, otherRecord);
  WindowRecord wrong = record;
  wrong.file = otherRecord.file; // the number was used again
  CHECK_FALSE(reader.map(0, 1, uint64_t(getpid()), wrong));
  wrong.file = 1 << 20;
  CHECK_FALSE(reader.map(0, 1, uint64_t(getpid()), wrong));
  CHECK_FALSE(reader.map(0, 1, 0, record)); // no such process
  CHECK(reader.map(0, 1, uint64_t(getpid()), record));
}

TEST_CASE("numbers are taken and dropped") {
  Windows windows;
  WindowRecord record;
  char memory = 0;
  for (uint32_t number = 0; number < kMaxWindows; ++number) {
    CHECK(windows.used() == (1u << number) - 1);
    CHECK_FALSE(windows.isUsed(number));
    add(windows, number, &memory, 1, record);
    CHECK(windows.isUsed(number));
  }
  windows.offer(&memory, 1, record);
  CHECK(windows.used() == (1u << kMaxWindows) - 1);
  CHECK_FALSE(windows.isUsed(Windows::kOffered));
  CHECK_FALSE(windows.isUsed(~uint64_t(0)));
  windows.drop(Windows::kOffered);
  windows.drop(5);
  CHECK(windows.used() == (1u << kMaxWindows) - 1 - (1u << 5));
}
