//===- PiecesTest.cpp - large folds by several threads --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Pieces.h"

#include "doctest/doctest.h"

#include <thread>
#include <vector>

using namespace blink::runtime;

TEST_CASE("pieces are all of the work, once, and begin at lines") {
  for (uint64_t bytes : {0ull, 1ull, 63ull, 262143ull, 524287ull, 524288ull,
                         786500ull, (64ull << 20) + 3, 300ull << 30}) {
    CAPTURE(bytes);
    Pieces pieces;
    uint64_t end = 0;
    CHECK(pieces.run(bytes, [&](uint64_t from, uint64_t to) {
      CHECK(from == end); // a single thread takes them in order
      CHECK(from % 64 == 0);
      end = to;
      return 0;
    }) == 0);
    CHECK(end == bytes);
    CHECK(!pieces.help());
  }
}

TEST_CASE("an error of any piece is the whole's") {
  Pieces pieces;
  CHECK(pieces.run(1 << 20, [](uint64_t from, uint64_t) {
    return from == 0 ? 0 : 14;
  }) == 14);
  CHECK(pieces.run(1 << 20, [](uint64_t, uint64_t) { return 0; }) == 0);
}

TEST_CASE("threads that help see the work, and their work is seen") {
  Pieces pieces;
  std::atomic<bool> over{false};
  std::atomic<uint64_t> helped{0};
  std::vector<std::thread> helpers;
  for (int i = 0; i < 3; ++i)
    helpers.emplace_back([&] {
      while (!over.load(std::memory_order_relaxed))
        if (pieces.help())
          helped.fetch_add(1, std::memory_order_relaxed);
        else
          std::this_thread::yield();
    });
  // Plain memory on both sides, so that ThreadSanitizer can check it.
  std::vector<uint32_t> from(1 << 18), to(1 << 18);
  uint64_t wrong = 0;
  uint32_t round = 0;
  for (; round < 200 || (helped.load() == 0 && round < 100000); ++round) {
    for (size_t i = 0; i < from.size(); i += 4096)
      from[i] = uint32_t(i) + round;
    pieces.run(from.size() * sizeof(uint32_t),
               [&](uint64_t begin, uint64_t end) {
                 for (uint64_t i = begin / sizeof(uint32_t);
                      i < end / sizeof(uint32_t); i += 4096)
                   to[i] = from[i] + 1;
                 return 0;
               });
    for (size_t i = 0; i < from.size(); i += 4096)
      wrong += to[i] != uint32_t(i) + round + 1;
  }
  over.store(true, std::memory_order_relaxed);
  for (std::thread &helper : helpers)
    helper.join();
  CHECK(wrong == 0);
  CHECK(helped.load() > 0);
}
