//===- Placement.h - where on a cluster a job stands ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A cluster has equal boxes and, in them, GPUs that may change places. Many
// placements are then one under other names: here each is carried onto the one
// that represents it, by the compiler to compile each once, and by the runtime
// to find it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PLACEMENT_H
#define BLINK_SCHEDULES_PLACEMENT_H

#include "schedules/bundle_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

/// What bundle.fbs says of a cluster, of GPUs alone.
class ClusterSymmetry {
public:
  using Numbers = std::vector<uint16_t>;

  struct Kind {
    Numbers columns; ///< of each GPU of a box
    /// Permutations of a box's GPUs, the identity first.
    std::vector<Numbers> turns;
  };
  struct Box {
    uint16_t kind;
    Numbers gpus; ///< by place in the box; numbers in the cluster
  };

  /// The most GPUs of a box, and of a placement's boxes' rows in a search.
  static constexpr size_t kMostBoxGpus = 64;

  ClusterSymmetry() = default;
  /// Of a cluster that keeps the rules of bundle.fbs.
  explicit ClusterSymmetry(const Bundle &index);

  std::vector<Kind> kinds;
  std::vector<Box> boxes;
  Numbers groups; ///< of each column; empty: none can be exchanged
  /// By turn, then kind: a permutation of each box's GPUs, the identity first.
  std::vector<std::vector<Numbers>> turns;

  /// After the lists above were filled in: which box a GPU is in, and where.
  void index();

  uint16_t boxOf(uint16_t gpu) const { return places_[gpu].box; }
  size_t numGpus() const { return places_.size(); }

  /// For each of `gpus`, distinct GPUs of the cluster, the GPU of the
  /// representing placement that symmetries of the cluster carry onto it.
  /// Placements that boxes, columns and turns carry onto each other have the
  /// same set of them; where a search through many equal choices is cut short,
  /// some may not, which costs schedules and is never wrong. Some microseconds
  /// a box.
  Numbers representative(const Numbers &gpus) const;

  /// For `gpus`, a representing placement: a rank and a renaming of ranks that
  /// a symmetry of the cluster makes. It carries that rank, which is the least
  /// that the search sees, onto `rank`.
  struct RankTurn {
    uint16_t least;
    /// Of each rank the one that the symmetry carries onto it; empty: itself.
    Numbers ranks;
  };
  RankTurn turnTo(const Numbers &gpus, uint16_t rank) const;

  /// The boxes that hold one of `gpus`, ascending.
  Numbers boxesOf(const Numbers &gpus) const;
  /// For `gpus`, their numbers in the part of the cluster that they use.
  Numbers partNumbers(const Numbers &gpus) const;
  /// How many GPUs there are on a box, as compile's --allocations reads it:
  /// "3+5", "4x8".
  std::string shapeOf(const Numbers &gpus) const;

private:
  struct Place {
    uint16_t box, at;
  };
  class Search;

  std::vector<Place> places_;                 // by GPU
  std::vector<std::vector<uint16_t>> ofKind_; // boxes of each kind
  std::vector<std::vector<Numbers>>
      inColumns_; // by kind, column: GPUs of a box
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PLACEMENT_H
