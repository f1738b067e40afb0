//===- Islands.h - ranks that fast links join -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A pod consists of boxes of GPUs with fast links inside and slow ones between.
// The question whether growing trees can be completed then splits into two
// kinds of small questions: one about the boxes, and one about the ranks of
// each box.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ISLANDS_H
#define BLINK_COMPILER_PACKING_GROW_ISLANDS_H

#include "compiler/packing/grow/Completion.h"

namespace blink {

/// For more ranks than this, islands are examined one by one.
inline constexpr int kMostExactly = 128;

/// The *island* of each node of the topology, numbered from 0, or -1. An island
/// consists of the GPUs of ranks joined by certain kinds of usable links, and
/// of the nodes between them. A rank without such a link is an island by
/// itself.
struct Islands {
  enum class JoinedBy {
    peerLinks,     ///< nvlink, xgmi, c2c
    allButNetwork, ///< the links of a box
    firstSwitches, ///< links between a GPU and a node that is no GPU
  };

  /// No islands: each rank is examined by itself.
  Islands() = default;
  Islands(const RankTopology &rankTopology, JoinedBy joinedBy);

  std::vector<int> ofNode; ///< empty if there are no islands
  int count = 0;
  bool areOfSeveral = false; ///< some island has two ranks or more
  /// Whether GPUs reach each other within islands over the links by which they
  /// are entered, so that entering an island again gains nothing.
  bool areOfSwitches = false;

  /// Returns the same islands, except that each rank of `island` becomes an
  /// island of its own.
  Islands without(const RankTopology &rankTopology, int island) const;

  /// Returns true if there are several islands, but fewer than ranks.
  bool divide() const { return count > 1 && areOfSeveral; }
};

/// Returns the ways to divide the ranks into islands, in the order in which to
/// try them: whole boxes; if boxes contain several, the GPUs that peer links
/// join; if there are neither and the ranks are more than kMostExactly, the
/// GPUs of a switch.
std::vector<Islands> islandsOf(const RankTopology &rankTopology);

/// Returns classes of nodes (Completion.h): each node of `island` by itself and
/// all others together, in class `others`, which is 0 or -1.
std::vector<int> withinIsland(const Islands &islands, int island, int others);

/// Like Completion, for islands that divide the ranks. It consists of one
/// Completion that treats each island as a rank, and one for each island's
/// ranks that treats all else as one more rank. Their conditions are necessary.
/// They suffice if what is scarce is scarce between islands or within one;
/// otherwise growth may get stuck. There are fewer flows, by the size of an
/// island, and they are as much smaller: for 1,024 GPUs in 128 boxes, 128 among
/// boxes and eight in each box. Without islands it is Completion itself.
class IslandCompletion {
public:
  /// Parameters as for Completion. `islands` divide the ranks, or there are
  /// none.
  IslandCompletion(const PackingProblem &problem, const Islands &islands,
                   const std::vector<int> &room, int trees);

  bool begin();
  bool take(int tree, int rank, const Path &path);
  int room(int link) const { return room_[link]; }

private:
  std::vector<size_t> concerned(int rank, const Path &path) const;

  const PackingProblem &problem_;
  Islands islands_;
  std::vector<int> room_;
  std::vector<Completion> parts_; ///< all islands together, then each of them
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ISLANDS_H
