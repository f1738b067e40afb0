//===- SymmetricTest.cpp - schedules in symmetric form --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/SymmetricForm.h"

#include "test/common/SymmetricSchedules.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("every element is right where ranks are alike") {
  for (Collective collective :
       {Collective::allreduce, Collective::allgather, Collective::reducescatter,
        Collective::alltoall})
    for (int ranks : {2, 5, 6}) {
      const std::vector<uint8_t> full =
          seal(makeSymmetricSchedule(collective, ranks, 2, 2, 7));
      std::string error;
      const sched::Schedule *file =
          sched::openSchedule(full.data(), full.size(), error);
      REQUIRE_MESSAGE(file, error);
      const auto form = sched::symmetricFile(
          *file, {{shiftBy(ranks, ranks == 6 ? 2 : 1, ranks == 6 ? 3 : ranks)}},
          error);
      REQUIRE_MESSAGE(form, error);
      REQUIRE(sched::isSymmetric(form->bytes.data(), form->bytes.size()));
      Job job(form->bytes, ranks, 0, nullptr);
      for (size_t count : {1, 17, 1025, 40000}) {
        Case c;
        c.collective = collective;
        c.count = count;
        const std::string wrong = runCase(job, c);
        if (!wrong.empty())
          FAIL_CHECK(ranks << " ranks: " << wrong);
      }
    }
}
