//===- Symmetry.h - automorphisms of a machine ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Machines are built of equal boxes, rails and rows. What holds at one GPU then
// holds at many others, so a solver needs to look at one of them only.
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
/// renames nodes such that the kinds of nodes, the links with their bandwidth,
/// latency and kind, and the sets of ranks and of relays stay as they are; so
/// it takes drivable paths to drivable paths. Because the action is free, the
/// images of a tree have different roots, one image for each rank of the orbit
/// of the tree's root.
///
/// Elements are numbered; element 0 is the identity. Immutable.
class Symmetry {
public:
  /// Returns the group of the identity alone.
  static Symmetry trivial(const RankTopology &rankTopology);

  /// Returns as large a group as a bounded search finds. The search adds one
  /// generator after the other; each is found by individualisation and
  /// refinement (McKay 1981) of a map that commutes with the group so far.
  /// Deterministic; at worst the result is trivial. Takes well below a second
  /// for thousands of nodes.
  static Symmetry find(const RankTopology &rankTopology);

  /// A generator of the group: node i becomes nodes[i]. The elements of the
  /// group are all products of the powers 0 to steps - 1 of each generator.
  struct Generator {
    std::vector<int> nodes;
    int steps;
  };
  const std::vector<Generator> &generators() const { return generators_; }

  /// Returns the group that `generators` generate; they are listed as
  /// generators() returns them. Errors: they generate no such group of
  /// `rankTopology`.
  static llvm::Expected<Symmetry> create(const RankTopology &rankTopology,
                                         std::vector<Generator> generators);

  int order() const { return ranks_.order(); }

  /// Returns the least rank of each orbit, ascending.
  const std::vector<int> &representatives() const { return representatives_; }
  /// Returns the least rank of the orbit of `rank`.
  int representative(int rank) const { return representative_[rank]; }
  /// Returns the one element that takes that least rank to `rank`.
  int elementTo(int rank) const { return elementTo_[rank]; }
  int inverse(int element) const { return inverses_[element]; }

  int mapRank(int element, int rank) const { return ranks_.map(element, rank); }
  /// `link` is an index into Topology::links.
  int mapLink(int element, int link) const { return links_.map(element, link); }
  Path mapPath(int element, const Path &path) const;

  /// Orbits of links, numbered from 0 in the order of their least links.
  int numLinkClasses() const { return numLinkClasses_; }
  int linkClass(int link) const { return linkClasses_[link]; }
  /// Returns the sum of the images of `loads`, one load per link of the
  /// topology, under all elements.
  std::vector<double> sumOfImages(const std::vector<double> &loads) const;
  /// Returns, for each link, the largest load that an element's image of
  /// `loads` puts on it.
  std::vector<double> mostOfImages(const std::vector<double> &loads) const;

private:
  explicit Symmetry(const RankTopology &rankTopology);
  /// Extends the group by the powers of `generator`, which maps links as
  /// `links` says.
  void extend(const RankTopology &rankTopology, Generator generator,
              const IndexMap &links);
  /// Builds the tables. Returns false unless the action is free.
  bool index();

  std::vector<Generator> generators_;
  std::vector<int> rankOf_; // per node; -1 if it is no rank
  std::vector<IndexMap> rankGenerators_;
  GroupMaps ranks_, links_;
  std::vector<int> inverses_;
  std::vector<int> representatives_, representative_, elementTo_;
  std::vector<int> linkClasses_;
  int numLinkClasses_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_SYMMETRY_H
