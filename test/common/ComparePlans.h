//===- ComparePlans.h - compares a server's plan with the whole -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From a symmetric file a process plans only what its server needs. That part
// must equal, item by item under the numbers of the full file, the plan that
// covers all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_COMPAREPLANS_H
#define BLINK_TEST_COMMON_COMPAREPLANS_H

#include "runtime/plan/Plan.h"

#include "doctest/doctest.h"

namespace blink::test {

using namespace blink::runtime;

/// Returns the plan of these files; `here` as in Plan::create.
inline Plan planOf(const std::vector<std::vector<uint8_t>> &list, int ranks,
                   uint64_t slotBytes, const std::vector<bool> &here) {
  ScheduleSet files;
  for (const std::vector<uint8_t> &bytes : list)
    REQUIRE(
        OpenFile::copy(bytes.data(), bytes.size(), files.emplace_back()).ok());
  Plan plan;
  const Status made = Plan::create(files, ranks, {}, plan, slotBytes,
                                   sched::ReductionOrder::none, here);
  REQUIRE_MESSAGE(made.ok(), made.text);
  return plan;
}

inline bool isSame(const ChannelPace &a, const ChannelPace &b) {
  return a.window == b.window && a.rate == b.rate;
}

inline bool isSame(const TreeShare &a, const TreeShare &b) {
  return a.before == b.before && a.numerator == b.numerator &&
         a.denominator == b.denominator;
}

/// Compares everything of two rings but their place in memory.
inline bool isSame(const RingPlan &a, const RingPlan &b) {
  return a.source == b.source && a.destination == b.destination &&
         a.slots == b.slots && a.bytes == b.bytes &&
         a.lineBytes == b.lineBytes && a.kind == b.kind && a.nics == b.nics &&
         a.between == b.between && a.apart == b.apart;
}

/// Compares a rank's program in two plans, with channels translated to their
/// numbers in the file.
inline bool isSame(const VariantPlan &whole, const VariantPlan &part,
                   size_t rank) {
  const RankPlan &a = whole.ranks[rank], &b = part.ranks[rank];
  if (a.code.numLanes != b.code.numLanes || a.numOperands != b.numOperands ||
      a.borrows != b.borrows || a.fetchedBorrows != b.fetchedBorrows ||
      a.sentBorrows != b.sentBorrows || a.sharedSlots != b.sharedSlots ||
      a.partial != b.partial)
    return false;
  for (size_t s = 0; s < a.borrows.size(); ++s) {
    const StepCode &one = a.code.steps[s], &other = b.code.steps[s];
    if (one.tree != other.tree || one.operandsBegin != other.operandsBegin ||
        one.sources != other.sources ||
        one.destinations != other.destinations ||
        one.completes != other.completes || one.delay != other.delay)
      return false;
  }
  for (size_t o = 0; o < a.numOperands; ++o) {
    const OperandCode &one = a.code.operands[o], &other = b.code.operands[o];
    const bool isChannel = one.kind == OperandKind::channel;
    if (one.kind != other.kind ||
        one.index !=
            (isChannel ? part.channelNumber(other.index) : other.index))
      return false;
  }
  return true;
}

/// Checks that everything a server's plan has of a variant equals the plan of
/// all ranks.
inline void compare(const Plan &whole, const VariantPlan &a, const Plan &part,
                    const VariantPlan &b, uint16_t server) {
  CHECK(a.chunks == b.chunks);
  CHECK(a.oneCopy == b.oneCopy);
  CHECK(isSame(a.largest, b.largest));
  REQUIRE(a.trees.size() == b.trees.size());
  for (size_t tree = 0; tree < a.trees.size(); ++tree)
    CHECK(isSame(a.trees[tree], b.trees[tree]));
  for (size_t rank = 0; rank < a.ranks.size(); ++rank)
    if (whole.serverOf[rank] == server)
      CHECK(isSame(a, b, rank));
  std::vector<bool> seen(a.rings.size());
  for (uint32_t channel = 0; channel < b.rings.size(); ++channel) {
    const uint32_t number = b.channelNumber(channel);
    const RingPlan &ring = part.rings[b.rings[channel]];
    REQUIRE(number < a.rings.size());
    seen[number] = true;
    if (part.serverOf[ring.source] != server &&
        part.serverOf[ring.destination] != server)
      continue;
    CHECK(isSame(whole.rings[a.rings[number]], ring));
    CHECK(a.directBlocks[number] == b.directBlocks[channel]);
    CHECK(a.quiet[number] == b.quiet[channel]);
    CHECK(a.borrowed[number] == b.borrowed[channel]);
    CHECK(a.slots[number] == b.slots[channel]);
    CHECK(isSame(a.paces[number], b.paces[channel]));
    CHECK((a.partial.empty() ? !(!b.partial.empty() && b.partial[channel])
                             : a.partial[number] == b.partial[channel]));
  }
  for (uint32_t number = 0; number < a.rings.size(); ++number) {
    const RingPlan &ring = whole.rings[a.rings[number]];
    if (whole.serverOf[ring.source] == server ||
        whole.serverOf[ring.destination] == server)
      CHECK(seen[number]);
  }
}

} // namespace blink::test

#endif // BLINK_TEST_COMMON_COMPAREPLANS_H
