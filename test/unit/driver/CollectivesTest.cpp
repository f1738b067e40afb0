//===- CollectivesTest.cpp - the dialect's and the file's collectives -----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect knows no file format, so it has its own list of collectives.
//
//===----------------------------------------------------------------------===//

#include "schedules/Collectives.h"
#include "compiler/target/EnumConversion.h"

#include "doctest/doctest.h"
#include "llvm/ADT/STLExtras.h"

using namespace blink;

namespace {
/// Returns the word without underscores: "allreduce" for "all_reduce".
std::string withoutBars(llvm::StringRef word) {
  std::string text = word.str();
  llvm::erase(text, '_');
  return text;
}
} // namespace

TEST_CASE("the words of the dialect are the file's, in the same order") {
  for (NodeKind kind : sched::EnumValuesNodeKind())
    CHECK(stringifyNodeKind(toIR(kind)) == toString(kind));
  for (LinkKind kind : sched::EnumValuesLinkKind())
    CHECK(stringifyLinkKind(toIR(kind)) == toString(kind));
  for (Collective kind : sched::EnumValuesCollective())
    CHECK(withoutBars(stringifyCollectiveKind(toIR(kind))) == toString(kind));
  for (sched::ChannelKind kind : sched::EnumValuesChannelKind())
    CHECK(stringifyChannelKind(toIR(kind)) == sched::EnumNameChannelKind(kind));
  for (sched::Protocol kind : sched::EnumValuesProtocol())
    CHECK(stringifyProtocol(toIR(kind)) == sched::EnumNameProtocol(kind));
}

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
