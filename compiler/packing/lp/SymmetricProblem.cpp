//===- SymmetricProblem.cpp - a packing problem modulo symmetry -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/SymmetricProblem.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace blink;

namespace {

/// Returns the twin of each link; empty if some usable link has none.
std::vector<int> mirrorTwins(const PackingProblem &problem) {
  if (problem.collective != Collective::allreduce || problem.association)
    return {}; // an ordered sum run backwards is not an ordered sum
  for (const SwitchStar &star : problem.switches)
    if (star.reduces != star.multicasts)
      return {};
  const RankTopology &rankTopology = *problem.rankTopology;
  const std::vector<Link> &links = rankTopology.topology().links;
  std::map<std::tuple<int, int, LinkKind, double>, int> index;
  for (size_t link = 0; link < links.size(); ++link)
    if (rankTopology.usable(static_cast<int>(link)))
      index[{links[link].from, links[link].to, links[link].kind,
             links[link].bandwidth}] = static_cast<int>(link);
  std::vector<int> twins(links.size(), -1);
  for (const auto &[key, link] : index) {
    auto [from, to, kind, bandwidth] = key;
    auto twin = index.find({to, from, kind, bandwidth});
    if (twin == index.end())
      return {};
    twins[link] = twin->second;
  }
  return twins;
}

/// Returns the number of ranks on the far side of each edge, as seen from the
/// root. Edges of an `up` part list children before parents, others parents
/// before children.
std::vector<int> ranksBehind(const std::vector<TreeEdge> &edges, int numRanks,
                             bool up) {
  std::vector<int> behind(numRanks, 1), result(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    size_t at = up ? i : edges.size() - 1 - i; // children first
    int child = up ? edges[at].from : edges[at].to;
    int parent = up ? edges[at].to : edges[at].from;
    result[at] = behind[child];
    behind[parent] += behind[child];
  }
  return result;
}

} // namespace

SymmetricProblem::SymmetricProblem(const PackingProblem &problem,
                                   std::shared_ptr<const Symmetry> symmetry)
    : problem_(&problem), symmetry_(std::move(symmetry)),
      numBlocks_(sched::numBlocks(problem.collective,
                                  problem.rankTopology->numRanks())),
      twins_(mirrorTwins(problem)) {
  roots_ = isRooted(problem.collective) ? std::vector<int>{problem.root}
                                        : symmetry_->representatives();
  const RankTopology &rankTopology = *problem.rankTopology;
  const std::vector<Link> &links = rankTopology.topology().links;
  rows_.assign(links.size(), -1);
  std::vector<int> rowOfClass(symmetry_->numLinkClasses(), -1);
  for (size_t at = 0; at < links.size(); ++at) {
    int link = static_cast<int>(at);
    if (!rankTopology.usable(link))
      continue;
    int &row = rowOfClass[symmetry_->linkClass(link)];
    if (row < 0) {
      row = numRows();
      capacities_.push_back(0);
      // Automorphisms map twins to twins, so the classes of twins are twins
      // too.
      if (mirrors())
        rowOfClass[symmetry_->linkClass(twins_[link])] = row;
    }
    rows_[at] = row;
    capacities_[row] += links[at].bandwidth / order();
  }
}

SymmetricProblem SymmetricProblem::reduce(const PackingProblem &problem) {
  // With one root, every useful automorphism keeps that root fixed, and none of
  // a group that acts freely does, apart from the identity. Nor does any keep
  // the order of ranks.
  if (isRooted(problem.collective) || problem.association)
    return plain(problem);
  return {problem, problem.symmetry
                       ? problem.symmetry
                       : std::make_shared<const Symmetry>(
                             Symmetry::find(*problem.rankTopology))};
}

SymmetricProblem SymmetricProblem::plain(const PackingProblem &problem) {
  return {problem, std::make_shared<const Symmetry>(
                       Symmetry::trivial(*problem.rankTopology))};
}

double SymmetricProblem::ratePerWeight() const {
  int n = problem_->rankTopology->numRanks();
  if (rootsAreEqual() || isRouted(problem_->collective))
    return n;
  return order();
}

double SymmetricProblem::unitCost() const {
  bool manyBlocks = !rootsAreEqual() && isRouted(problem_->collective);
  return manyBlocks ? problem_->rankTopology->numRanks() : 1;
}

std::vector<RowUse> SymmetricProblem::uses(const Tree &tree) const {
  std::vector<std::pair<int, int>> found;
  for (bool up : {true, false}) {
    const std::vector<TreeEdge> &edges = up ? tree.up : tree.down;
    if (up ? tree.switchUse.reduces : tree.switchUse.multicasts) {
      for (int link : linksOfSwitch(edges, tree.switchUse))
        found.emplace_back(rows_[link], 1);
      continue;
    }
    std::vector<int> times(edges.size(), 1);
    if (isRouted(problem_->collective))
      times = ranksBehind(edges, problem_->rankTopology->numRanks(), up);
    for (size_t edge = 0; edge < edges.size(); ++edge)
      for (int link : edges[edge].path)
        found.emplace_back(rows_[link], times[edge]);
  }
  std::sort(found.begin(), found.end());
  std::vector<RowUse> uses;
  for (auto [row, times] : found) {
    if (uses.empty() || uses.back().row != row)
      uses.push_back({row, 0});
    uses.back().times += times;
  }
  return uses;
}

Tree SymmetricProblem::representative(const Tree &tree) const {
  return imageOf(*symmetry_,
                 symmetry_->inverse(symmetry_->elementTo(tree.root)), tree);
}

void SymmetricProblem::appendOrbit(const Tree &tree,
                                   std::vector<Tree> &trees) const {
  for (int element = 0; element < order(); ++element)
    trees.push_back(imageOf(*symmetry_, element, tree));
}

Packing SymmetricProblem::withImages(Packing representatives) const {
  if (order() == 1)
    return representatives;
  representatives.symmetry = symmetry_;
  const RankTopology &machine = *problem_->rankTopology;
  return machine.numRanks() > kFewRanks && machine.relays().empty()
             ? representatives
             : representatives.inFull();
}

void SymmetricProblem::addMirrored(Tree &tree) const {
  tree.switchUse.multicasts = tree.switchUse.reduces;
  for (auto edge = tree.up.rbegin(); edge != tree.up.rend(); ++edge) {
    Path path;
    for (auto link = edge->path.rbegin(); link != edge->path.rend(); ++link)
      path.push_back(twins_[*link]);
    tree.down.push_back({edge->to, edge->from, std::move(path)});
  }
}

std::vector<double>
SymmetricProblem::averaged(std::vector<double> prices) const {
  std::vector<double> sums(numRows(), 0.0);
  std::vector<int> counts(numRows(), 0);
  for (size_t link = 0; link < prices.size(); ++link)
    if (rows_[link] >= 0) {
      sums[rows_[link]] += prices[link];
      ++counts[rows_[link]];
    }
  for (size_t link = 0; link < prices.size(); ++link)
    if (rows_[link] >= 0)
      prices[link] = sums[rows_[link]] / counts[rows_[link]];
  return prices;
}
