//===- Packing.cpp - the tree packing problem -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks inputs and solutions. Shares no code with the solvers.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Packing.h"

#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/packing/trees/Gates.h"
#include "compiler/support/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace blink;
using llvm::Error;

namespace {

bool isRankOf(const RankTopology &rankTopology, int rank) {
  return rank >= 0 && rank < rankTopology.numRanks();
}

Error checkRooted(const PackingProblem &problem) {
  const RankTopology &rankTopology = *problem.rankTopology;
  if (!isRankOf(rankTopology, problem.root))
    return makeError("root {0} is not a rank of the allocation: expected 0 to "
                     "{1}",
                     problem.root, rankTopology.numRanks() - 1);
  bool toRoot = hasUpTrees(problem.collective);
  std::vector<bool> seen =
      RankTopology::closure(rankTopology.reachedRanks(), problem.root, toRoot);
  std::vector<int> missing;
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    if (!seen[rank])
      missing.push_back(rank);
  if (missing.empty())
    return Error::success();
  std::string root = rankTopology.describeRanks({problem.root});
  std::string rest = rankTopology.describeRanks(missing);
  const LinkKindSet kinds = rankTopology.linkKinds();
  return makeError(
      "no {0} is possible: {1} cannot reach {2} over links of {3}; {4}",
      toString(problem.collective), toRoot ? rest : root, toRoot ? root : rest,
      describeKinds(kinds), allowMoreKinds(kinds, "leave GPUs out"));
}

/// Checks that every rank but the root sends once, and only to a rank that has
/// not sent yet: this is an in-tree listed children first.
Error verifyUpTree(const Tree &tree, int numRanks) {
  std::vector<bool> sent(numRanks, false);
  sent[tree.root] = true;
  for (const TreeEdge &edge : tree.up) {
    if (sent[edge.from])
      return makeError("up edge {0} -> {1}: rank {0} has sent before",
                       edge.from, edge.to);
    sent[edge.from] = true;
    if (sent[edge.to] && edge.to != tree.root)
      return makeError("up edge {0} -> {1}: rank {1} sent too early", edge.from,
                       edge.to);
  }
  for (int rank = 0; rank < numRanks; ++rank)
    if (!sent[rank])
      return makeError("no up edge leaves rank {0}", rank);
  return Error::success();
}

/// Checks that every rank but the root receives once, from a rank that has the
/// data already.
Error verifyDownTree(const Tree &tree, int numRanks) {
  std::vector<bool> has(numRanks, false);
  has[tree.root] = true;
  for (const TreeEdge &edge : tree.down) {
    if (!has[edge.from])
      return makeError("down edge {0} -> {1}: rank {0} has nothing yet",
                       edge.from, edge.to);
    if (has[edge.to])
      return makeError("down edge {0} -> {1}: rank {1} received before",
                       edge.from, edge.to);
    has[edge.to] = true;
  }
  for (int rank = 0; rank < numRanks; ++rank)
    if (!has[rank])
      return makeError("no down edge reaches rank {0}", rank);
  return Error::success();
}

/// Checks that each edge of one part of `tree` goes over the switch at the far
/// end of `use.toSwitch`, between the root and another rank.
Error verifyStar(const PackingProblem &problem, const Tree &tree, bool up) {
  const Topology &topology = problem.rankTopology->topology();
  const SwitchUse &use = tree.switchUse;
  const int numLinks = int(topology.links.size());
  if (use.toSwitch < 0 || use.toSwitch >= numLinks || use.fromSwitch < 0 ||
      use.fromSwitch >= numLinks)
    return makeError("the switch has no links");
  const Link &to = topology.links[use.toSwitch];
  const Link &from = topology.links[use.fromSwitch];
  const Node &node = topology.nodes[to.to];
  const int root = problem.rankTopology->nodeOf(tree.root);
  if (from.from != to.to || to.from != root || from.to != root)
    return makeError("the switch's links are not those of the root");
  if (!(up ? node.reduce : node.multicast))
    return makeError("{0} cannot {1}", node.id, up ? "reduce" : "multicast");
  for (const TreeEdge &edge : up ? tree.up : tree.down) {
    if ((up ? edge.to : edge.from) != tree.root)
      return makeError("edge {0} -> {1} is not one of the root", edge.from,
                       edge.to);
    if (edge.path.size() != 2 || topology.links[edge.path[0]].to != to.to)
      return makeError("edge {0} -> {1} does not go over {2} alone", edge.from,
                       edge.to, node.id);
  }
  return Error::success();
}

Error verifyTree(const PackingProblem &problem, const Tree &tree) {
  const RankTopology &rankTopology = *problem.rankTopology;
  if (!isRankOf(rankTopology, tree.root))
    return makeError("root {0} is not a rank", tree.root);
  if (isRooted(problem.collective) && tree.root != problem.root)
    return makeError("root is {0}, expected {1}", tree.root, problem.root);
  if (!(tree.weight > 0) || !std::isfinite(tree.weight))
    return makeError("weight {0} is not positive and finite", tree.weight);
  if (!hasUpTrees(problem.collective) && !tree.up.empty())
    return makeError("up edges in a {0}", toString(problem.collective));
  if (!hasDownTrees(problem.collective) && !tree.down.empty())
    return makeError("down edges in a {0}", toString(problem.collective));
  for (const auto *edges : {&tree.up, &tree.down})
    for (const TreeEdge &edge : *edges) {
      if (!isRankOf(rankTopology, edge.from) ||
          !isRankOf(rankTopology, edge.to))
        return makeError("edge {0} -> {1} joins no ranks", edge.from, edge.to);
      if (isPairwise(problem.collective) && edge.from != tree.root)
        return makeError("edge {0} -> {1} does not begin at the root",
                         edge.from, edge.to);
      if (problem.association && edge.from == edge.to && edges == &tree.up)
        continue; // the data is there already
      if (auto parts = rankTopology.segments(edge.from, edge.to, edge.path);
          !parts)
        return makeError("edge {0} -> {1}: {2}", edge.from, edge.to,
                         llvm::toString(parts.takeError()));
    }
  if (tree.switchUse.works() && problem.switches.empty())
    return makeError("a switch works for it, which the problem has not");
  if (tree.switchUse.reduces)
    if (Error error = verifyStar(problem, tree, /*up=*/true))
      return error;
  if (tree.switchUse.multicasts)
    if (Error error = verifyStar(problem, tree, /*up=*/false))
      return error;
  if (rankTopology.isPhased())
    if (Error error = checkGates(rankTopology.serverOf(), tree))
      return error;
  if (hasUpTrees(problem.collective))
    if (Error error = problem.association
                          ? checkOrdered(*problem.association, tree)
                          : verifyUpTree(tree, rankTopology.numRanks()))
      return error;
  if (hasDownTrees(problem.collective))
    return verifyDownTree(tree, rankTopology.numRanks());
  return Error::success();
}

/// Checks that the packing's rate follows from its weights.
Error verifyRate(const PackingProblem &problem, const Packing &packing,
                 double tolerance) {
  int numRanks = problem.rankTopology->numRanks();
  int blocks = numBlocks(problem.collective, numRanks);
  double factor = blocksOfBuffer(problem.collective, numRanks);
  const Symmetry *symmetry = packing.symmetry.get();
  if (symmetry && blocks == 1)
    factor *= symmetry->order();
  std::vector<double> carried(blocks, 0.0);
  for (const Tree &tree : packing.trees)
    carried[blocks > 1 ? tree.root : 0] += tree.weight * factor;
  for (int block = 0; block < blocks; ++block) {
    if (blocks > 1 && symmetry && symmetry->elementTo(block) != 0)
      continue; // carries as much as its representative
    if (!(std::abs(carried[block] - packing.algbw) <=
          tolerance * std::abs(packing.algbw)))
      return makeError("trees of block {0} carry {1} GB/s of algbw, stated are "
                       "{2}",
                       block, carried[block], packing.algbw);
  }
  return Error::success();
}

/// Adds the loads of one part of a tree that passed verifyTree. `far` selects
/// the end of an edge away from the root, so that each rank but the root is the
/// far end of exactly one edge. In routed collectives, the data of that rank
/// crosses this edge and all others between it and the root. In the others,
/// data is copied or reduced on the way and crosses each edge once.
void addLoads(const PackingProblem &problem, double weight,
              const std::vector<TreeEdge> &edges, int TreeEdge::*far,
              std::vector<double> &loads) {
  int TreeEdge::*near =
      far == &TreeEdge::from ? &TreeEdge::to : &TreeEdge::from;
  std::vector<const TreeEdge *> edgeOf(problem.rankTopology->numRanks());
  for (const TreeEdge &edge : edges)
    edgeOf[edge.*far] = &edge;
  for (const TreeEdge &own : edges)
    for (const TreeEdge *edge = &own; edge;
         edge = isRouted(problem.collective) ? edgeOf[edge->*near] : nullptr)
      for (int link : edge->path)
        loads[link] += weight;
}

/// Adds the loads of one part for which a switch works. The switch reads the
/// contribution of every rank, the root included, once, or sends to every rank
/// once; in addition, the root receives or sends one result.
void addSwitchLoads(const Tree &tree, bool up, std::vector<double> &loads) {
  for (const TreeEdge &edge : up ? tree.up : tree.down)
    loads[edge.path[up ? 0 : 1]] += tree.weight;
  loads[tree.switchUse.toSwitch] += tree.weight;
  loads[tree.switchUse.fromSwitch] += tree.weight;
}

/// Returns the loads of a sendrecv: for each link the largest load that any
/// single pair of ranks puts on it.
std::vector<double> pairLoads(const PackingProblem &problem,
                              const Packing &packing) {
  std::map<std::pair<int, int>, std::map<int, double>> byPair;
  for (const Tree &tree : packing.trees)
    for (const TreeEdge &edge : tree.down)
      for (int link : edge.path)
        byPair[{tree.root, edge.to}][link] += tree.weight;
  std::vector<double> loads(problem.rankTopology->topology().links.size(), 0);
  for (const auto &[pair, ofPair] : byPair)
    for (auto [link, load] : ofPair)
      loads[link] = std::max(loads[link], load);
  return loads;
}

/// Checks that every rank reaches every other rank without a third. The error
/// names the first pair, in order, that does not.
Error checkPairs(const PackingProblem &problem) {
  const RankTopology &machine = *problem.rankTopology;
  if (!machine.relays().empty())
    return makeError("no {0} goes over relays: messages between two ranks need "
                     "nobody else",
                     toString(problem.collective));
  std::vector<std::vector<int>> reached = machine.reachedRanks();
  for (int from = 0; from < machine.numRanks(); ++from) {
    llvm::sort(reached[from]);
    for (int to = 0; to < machine.numRanks(); ++to)
      if (from != to && !llvm::binary_search(reached[from], to))
        return makeError(
            "no {0} is possible: {1} cannot reach {2} directly "
            "over links of {3}; {4}",
            toString(problem.collective), machine.describeRanks({from}),
            machine.describeRanks({to}), describeKinds(machine.linkKinds()),
            allowMoreKinds(machine.linkKinds(), "leave GPUs out"));
  }
  return Error::success();
}

} // namespace

int Tree::depth(int numRanks) const {
  int deepest = 0;
  std::vector<int> hops(numRanks, 0);
  for (const TreeEdge &edge : down) // parents before children
    deepest = std::max(deepest, hops[edge.to] = hops[edge.from] + 1);
  hops.assign(numRanks, 0);
  for (auto edge = up.rbegin(); edge != up.rend(); ++edge)
    if (edge->from != edge->to) // ordered sums may have several edges per rank
      deepest = std::max(deepest, hops[edge->from] = std::max(
                                      hops[edge->from], hops[edge->to] + 1));
  return deepest;
}

Tree blink::imageOf(const Symmetry &symmetry, int element, const Tree &tree) {
  if (element == 0)
    return tree;
  Tree image;
  image.root = symmetry.mapRank(element, tree.root);
  image.weight = tree.weight;
  auto map = [&](const std::vector<TreeEdge> &edges,
                 std::vector<TreeEdge> &images) {
    images.reserve(edges.size());
    for (const TreeEdge &edge : edges)
      images.push_back({symmetry.mapRank(element, edge.from),
                        symmetry.mapRank(element, edge.to),
                        symmetry.mapPath(element, edge.path)});
  };
  map(tree.up, image.up);
  map(tree.down, image.down);
  image.switchUse = tree.switchUse;
  if (tree.switchUse.works()) {
    image.switchUse.toSwitch =
        symmetry.mapLink(element, tree.switchUse.toSwitch);
    image.switchUse.fromSwitch =
        symmetry.mapLink(element, tree.switchUse.fromSwitch);
  }
  return image;
}

Packing Packing::inFull() const {
  if (!symmetry)
    return *this;
  Packing full;
  full.algbw = algbw;
  full.trees.reserve(size_t(numTrees()));
  for (const Tree &tree : trees)
    for (int element = 0; element < symmetry->order(); ++element)
      full.trees.push_back(imageOf(*symmetry, element, tree));
  std::stable_sort(
      full.trees.begin(), full.trees.end(),
      [](const Tree &a, const Tree &b) { return a.root < b.root; });
  return full;
}

Error PackingProblem::check() const {
  const bool isPlain = !isRooted(collective) && !isRouted(collective) &&
                       !association && !rankTopology->isPhased();
  if (!isPlain && rankTopology->numRanks() > RankTopology::kMostPaired)
    return makeError(
        "{0} ranks are too many for this {1}: the most are {2}, or "
        "{3} of an allreduce, allgather or reducescatter without "
        "--order and --phases",
        rankTopology->numRanks(), toString(collective),
        RankTopology::kMostPaired, RankTopology::kMaxRanks);
  if (isRooted(collective))
    return checkRooted(*this);
  if (isPairwise(collective))
    return checkPairs(*this);
  std::vector<std::vector<int>> parts = rankTopology->stronglyConnectedRanks();
  if (parts.size() <= 1)
    return Error::success();
  std::string text;
  for (size_t part = 0; part < parts.size(); ++part) {
    if (part > 0)
      text += part + 1 == parts.size() ? " and " : "; ";
    text += rankTopology->describeRanks(parts[part]);
  }
  const LinkKindSet kinds = rankTopology->linkKinds();
  return makeError("no {0} is possible: over links of {1} these cannot reach "
                   "each other both ways: {2}; {3}",
                   toString(collective), describeKinds(kinds), text,
                   allowMoreKinds(kinds, "leave GPUs out"));
}

std::vector<int> blink::linksOfSwitch(const std::vector<TreeEdge> &edges,
                                      const SwitchUse &use) {
  std::vector<int> links{use.toSwitch, use.fromSwitch};
  for (const TreeEdge &edge : edges)
    links.insert(links.end(), edge.path.begin(), edge.path.end());
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::vector<double> PackingProblem::linkLoads(const Packing &packing) const {
  const Symmetry *symmetry = packing.symmetry.get();
  if (isPairwise(collective)) {
    std::vector<double> loads = pairLoads(*this, packing);
    return symmetry ? symmetry->mostOfImages(loads) : loads;
  }
  const std::vector<TreeEdge> kNoEdges;
  std::vector<double> loads(rankTopology->topology().links.size(), 0.0);
  std::vector<int> behind; // per rank: ranks on the far side of its edge
  for (const Tree &tree : packing.trees) {
    const bool reduces = tree.switchUse.reduces;
    const bool multicasts = tree.switchUse.multicasts;
    for (bool up : {true, false})
      if (up ? reduces : multicasts)
        for (int link : linksOfSwitch(up ? tree.up : tree.down, tree.switchUse))
          loads[link] += tree.weight;
    // Children come before their parents in `up` and, read backwards, in
    // `down`.
    behind.assign(rankTopology->numRanks(), 1);
    for (const TreeEdge &edge : reduces ? kNoEdges : tree.up) {
      double times = isRouted(collective) ? behind[edge.from] : 1;
      for (int link : edge.path)
        loads[link] += tree.weight * times;
      if (isRouted(collective))
        behind[edge.to] += behind[edge.from];
    }
    behind.assign(rankTopology->numRanks(), 1);
    const std::vector<TreeEdge> &down = multicasts ? kNoEdges : tree.down;
    for (auto edge = down.rbegin(); edge != down.rend(); ++edge) {
      double times = isRouted(collective) ? behind[edge->to] : 1;
      for (int link : edge->path)
        loads[link] += tree.weight * times;
      if (isRouted(collective))
        behind[edge->from] += behind[edge->to];
    }
  }
  return symmetry ? symmetry->sumOfImages(loads) : loads;
}

Error PackingProblem::verify(const Packing &packing, double tolerance) const {
  const Topology &topology = rankTopology->topology();
  for (size_t index = 0; index < packing.trees.size(); ++index) {
    const Tree &tree = packing.trees[index];
    // With one rank there is nothing to send, so the weight means nothing.
    if (rankTopology->numRanks() == 1 && tree.root == 0 && tree.up.empty() &&
        tree.down.empty())
      continue;
    if (Error error = verifyTree(*this, tree))
      return makeError("tree {0}: {1}", index,
                       llvm::toString(std::move(error)));
    if (packing.symmetry && packing.symmetry->elementTo(tree.root) != 0)
      return makeError("tree {0}: rank {1} stands for no others", index,
                       tree.root);
  }
  if (rankTopology->numRanks() == 1) {
    if (packing.trees.size() != 1 || !std::isinf(packing.algbw))
      return makeError("one rank needs one empty tree and an infinite rate");
    return Error::success();
  }
  std::vector<double> loads(topology.links.size(), 0.0);
  if (isPairwise(collective))
    loads = pairLoads(*this, packing);
  else
    for (const Tree &tree : packing.trees) {
      if (tree.switchUse.reduces)
        addSwitchLoads(tree, /*up=*/true, loads);
      else
        addLoads(*this, tree.weight, tree.up, &TreeEdge::from, loads);
      if (tree.switchUse.multicasts)
        addSwitchLoads(tree, /*up=*/false, loads);
      else
        addLoads(*this, tree.weight, tree.down, &TreeEdge::to, loads);
    }
  if (const Symmetry *symmetry = packing.symmetry.get())
    loads = isPairwise(collective) ? symmetry->mostOfImages(loads)
                                   : symmetry->sumOfImages(loads);
  for (size_t link = 0; link < loads.size(); ++link) {
    double bandwidth = topology.links[link].bandwidth;
    if (!(loads[link] <= bandwidth * (1 + tolerance)))
      return makeError("link {0} ({1} -> {2}): load {3} GB/s exceeds its "
                       "bandwidth of {4}",
                       link, topology.nodes[topology.links[link].from].id,
                       topology.nodes[topology.links[link].to].id, loads[link],
                       bandwidth);
  }
  return verifyRate(*this, packing, tolerance);
}
