//===- Symmetry.h - renamings that leave a machine as it is -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Machines are built of equal boxes, rails and rows. What holds at one GPU then
// holds at many, and a solver need only look at one of them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRY_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRY_H

#include "compiler/topology/fabric/RankTopology.h"
#include "compiler/topology/symmetry/GroupMaps.h"

#include <memory>

namespace blink {

/// An abelian group of automorphisms of a topology that acts *freely* on its
/// ranks: every element but the identity moves every rank. An automorphism
/// renames nodes such that kinds of nodes, links with their bandwidth, latency
/// and kind, and the sets of ranks and of relays stay as they are; so drivable
/// paths go to drivable paths. Free action makes the images of a tree rooted at
/// a rank trees of different roots, one for each rank of the root's orbit.
///
/// Elements are numbered; element 0 is the identity. Immutable.
class Symmetry {
public:
  /// The identity alone.
  static Symmetry trivial(const RankTopology &rankTopology);

  /// As large a group as a bounded search finds: generator by generator, each
  /// by individualisation and refinement (McKay 1981) of a map that commutes
  /// with what is known. Deterministic; at worst the result is trivial. Takes
  /// well below a second for thousands of nodes.
  static Symmetry find(const RankTopology &rankTopology);

  /// What the group was made of: nodes i become nodes[i], and elements are all
  /// products of the powers 0 to steps - 1 of each.
  struct Generator {
    std::vector<int> nodes;
    int steps;
  };
  const std::vector<Generator> &generators() const { return generators_; }

  /// The group that `generators` make, as generators() of another one lists
  /// them. Errors: they make no such group of `rankTopology`.
  static llvm::Expected<Symmetry> create(const RankTopology &rankTopology,
                                         std::vector<Generator> generators);

  int order() const { return ranks_.order(); }

  /// The least rank of each orbit, ascending.
  const std::vector<int> &representatives() const { return representatives_; }
  /// The least rank of the orbit of `rank`...
  int representative(int rank) const { return representative_[rank]; }
  /// ... and the one element that takes it to `rank`.
  int elementTo(int rank) const { return elementTo_[rank]; }
  int inverse(int element) const { return inverses_[element]; }

  int mapRank(int element, int rank) const { return ranks_.map(element, rank); }
  /// Links are indices into Topology::links.
  int mapLink(int element, int link) const { return links_.map(element, link); }
  Path mapPath(int element, const Path &path) const;

  /// Orbits of links, numbered from 0 in the order of their least link.
  int numLinkClasses() const { return numLinkClasses_; }
  int linkClass(int link) const { return linkClasses_[link]; }
  /// What all elements make of loads, one a link of the topology, added up.
  std::vector<double> sumOfImages(const std::vector<double> &loads) const;
  /// Of each link the most that any element makes of them.
  std::vector<double> mostOfImages(const std::vector<double> &loads) const;

private:
  explicit Symmetry(const RankTopology &rankTopology);
  /// Multiplies what there is by the powers of `generator`, which maps links as
  /// `links` says.
  void extend(const RankTopology &rankTopology, Generator generator,
              const IndexMap &links);
  /// False unless the action is free.
  bool index();

  std::vector<Generator> generators_;
  std::vector<int> rankOf_; // of each node; -1
  std::vector<IndexMap> rankGenerators_;
  GroupMaps ranks_, links_;
  std::vector<int> inverses_;
  std::vector<int> representatives_, representative_, elementTo_;
  std::vector<int> linkClasses_;
  int numLinkClasses_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRY_H
