//===- UseTrees.cpp - forests of imported trees ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/UseTrees.h"

#include "compiler/support/Error.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/ForestIR.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace blink;

/// Returns the numbers in a name, in order.
static std::vector<uint64_t> numbersIn(llvm::StringRef name) {
  std::vector<uint64_t> numbers;
  while (!(name = name.drop_until(llvm::isDigit)).empty()) {
    uint64_t number = 0;
    const llvm::StringRef digits = name.take_while(llvm::isDigit);
    digits.take_front(18).getAsInteger(10, number); // at most 18 digits fit
    numbers.push_back(number);
    name = name.drop_front(digits.size());
  }
  return numbers;
}

namespace {
/// Makes trees over ranks from trees over names.
class TreeMaker {
public:
  TreeMaker(const ForeignForest &forest, const PackingProblem &problem)
      : forest_(forest), problem_(problem), ranks_(*problem.rankTopology),
        topology_(ranks_.topology()), links_(topology_.linkIndices()),
        shortest_(ranks_.cheapestPaths(
            std::vector<double>(topology_.links.size(), 1))) {
    for (size_t node = 0; node < topology_.nodes.size(); ++node)
      nodes_[topology_.nodes[node].id] = node;
  }

  llvm::Expected<Packing> run();

private:
  llvm::Error findRanks();
  llvm::Expected<Path> pathOf(const ForeignHop &hop) const;
  llvm::Expected<Path> backwards(const ForeignHop &hop, const Path &path) const;
  llvm::Expected<Tree> treeOf(const ForeignTree &tree) const;
  void setWeights(Packing &packing) const;

  const ForeignForest &forest_;
  const PackingProblem &problem_;
  const RankTopology &ranks_;
  const Topology &topology_;
  const std::map<std::tuple<int, int, LinkKind>, int> links_;
  const PathTable shortest_;
  std::map<std::string, int> nodes_;  // by node id
  std::map<std::string, int> rankOf_; // by name in the trees
};
} // namespace

llvm::Error TreeMaker::findRanks() {
  std::map<std::string, int> known; // the ranks of the job's GPUs, by id
  for (int rank = 0; rank < ranks_.numRanks(); ++rank)
    known[topology_.nodes[ranks_.nodeOf(rank)].id] = rank;
  std::set<std::string> found;
  for (const ForeignTree &tree : forest_.trees) {
    found.insert(tree.root);
    for (const ForeignHop &hop : tree.hops)
      found.insert({hop.path.front(), hop.path.back()});
  }
  std::vector<std::string> names(found.begin(), found.end());
  const bool areIds = llvm::all_of(
      names, [&](const std::string &name) { return nodes_.count(name) > 0; });
  if (names.size() != known.size())
    return makeError("{0}: error: trees are of {1} GPUs; the job has {2}: "
                     "choose as many with --gpus",
                     forest_.trees[0].where, names.size(), known.size());
  if (areIds) {
    for (const std::string &name : names)
      if (!known.count(name))
        return makeError("{0}: error: {1} is no GPU of the job",
                         forest_.trees[0].where, name);
    rankOf_ = std::move(known);
    return llvm::Error::success();
  }
  llvm::stable_sort(names, [](const std::string &a, const std::string &b) {
    return numbersIn(a) < numbersIn(b);
  });
  for (size_t rank = 0; rank < names.size(); ++rank)
    rankOf_[names[rank]] = rank;
  return llvm::Error::success();
}

llvm::Expected<Path> TreeMaker::pathOf(const ForeignHop &hop) const {
  const int from = rankOf_.at(hop.path.front());
  const int to = rankOf_.at(hop.path.back());
  std::vector<int> nodes{ranks_.nodeOf(from)};
  for (size_t i = 1; i + 1 < hop.path.size(); ++i) {
    auto node = nodes_.find(hop.path[i]);
    if (node == nodes_.end()) {
      if (shortest_.path(from, to).empty())
        return makeError("{0}: error: there is no way from {1} to {2}",
                         hop.where, hop.path.front(), hop.path.back());
      return shortest_.path(from, to);
    }
    nodes.push_back(node->second);
  }
  nodes.push_back(ranks_.nodeOf(to));

  Path path;
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    int best = -1;
    for (auto link =
             links_.lower_bound({nodes[i], nodes[i + 1], LinkKind::MIN});
         link != links_.end() && std::get<0>(link->first) == nodes[i] &&
         std::get<1>(link->first) == nodes[i + 1];
         ++link)
      if (ranks_.usable(link->second) &&
          (best < 0 || topology_.links[link->second].bandwidth >
                           topology_.links[best].bandwidth))
        best = link->second;
    if (best < 0)
      return makeError("{0}: error: {1} has no link from {2} to {3} that the "
                       "job may use",
                       hop.where, topology_.name, topology_.nodes[nodes[i]].id,
                       topology_.nodes[nodes[i + 1]].id);
    path.push_back(best);
  }
  return path;
}

llvm::Expected<Path> TreeMaker::backwards(const ForeignHop &hop,
                                          const Path &path) const {
  Path back;
  for (int number : llvm::reverse(path)) {
    const Link &link = topology_.links[number];
    auto other = links_.find({link.to, link.from, link.kind});
    if (other == links_.end())
      return makeError("{0}: error: {1} has no {2} link from {3} to {4}, which "
                       "{5} needs to use the tree backwards",
                       hop.where, topology_.name, toString(link.kind),
                       topology_.nodes[link.to].id,
                       topology_.nodes[link.from].id,
                       toString(problem_.collective));
    back.push_back(other->second);
  }
  return back;
}

/// Turns a foreign tree into one over ranks, with parents before children.
llvm::Expected<Tree> TreeMaker::treeOf(const ForeignTree &tree) const {
  std::vector<const ForeignHop *> toRank(ranks_.numRanks());
  std::vector<std::vector<int>> children(ranks_.numRanks());
  Tree result;
  result.root = rankOf_.at(tree.root);
  result.weight = tree.chunks;
  for (const ForeignHop &hop : tree.hops) {
    const int to = rankOf_.at(hop.path.back());
    if (toRank[to] || to == result.root)
      return makeError("{0}: error: {1} gets the same twice in this tree",
                       hop.where, hop.path.back());
    toRank[to] = &hop;
    children[rankOf_.at(hop.path.front())].push_back(to);
  }
  std::vector<int> reached{result.root};
  for (size_t i = 0; i < reached.size(); ++i)
    for (int to : children[reached[i]]) {
      reached.push_back(to);
      llvm::Expected<Path> path = pathOf(*toRank[to]);
      if (!path)
        return path.takeError();
      if (hasDownTrees(problem_.collective))
        result.down.push_back({reached[i], to, *path});
      if (!hasUpTrees(problem_.collective))
        continue;
      llvm::Expected<Path> back = backwards(*toRank[to], *path);
      if (!back)
        return back.takeError();
      result.up.push_back({to, reached[i], std::move(*back)});
    }
  std::reverse(result.up.begin(), result.up.end());
  if (reached.size() < toRank.size())
    return makeError("{0}: error: the tree reaches {1} of {2} GPUs", tree.where,
                     reached.size(), toRank.size());
  return result;
}

/// Scales the weights, which are numbers of chunks so far, such that the
/// busiest link carries its whole bandwidth.
void TreeMaker::setWeights(Packing &packing) const {
  double total = 0;
  for (const Tree &tree : packing.trees)
    total += tree.weight;
  const std::vector<double> loads = problem_.linkLoads(packing);
  double rate = INFINITY; // per chunk
  for (size_t link = 0; link < loads.size(); ++link)
    if (loads[link] > 0)
      rate = std::min(rate, topology_.links[link].bandwidth / loads[link]);
  for (Tree &tree : packing.trees)
    tree.weight *= rate;
  packing.algbw = total * rate;
}

llvm::Expected<Packing> TreeMaker::run() {
  if (llvm::Error error = findRanks())
    return error;
  Packing packing;
  std::set<int> roots;
  for (const ForeignTree &tree : forest_.trees) {
    if (isRooted(problem_.collective) && rankOf_.at(tree.root) != problem_.root)
      continue;
    llvm::Expected<Tree> made = treeOf(tree);
    if (!made)
      return made.takeError();
    roots.insert(made->root);
    packing.trees.push_back(std::move(*made));
  }
  const size_t wanted = isRooted(problem_.collective) ? 1 : ranks_.numRanks();
  if (roots.size() != wanted)
    return makeError("{0}: error: there are trees from {1} of the {2} GPUs "
                     "that {3} needs them from",
                     forest_.trees[0].where, roots.size(), wanted,
                     toString(problem_.collective));
  llvm::stable_sort(packing.trees, [](const Tree &a, const Tree &b) {
    return a.root < b.root;
  });
  setWeights(packing);
  if (llvm::Error error = problem_.verify(packing, /*tolerance=*/1e-9))
    return makeError("{0}: {1}", forest_.fileName,
                     llvm::toString(std::move(error)));
  llvm::Expected<Shares> shares = exactShares(problem_, packing);
  if (!shares)
    return makeError("{0}: {1}", forest_.fileName,
                     llvm::toString(shares.takeError()));
  return packing;
}

llvm::Error blink::useTrees(mlir::ModuleOp module,
                            const ForeignForest &forest) {
  auto request = *module.getOps<collective::RequestOpInterface>().begin();
  auto from =
      problemFromIR(request, request.getCollective(), request.getTopologyAttr(),
                    request.getGpus(), request.getRelaysAttr(),
                    request.getLinks(), request.getRootRank());
  if (failed(from))
    return makeError("no problem");
  const PackingProblem &problem = (*from)->problem;
  if (isRouted(problem.collective))
    return makeError("--trees: {0} sends each rank something else; trees are "
                     "for an allreduce, broadcast, reduce, allgather or "
                     "reducescatter",
                     toString(problem.collective));
  llvm::Expected<Packing> packing = TreeMaker(forest, problem).run();
  if (!packing)
    return packing.takeError();
  llvm::Expected<PackingCertificate> certificate = boundRate(problem);
  if (!certificate)
    return certificate.takeError();
  mlir::OpBuilder builder(request);
  if (failed(buildForest(builder, request.getLoc(), request.getTopologyAttr(),
                         **from, *packing, *certificate, {})))
    return makeError("no forest");
  request->erase();
  return llvm::Error::success();
}
