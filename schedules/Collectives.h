//===- Collectives.h - the traits of each collective ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One table of the traits that distinguish collectives, for both sides of the
// contract. A new collective is a value of the enum in schedule.fbs and a row
// here. The verifier has a table of its own (compiler/verify/Semantics.h),
// since it must not share code with what it verifies.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_COLLECTIVES_H
#define BLINK_SCHEDULES_COLLECTIVES_H

#include "schedules/schedule_generated.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace blink::sched {

struct CollectiveTraits {
  Collective collective;
  /// Whether the buffer has a block for each rank (at the root, if only the
  /// root has the buffer). Otherwise it is one block.
  bool scattersInput, gathersOutput;
  bool rooted;  ///< only the root sends, or only it receives
  bool up;      ///< data moves to the roots of trees
  bool down;    ///< data moves from them
  bool routed;  ///< each block has one destination: edges add up
  bool reduces; ///< elements of ranks are combined by an operator
  /// Each block moves from one rank to another on its own, in one hop. Links
  /// carry one block at a time, and no third rank takes part.
  bool pairwise;
  /// The collective whose data moves in the opposite direction over the same
  /// trees. Its trees are out-trees, and its schedules, reversed, are schedules
  /// of this one.
  std::optional<Collective> mirror;
};

// clang-format off
inline constexpr CollectiveTraits kCollectiveTraits[] = {
    //                          in     out    rooted up     down   routed reduces pairwise
    {Collective::allreduce,     false, false, false, true,  true,  false, true,  false, {}},
    {Collective::broadcast,     false, false, true,  false, true,  false, false, false, {}},
    {Collective::reduce,        false, false, true,  true,  false, false, true,  false, Collective::broadcast},
    {Collective::allgather,     false, true,  false, false, true,  false, false, false, {}},
    {Collective::reducescatter, true,  false, false, true,  false, false, true,  false, Collective::allgather},
    {Collective::gather,        false, true,  true,  true,  false, true,  false, false, Collective::scatter},
    {Collective::scatter,       true,  false, true,  false, true,  true,  false, false, {}},
    {Collective::alltoall,      true,  true,  false, false, true,  true,  false, false, {}},
    {Collective::sendrecv,      true,  true,  false, false, true,  true,  false, true,  {}},
};
// clang-format on

namespace detail {
constexpr bool inOrder() {
  for (size_t i = 0; i < std::size(kCollectiveTraits); ++i)
    if (size_t(kCollectiveTraits[i].collective) != i)
      return false;
  return std::size(kCollectiveTraits) == size_t(Collective::MAX) + 1;
}
static_assert(inOrder(), "one row a collective, in the enum's order");
} // namespace detail

/// Returns the traits of `collective`, which must be a value of the enum, as in
/// an opened file.
constexpr const CollectiveTraits &traitsOf(Collective collective) {
  return kCollectiveTraits[size_t(collective)];
}

namespace detail {
constexpr size_t numJoint() {
  size_t number = 0;
  for (const CollectiveTraits &traits : kCollectiveTraits)
    number += !traits.pairwise;
  return number;
}
constexpr auto makeJoint() {
  std::array<Collective, numJoint()> joint{};
  size_t number = 0;
  for (const CollectiveTraits &traits : kCollectiveTraits)
    if (!traits.pairwise)
      joint[number++] = traits.collective;
  return joint;
}
} // namespace detail

/// The collectives that all ranks of a job call together: all but sendrecv.
inline constexpr auto kJointCollectives = detail::makeJoint();

/// broadcast, reduce, gather, scatter
constexpr bool isRooted(Collective c) { return traitsOf(c).rooted; }
/// gather, scatter, alltoall, sendrecv
constexpr bool isRouted(Collective c) { return traitsOf(c).routed; }
/// allreduce, reduce, reducescatter
constexpr bool isReduction(Collective c) { return traitsOf(c).reduces; }
/// sendrecv
constexpr bool isPairwise(Collective c) { return traitsOf(c).pairwise; }
constexpr bool hasUpTrees(Collective c) { return traitsOf(c).up; }
constexpr bool hasDownTrees(Collective c) { return traitsOf(c).down; }
/// True for all collectives but alltoall and sendrecv, whose input and output
/// would both hold a block for each rank.
constexpr bool hasInPlace(Collective c) {
  return !(traitsOf(c).scattersInput && traitsOf(c).gathersOutput);
}
/// broadcast, scatter: the other ranks have no input.
constexpr bool onlyRootGives(Collective c) {
  return traitsOf(c).rooted && traitsOf(c).down;
}
/// reduce, gather: the other ranks have no output.
constexpr bool onlyRootGets(Collective c) {
  return traitsOf(c).rooted && traitsOf(c).up;
}

/// Blocks of the user's buffers, as in the table at Collective in schedule.fbs.
/// The trees in a file have a block for each pair of an input block and an
/// output block.
constexpr uint32_t inputBlocks(Collective c, uint32_t numRanks) {
  return traitsOf(c).scattersInput ? numRanks : 1;
}
constexpr uint32_t outputBlocks(Collective c, uint32_t numRanks) {
  return traitsOf(c).gathersOutput ? numRanks : 1;
}
/// Blocks of the size to which rates refer: of the larger buffer, or of a
/// message between two ranks.
constexpr int blocksOfBuffer(Collective c, int numRanks) {
  return !isPairwise(c) &&
                 (traitsOf(c).scattersInput || traitsOf(c).gathersOutput)
             ? numRanks
             : 1;
}
/// Number of sets of trees whose shares add up to one while trees are packed:
/// one set for each rank as root in allgather, reducescatter, alltoall and
/// sendrecv, otherwise a single set. In the file, each tree of a routed
/// collective becomes several chains.
constexpr int numBlocks(Collective c, int numRanks) {
  return isPairwise(c)        ? numRanks
         : traitsOf(c).rooted ? 1
                              : blocksOfBuffer(c, numRanks);
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_COLLECTIVES_H
