//===- GeneratorSearch.h - one more renaming of a group ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The group grows by one generator at a time. A generator g shall send rank 0
// to a given rank outside its orbit and commute with the group H so far. So g
// is known on an orbit of H as soon as it is known at one rank of it, and seen
// on orbits it runs in cycles; all cycles must close after the same number of
// steps m with the same element h of H, g^m = h, or a power of g would leave
// some ranks in place and move others. The search follows these cycles.
//
// Among candidates those come first that move a rank as far, in numbers, as
// rank 0: in files written row by row and box by box such maps are shifts of
// rows and boxes, and shifts commute.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_GENERATORSEARCH_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_GENERATORSEARCH_H

#include "compiler/topology/symmetry/MachineColoring.h"
#include "compiler/topology/symmetry/Symmetry.h"
#include "compiler/topology/symmetry/TwinColoring.h"

#include <map>
#include <tuple>

namespace blink {

/// The graph of all links, and its automorphisms that keep the ranks.
class Automorphisms {
public:
  explicit Automorphisms(const RankTopology &rankTopology);

  TwinColoring coloring() const { return {machine_.graph, machine_.colors}; }
  int numNodes() const { return static_cast<int>(machine_.colors.size()); }
  const std::vector<int> &rankNodes() const { return rankNodes_; }
  bool isRank(int node) const { return isRank_[node]; }

  /// Where links go when nodes go where `nodes` says; empty unless that is an
  /// automorphism.
  IndexMap linkMap(const IndexMap &nodes) const;

private:
  const Topology &topology_;
  std::vector<int> rankNodes_;
  std::vector<bool> isRank_;
  const MachineColoring machine_;
  const std::map<std::tuple<int, int, LinkKind>, int> linkAt_;
};

/// The search for one generator.
class GeneratorSearch {
public:
  /// `group`: what `generators` make of nodes.
  GeneratorSearch(const Automorphisms &all, const GroupMaps &group,
                  const std::vector<Symmetry::Generator> &generators)
      : all_(all), group_(group), generators_(generators),
        orbitOf_(all.numNodes(), -1), elementOf_(all.numNodes(), -1) {
    for (int node : all.rankNodes()) {
      if (orbitOf_[node] >= 0)
        continue;
      for (int element = 0; element < group.order(); ++element) {
        const int image = group.map(element, node);
        orbitOf_[image] = numOrbits_;
        elementOf_[image] = element;
      }
      ++numOrbits_;
    }
  }

  /// A node map that sends rank 0 to `target` and extends the group, see the
  /// top of the file; empty if none was found. The order of the group grows by
  /// the factor `steps`.
  IndexMap find(const TwinColoring &start, int target, int &steps);

private:
  /// Where a cycle stands: its first node, the node whose image is wanted next,
  /// and how many images were fixed so far.
  struct Cycle {
    int first = -1, at = -1, steps = 0;
  };
  /// A node whose image is wanted, and what may be that.
  struct Choice {
    Cycle cycle;
    std::vector<int> images;
    size_t tried = 0;
    // Of the image tried last:
    int orbit = -1;          ///< taken by it
    bool setsPeriod = false; ///< it closes the first cycle
  };
  // One colouring goes all the way down: a copy at each step would be as many
  // as there are ranks. What a dead end has left of it is of no use, so it is
  // made anew then, of which there are few.
  bool search(TwinColoring &coloring, int first, int target);
  Cycle startCycle(const std::vector<bool> &taken) const;
  bool finish(TwinColoring &coloring);
  TwinColoring remade() const;
  std::vector<int> candidates(const TwinColoring &coloring, const Cycle &cycle,
                              const std::vector<bool> &taken) const;
  bool requireAll(TwinColoring &coloring, int from, int to) const;

  const Automorphisms &all_;
  const GroupMaps &group_;
  const std::vector<Symmetry::Generator> &generators_;
  std::vector<int> orbitOf_;   // per node: of H; -1 for no rank
  std::vector<int> elementOf_; // per node: takes the orbit's first node here
  int numOrbits_ = 0;

  int shift_ = 0;
  int period_ = 0;   // steps of a cycle; 0 until the first one closes
  int holonomy_ = 0; // the element of H that it closes with
  int deadEnds_ = 0;
  const TwinColoring *start_ = nullptr;
  std::vector<std::pair<int, int>> fixed_; // nodes and their images so far
  IndexMap found_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_GENERATORSEARCH_H
