//===- GeneratorSearch.h - search for one group generator -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The group grows by one generator at a time. A generator g must send rank 0 to
// a given rank outside its orbit and commute with the group H found so far. So
// g is known on an orbit of H as soon as its value at one rank of the orbit is
// known. Acting on the orbits of H, g has cycles. All cycles must close after
// the same number of steps m with the same element h of H, that is, g^m = h;
// otherwise a power of g would fix some ranks and move others. The search
// follows these cycles.
//
// The search first tries candidates that move a rank as far, in numbers, as
// rank 0 is moved. In files written row by row and box by box such maps are
// shifts of rows and boxes, and shifts commute.
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

/// The graph of all links, and tests for its automorphisms that keep the ranks.
class Automorphisms {
public:
  explicit Automorphisms(const RankTopology &rankTopology);

  TwinColoring coloring() const { return {machine_.graph, machine_.colors}; }
  int numNodes() const { return static_cast<int>(machine_.colors.size()); }
  const std::vector<int> &rankNodes() const { return rankNodes_; }
  bool isRank(int node) const { return isRank_[node]; }

  /// Returns the image of each link under the node map `nodes`, or an empty map
  /// if `nodes` is not an automorphism.
  IndexMap linkMap(const IndexMap &nodes) const;

private:
  const Topology &topology_;
  std::vector<int> rankNodes_;
  std::vector<bool> isRank_;
  const MachineColoring machine_;
  const std::map<std::tuple<int, int, LinkKind>, int> linkAt_;
};

/// A search for one generator.
class GeneratorSearch {
public:
  /// `group` holds the node maps of the group that `generators` generate.
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

  /// Returns a node map that sends rank 0 to `target` and extends the group
  /// (see the top of the file), or an empty map if none was found. Sets `steps`
  /// to the factor by which the order of the group grows.
  IndexMap find(const TwinColoring &start, int target, int &steps);

private:
  /// The state of a cycle: its first node, the node whose image is to be chosen
  /// next, and the number of images chosen so far.
  struct Cycle {
    int first = -1, at = -1, steps = 0;
  };
  /// A node whose image is to be chosen, and the candidates.
  struct Choice {
    Cycle cycle;
    std::vector<int> images;
    size_t tried = 0;
    // About the image tried last:
    int orbit = -1;          ///< The orbit that it takes.
    bool setsPeriod = false; ///< Whether it closes the first cycle.
  };
  // One colouring is refined all the way down: a copy for each step would make
  // as many copies as there are ranks. A dead end leaves the colouring useless,
  // so it is then rebuilt; dead ends are few.
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
  std::vector<int> orbitOf_; // per node: its orbit of H; -1 if it is no rank
  // Per node: the element that takes the orbit's first node here.
  std::vector<int> elementOf_;
  int numOrbits_ = 0;

  int shift_ = 0;
  int period_ = 0;   // the steps of a cycle; 0 until the first one closes
  int holonomy_ = 0; // the element of H with which cycles close
  int deadEnds_ = 0;
  const TwinColoring *start_ = nullptr;
  std::vector<std::pair<int, int>> fixed_; // nodes and their images so far
  IndexMap found_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_GENERATORSEARCH_H
