//===- SymmetryGroup.h - which renamings change nothing ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The symmetry of a program, as a file has it: few generators, of which all
// elements are made. Ranks come in orbits, of which symmetric variants hold one
// rank's program each.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SYMMETRYGROUP_H
#define BLINK_SCHEDULES_SYMMETRYGROUP_H

#include "schedules/schedule_generated.h"

#include <string>
#include <tuple>
#include <vector>

namespace blink::sched {

/// Of the machine's nodes: node i becomes nodes[i].
struct Renaming {
  std::vector<uint16_t> nodes;
  uint32_t steps = 0; ///< as SymmetryGenerator's
  bool operator==(const Renaming &other) const {
    return steps == other.steps && nodes == other.nodes;
  }
  bool operator!=(const Renaming &other) const { return !(*this == other); }
};

/// The renamings of `program`; none where it has no symmetry.
std::vector<Renaming> renamingsOf(const Program &program);

/// An abelian group of renamings that acts freely on ranks: exactly one element
/// takes a rank to another one of its orbit. Elements are numbered, element 0
/// is the identity. Holds a few words a node and a link, whatever its order;
/// what it is asked takes time in the logarithm of that. Immutable.
class SymmetryGroup {
public:
  /// The group of `renamings` on the ranks of `allocation`, which are nodes of
  /// `topology` (both as openSchedule checks them). Returns an empty string, or
  /// which rule of Program.symmetry is broken and by which generator.
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
  /// The number of a rank's orbit, that is, of its representative...
  uint32_t orbitOf(uint32_t rank) const { return orbitOf_[rank]; }
  /// ... and the element that takes the representative to it.
  uint32_t elementTo(uint32_t rank) const { return elementTo_[rank]; }

  /// The elements that the generators are.
  std::vector<uint32_t> generators() const;
  uint32_t inverse(uint32_t element) const { return inverses_[element]; }
  /// `second` after `first`.
  uint32_t product(uint32_t second, uint32_t first) const {
    return elementTo_[mapRank(second, imagesOfFirst_[first])];
  }
  uint32_t mapRank(uint32_t element, uint32_t rank) const {
    return map(ranks_, element, rank);
  }
  uint32_t mapLink(uint32_t element, uint32_t link) const;

private:
  using Map = std::vector<uint32_t>;
  /// The powers 1, 2, 4, ... of each generator, one after the other.
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
    uint32_t firstPower; ///< its own in nodes_ and ranks_
  };
  std::vector<Generator> generators_;
  Powers nodes_, ranks_;
  Map rankOf_; ///< of each node; kNoRank
  Map nodeOf_; ///< of each rank
  std::vector<uint32_t> representatives_;
  Map orbitOf_, elementTo_, imagesOfFirst_, inverses_;
  std::vector<std::pair<uint32_t, uint32_t>> linkEnds_;
  std::vector<LinkKind> linkKinds_;
  /// Ends and kind, and number, of each link, sorted.
  std::vector<std::tuple<uint32_t, uint32_t, LinkKind, uint32_t>> linkAt_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRYGROUP_H
