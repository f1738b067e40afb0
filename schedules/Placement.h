//===- Placement.h - the placement of a job on a cluster --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A cluster has equal boxes and, in them, GPUs that may be exchanged. Many
// placements are then the same except for names. The code here maps each
// placement onto the one that represents it: the compiler uses it to compile
// each class once, and the runtime uses it to find the class.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PLACEMENT_H
#define BLINK_SCHEDULES_PLACEMENT_H

#include "schedules/bundle_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

/// The symmetries of a cluster as in bundle.fbs, restricted to GPUs.
class ClusterSymmetry {
public:
  using Numbers = std::vector<uint16_t>;

  struct Kind {
    Numbers columns; ///< column of each GPU of a box
    /// Permutations of a box's GPUs, the identity first.
    std::vector<Numbers> turns;
  };
  struct Box {
    uint16_t kind;
    Numbers gpus; ///< GPU numbers in the cluster, by place in the box
  };

  /// The most GPUs of a box.
  static constexpr size_t kMostBoxGpus = 64;
  /// The most turns of a kind of boxes, and of the cluster, with the identity.
  /// A search tries each turn of the cluster with each of a box.
  static constexpr size_t kMostTurns = 64;

  ClusterSymmetry() = default;
  /// Creates the symmetry of a cluster that obeys the rules of bundle.fbs.
  explicit ClusterSymmetry(const Bundle &index);

  std::vector<Kind> kinds;
  std::vector<Box> boxes;
  Numbers groups; ///< group of each column; empty if none can be exchanged
  /// By turn, then kind: a permutation of each box's GPUs; the first turn is
  /// the identity.
  std::vector<std::vector<Numbers>> turns;

  /// Computes the box and the place of each GPU. To be called after the lists
  /// above were filled in.
  void index();

  uint16_t boxOf(uint16_t gpu) const { return places_[gpu].box; }
  size_t numGpus() const { return places_.size(); }

  /// Returns, for each of `gpus` (distinct GPUs of the cluster), the GPU of the
  /// representing placement that the symmetries of the cluster carry onto it.
  /// Placements that boxes, columns and turns carry onto each other have the
  /// same set of such GPUs. If a search through many equal choices is cut
  /// short, some may not: that costs additional schedules but is never wrong.
  /// Takes some microseconds per box.
  Numbers representative(const Numbers &gpus) const;

  /// Returns a rank and a renaming of ranks by a symmetry of the cluster, for
  /// `gpus`, a representing placement. The symmetry carries that rank, the
  /// least that the search finds, onto `rank`.
  struct RankTurn {
    uint16_t least;
    /// For each rank, the rank that the symmetry carries onto it; empty for the
    /// identity.
    Numbers ranks;
  };
  RankTurn turnTo(const Numbers &gpus, uint16_t rank) const;

  /// Returns the boxes that hold at least one of `gpus`, in ascending order.
  Numbers boxesOf(const Numbers &gpus) const;
  /// Returns the numbers of `gpus` in the part of the cluster that they use.
  Numbers partNumbers(const Numbers &gpus) const;
  /// Returns the number of GPUs on each box in the syntax of compile's
  /// --allocations: "3+5", "4x8".
  std::string shapeOf(const Numbers &gpus) const;

private:
  struct Place {
    uint16_t box, at;
  };
  class Search;

  std::vector<Place> places_;                 // by GPU
  std::vector<std::vector<uint16_t>> ofKind_; // boxes of each kind
  // By kind and column: the places of its GPUs in a box.
  std::vector<std::vector<Numbers>> inColumns_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PLACEMENT_H
