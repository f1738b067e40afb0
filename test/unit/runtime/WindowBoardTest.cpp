//===- WindowBoardTest.cpp - windows come and go at any time --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/WindowBoard.h"

#include "runtime/core/Memory.h"

#include "TestJob.h"

#include "doctest/doctest.h"

#include <set>

using namespace blink::runtime;

namespace {

template <typename Happened> bool soon(const Happened &happened) {
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (!happened())
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::yield();
  return true;
}

uint64_t seen(const TestJob &job, int reader, int owner) {
  return loadAcquire(&job.board.seen(reader, owner));
}

/// A rank whose windows all others use.
struct Member {
  Member(TestJob &job, int self) {
    std::vector<int> others;
    for (int rank = 0; rank < job.numRanks(); ++rank)
      if (rank != self)
        others.push_back(rank);
    board.begin(job, job.board, self, others, others,
                {[this](int owner, uint32_t number) {
                   for (isOpening = true; blocked;)
                     std::this_thread::yield();
                   return !refuses && open.insert({owner, number}).second;
                 },
                 [this](int owner, uint32_t number) {
                   wrong += open.erase({owner, number}) != 1;
                 }});
  }
  ~Member() {
    board.end();
    CHECK(open.empty());
    CHECK(wrong == 0);
  }
  bool opens(uint32_t number) {
    return soon([&] { return board.isOpen(number); });
  }

  std::atomic<bool> blocked{false}, refuses{false}, isOpening{false};
  std::set<std::pair<int, uint32_t>> open; ///< belongs to the board's thread
  int wrong = 0;
  WindowBoard board; ///< destroyed first
};

} // namespace

TEST_CASE("a window is open when all have looked, and free when it is gone") {
  TestJob job(3, kLong);
  Member a(job, 0), b(job, 1), c(job, 2);
  REQUIRE(a.board.freeNumber() == 0);
  a.board.offer(0);
  CHECK(a.board.freeNumber() == 1);
  b.board.look();
  CHECK(soon([&] { return seen(job, 1, 0) == 2; }));
  CHECK_FALSE(a.board.isOpen(0)); // rank 2 has not opened it
  c.board.look();
  CHECK(a.opens(0));
  CHECK(a.board.withdraw(0).ok());
  CHECK(a.board.freeNumber() == 0);
  a.board.offer(0); // reuses the number
  CHECK(a.opens(0));
}

TEST_CASE("who never looks is not waited for") {
  TestJob job(2, kShort);
  Member a(job, 0), b(job, 1);
  a.board.offer(0);
  a.board.look(); // looks for others' windows
  CHECK_FALSE(a.board.isOpen(0));
  CHECK(a.board.withdraw(0).ok());
}

TEST_CASE("what one cannot open nobody uses, and others are as before") {
  TestJob job(3, kLong);
  Member a(job, 0), b(job, 1), c(job, 2);
  c.refuses = true;
  a.board.offer(0);
  b.board.look();
  c.board.look();
  for (int reader : {1, 2})
    CHECK(soon([&] { return seen(job, reader, 0) == 2; }));
  CHECK_FALSE(a.board.isOpen(0));
  c.refuses = false;
  a.board.offer(1);
  CHECK(a.opens(1));
  CHECK_FALSE(a.board.isOpen(0));
  CHECK(a.board.withdraw(0).ok());
  a.board.offer(0); // a later use is not refused
  CHECK(a.opens(0));
}

TEST_CASE("who does not let go in time is named, and may later") {
  TestJob job(2, kShort);
  Member a(job, 0), b(job, 1);
  b.blocked = true;
  a.board.offer(0);
  b.board.look();
  CHECK(soon([&] { return bool(b.isOpening); }));
  const Status status = a.board.withdraw(0);
  CHECK(status.code == blinkRemoteError);
  CHECK(status.text == "rank 1 has not let go of the buffer in 50 ms: keep the "
                       "memory, and deregister it again");
  CHECK(a.board.freeNumber() == 1); // number 0 is not free yet
  b.blocked = false;
  CHECK(soon([&] { return a.board.withdraw(0).ok(); }));
  CHECK(a.board.freeNumber() == 0);
}

TEST_CASE("who has left is not waited for, and what it had is closed") {
  TestJob job(2, kShort);
  Member a(job, 0);
  {
    Member b(job, 1);
    a.board.offer(0);
    b.board.look();
    CHECK(a.opens(0));
    b.board.offer(0);
    a.board.look();
    CHECK(b.opens(0));
  }
  CHECK(a.board.withdraw(0).ok());
  CHECK(soon([&] { return seen(job, 0, 1) == 3; }));
}

TEST_CASE("numbers come to an end") {
  TestJob job(2, kLong);
  Member a(job, 0), b(job, 1);
  for (uint32_t number = 0; number < kMaxWindows; ++number) {
    REQUIRE(a.board.freeNumber() == number);
    a.board.offer(number);
  }
  CHECK(a.board.freeNumber() == kMaxWindows);
  CHECK(a.board.withdraw(5).ok());
  CHECK(a.board.freeNumber() == 5);
}

TEST_CASE("ranks offer and withdraw at any time") {
  constexpr int kRanks = 4, kTimes = 300;
  TestJob job(kRanks, kLong);
  std::deque<Member> members;
  for (int rank = 0; rank < kRanks; ++rank)
    members.emplace_back(job, rank);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (Member &member : members)
    threads.emplace_back([&] {
      std::deque<uint32_t> offered;
      for (int i = 0; i < kTimes; ++i) {
        const uint32_t number = member.board.freeNumber();
        member.board.offer(number);
        offered.push_back(number);
        member.board.look();
        if (i == kTimes - 1) // all others still make calls
          wrong += !soon([&] {
            for (Member &other : members)
              other.board.look();
            return member.board.isOpen(number);
          });
        if (offered.size() < 5)
          continue;
        wrong += !member.board.withdraw(offered.front()).ok();
        offered.pop_front();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}
