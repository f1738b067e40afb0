//===- Islands.h - ranks that fast links join -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A pod is boxes of GPUs with fast links inside and slow ones between. Whether
// trees that were begun can be completed is then two questions, of the boxes,
// and of the ranks of each box, that are small.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ISLANDS_H
#define BLINK_COMPILER_PACKING_GROW_ISLANDS_H

#include "compiler/packing/grow/Completion.h"

namespace blink {

/// Over more ranks than this, islands are looked at one by one.
inline constexpr int kMostExactly = 128;

/// Of each node of the topology the *island* that it belongs to, from 0, or -1:
/// GPUs of ranks that some kinds of usable links join, with what lies between
/// them. A rank that has no such link is one by itself.
struct Islands {
  enum class JoinedBy {
    peerLinks,     ///< nvlink, xgmi, c2c
    allButNetwork, ///< the links of a box
    firstSwitches, ///< links between a GPU and what is none
  };

  /// None: each rank is looked at by itself.
  Islands() = default;
  Islands(const RankTopology &rankTopology, JoinedBy joinedBy);

  std::vector<int> ofNode; ///< empty where there are none
  int count = 0;
  bool areOfSeveral = false; ///< some island has two ranks or more

  /// The same, but the ranks of `island` each on one of their own.
  Islands without(const RankTopology &rankTopology, int island) const;

  /// Whether there are several, and fewer than ranks.
  bool divide() const { return count > 1 && areOfSeveral; }
};

/// The islands that divide the ranks, those with most ranks first: whole boxes,
/// and where these are of several, what peer links join; where there are
/// neither, and more than kMostExactly ranks, the GPUs of a switch.
std::vector<Islands> islandsOf(const RankTopology &rankTopology);

/// Classes of nodes (Completion.h): those of an island each by themselves, and
/// all others together, in class `others`, 0 or -1.
std::vector<int> withinIsland(const Islands &islands, int island, int others);

/// As Completion, where islands divide the ranks: one that takes each island
/// for a rank, and one of each island's ranks that takes all else for another
/// rank. What these allow is necessary. It suffices where what is scarce is
/// scarce between islands or within one; else growth may get stuck. Flows are
/// fewer by the size of an island, and as much smaller: of 1,024 GPUs in 128
/// boxes 128 among boxes, and eight in each box. Where there are no islands it
/// is Completion itself.
class IslandCompletion {
public:
  /// As of Completion. `islands` divide the ranks, or are none.
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
  std::vector<Completion> parts_; ///< all islands, then each of them
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ISLANDS_H
