//===- SymmetryGroup.h - the symmetry group of a program --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The symmetry of a program as in a file: a few generators, from which all
// elements are made. Ranks form orbits; symmetric variants hold the program of
// one rank of each.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SYMMETRYGROUP_H
#define BLINK_SCHEDULES_SYMMETRYGROUP_H

#include "schedules/schedule_generated.h"

#include <string>
#include <tuple>
#include <vector>

namespace blink::sched {

/// A renaming of the machine's nodes: node i becomes nodes[i].
struct Renaming {
  std::vector<uint16_t> nodes;
  uint32_t steps = 0; ///< as in SymmetryGenerator
  bool operator==(const Renaming &other) const {
    return steps == other.steps && nodes == other.nodes;
  }
  bool operator!=(const Renaming &other) const { return !(*this == other); }
};

/// Returns the renamings of `program`; empty if it has no symmetry.
std::vector<Renaming> renamingsOf(const Program &program);

/// An abelian group of renamings that acts freely on ranks: exactly one element
/// takes a rank to any given rank of its orbit. Elements are numbered; element
/// 0 is the identity. Memory is a few words per node and link, whatever the
/// order of the group; queries take time logarithmic in the order. Immutable.
class SymmetryGroup {
public:
  /// Creates the group of `renamings` on the ranks of `allocation`, which are
  /// nodes of `topology` (both as checked by openSchedule). Returns an empty
  /// string, or which generator violates which rule of Program.symmetry.
  [[nodiscard]] static std::string
  create(const Topology &topology,
         const flatbuffers::Vector<uint16_t> &allocation,
         const std::vector<Renaming> &renamings, SymmetryGroup &group);

  uint32_t order() const { return order_; }
  uint32_t numRanks() const { return uint32_t(nodeOf_.size()); }
  /// The least rank of each orbit, ascending.
  const std::vector<uint32_t> &representatives() const {
    return representatives_;
  }
  /// The number of a rank's orbit, which is that of its representative.
  uint32_t orbitOf(uint32_t rank) const { return orbitOf_[rank]; }
  /// The element that takes the representative to the rank.
  uint32_t elementTo(uint32_t rank) const { return elementTo_[rank]; }

  /// Returns the numbers of the generators as elements.
  std::vector<uint32_t> generators() const;
  uint32_t inverse(uint32_t element) const { return inverses_[element]; }
  /// Returns the element that applies `first`, then `second`.
  uint32_t product(uint32_t second, uint32_t first) const {
    return elementTo_[mapRank(second, imagesOfFirst_[first])];
  }
  uint32_t mapRank(uint32_t element, uint32_t rank) const {
    return map(ranks_, element, rank);
  }
  uint32_t mapLink(uint32_t element, uint32_t link) const;

private:
  using Map = std::vector<uint32_t>;
  /// The powers 1, 2, 4, ... of each generator, one generator after the other.
  using Powers = std::vector<Map>;

  std::string readLinks(const Topology &topology);
  std::string readGenerator(const Topology &topology, const Renaming &renaming);
  std::string addGenerator(uint32_t steps);
  bool findOrbits();
  uint32_t map(const Powers &powers, uint32_t element, uint32_t what) const;
  Map elementAsMap(uint32_t element) const;

  uint32_t order_ = 1;
  struct Generator {
    uint32_t steps;
    uint32_t firstPower; ///< index in nodes_ and ranks_
  };
  std::vector<Generator> generators_;
  Powers nodes_, ranks_;
  Map rankOf_; ///< per node; kNoRank if it is none
  Map nodeOf_; ///< per rank
  std::vector<uint32_t> representatives_;
  Map orbitOf_, elementTo_, imagesOfFirst_, inverses_;
  std::vector<std::pair<uint32_t, uint32_t>> linkEnds_;
  std::vector<LinkKind> linkKinds_;
  /// Ends, kind and number of each link, sorted.
  std::vector<std::tuple<uint32_t, uint32_t, LinkKind, uint32_t>> linkAt_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRYGROUP_H
