//===- SealTest.cpp - checksum, sealing, blocks ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("hash64 is XXH3 with 64 bits, as others compute it") {
  CHECK(sched::hash64("", 0) == 0x2d06800538d394c2ull);
  CHECK(sched::hash64("a", 1) == 0xe6c632b61e964e1full);
  CHECK(sched::hash64("foobar", 6) == 0xd78fda63144c5c84ull);
  const std::string many(1000, 'x');
  CHECK(sched::hash64(many.data(), many.size()) == 0xc0a4877b962cba82ull);
  CHECK(sched::hash64("bar", 3, 7) == 0xa23133f6b7925758ull);
}

TEST_CASE("blocks follow the convention of nccl-tests") {
  CHECK(sched::inputBlocks(Collective::reducescatter, 5) == 5);
  CHECK(sched::outputBlocks(Collective::reducescatter, 5) == 1);
  CHECK(sched::inputBlocks(Collective::allgather, 5) == 1);
  CHECK(sched::outputBlocks(Collective::allgather, 5) == 5);
  for (Collective c :
       {Collective::allreduce, Collective::broadcast, Collective::reduce}) {
    CHECK(sched::inputBlocks(c, 5) == 1);
    CHECK(sched::outputBlocks(c, 5) == 1);
  }
}

TEST_CASE("right schedules open, and are the same bytes each time") {
  for (Collective collective : sched::EnumValuesCollective())
    for (int ranks : {1, 2, 3, 8})
      for (Shape shape : {Shape::chain, Shape::star, Shape::binary,
                          Shape::random, Shape::oneHop})
        for (int trees : {1, 3}) {
          BuildOptions options;
          options.shape = shape;
          options.treesPerBlock = trees;
          options.lanes = trees + 1;
          TestSchedule model =
              makeSchedule(collective, ranks / 2, ranks, options);
          std::vector<uint8_t> bytes = seal(model);
          CHECK(bytes == seal(model));
          CHECK(bytes.size() % 8 == 0);
          std::string error;
          const sched::Schedule *file =
              sched::openSchedule(bytes.data(), bytes.size(), error);
          CAPTURE(error);
          REQUIRE(file);
          const sched::Program &program = *file->programs()->Get(0);
          CHECK(program.collective() == collective);
          CHECK(program.allocation()->size() == uint32_t(ranks));
        }
}

TEST_CASE("bytes at an odd address are refused, not read") {
  std::vector<uint8_t> bytes = seal(makeSchedule(Collective::reduce, 0, 2, {}));
  std::vector<uint8_t> shifted(bytes.size() + 4);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 4);
  std::string error;
  CHECK(!sched::openSchedule(shifted.data() + 4, bytes.size(), error));
  CHECK(error.find("aligned") != std::string::npos);
}
