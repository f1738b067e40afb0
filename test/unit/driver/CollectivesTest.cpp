//===- CollectivesTest.cpp - the dialect's collectives are the file's -----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect knows no file format, so it says by itself what collectives are.
//
//===----------------------------------------------------------------------===//

#include "schedules/Collectives.h"
#include "compiler/target/EnumConversion.h"

#include "doctest/doctest.h"

using namespace blink;

TEST_CASE("the dialect and the file agree on what collectives are") {
  for (Collective collective : sched::EnumValuesCollective()) {
    CAPTURE(sched::EnumNameCollective(collective));
    const collective::CollectiveKind kind = toIR(collective);
    CHECK(fromIR(kind) == collective);
    CHECK(collective::isRooted(kind) == isRooted(collective));
    CHECK(collective::hasUpTrees(kind) == hasUpTrees(collective));
    CHECK(collective::hasDownTrees(kind) == hasDownTrees(collective));
    for (int n : {1, 2, 5}) {
      CHECK(collective::numBlocks(kind, n) == numBlocks(collective, n));
      CHECK(collective::numShareBlocks(kind, n) ==
            int(inputBlocks(collective, n) * outputBlocks(collective, n)));
    }
  }
}

TEST_CASE("a mirror is the same collective the other way") {
  for (Collective collective : sched::EnumValuesCollective()) {
    const sched::CollectiveTraits &traits = traitsOf(collective);
    if (!traits.mirror)
      continue;
    CAPTURE(sched::EnumNameCollective(collective));
    const sched::CollectiveTraits &mirror = traitsOf(*traits.mirror);
    CHECK(!mirror.mirror);
    CHECK(mirror.scattersInput == traits.gathersOutput);
    CHECK(mirror.gathersOutput == traits.scattersInput);
    CHECK(mirror.rooted == traits.rooted);
    CHECK(mirror.routed == traits.routed);
    CHECK((mirror.down && !mirror.up && traits.up && !traits.down));
  }
}
