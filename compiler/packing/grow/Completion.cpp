//===- Completion.cpp - can trees that were begun be completed? -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/Completion.h"

#include "compiler/packing/grow/RootedCut.h"
#include "compiler/support/Numbers.h"

#include <algorithm>

using namespace blink;

int Completion::classOf(int rank) const {
  return classes_[problem_.rankTopology->nodeOf(rank)];
}

Completion::Completion(const PackingProblem &problem, std::vector<int> room,
                       int trees, std::vector<int> classes,
                       const std::vector<int> &roots)
    : problem_(problem), room_(std::move(room)), classes_(std::move(classes)) {
  const RankTopology &rankTopology = *problem.rankTopology;
  const std::vector<bool> passes = nodesToPass(rankTopology);
  const bool up = hasUpTrees(problem.collective);
  if (classes_.empty())
    classes_ = firstNumbers(passes.size());
  const int numClasses =
      1 + *std::max_element(classes_.begin(), classes_.end());
  out_.resize(numClasses);
  in_.resize(numClasses);
  entering_.assign(numClasses, 0);
  arcOf_.assign(room_.size(), -1);
  for (size_t link = 0; link < room_.size(); ++link) {
    const Link &ends = rankTopology.topology().links[link];
    if (!rankTopology.usable(static_cast<int>(link)) || !passes[ends.from] ||
        !passes[ends.to])
      room_[link] = 0;
    const int tail = classes_[up ? ends.to : ends.from];
    const int head = classes_[up ? ends.from : ends.to];
    if (room_[link] == 0 || tail == head || tail < 0 || head < 0)
      continue;
    const int arc = static_cast<int>(free_.size());
    arcOf_[link] = arc;
    free_.push_back(room_[link]);
    tails_.push_back(tail);
    heads_.push_back(head);
    out_[tail].push_back({arc, head});
    in_[head].push_back({arc, tail});
    entering_[head] += room_[link];
  }
  isTarget_.assign(numClasses, false);
  lacking_.assign(numClasses, 0);
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    if (const int node = classOf(rank); node >= 0) {
      isTarget_[node] = true;
      lacking_[node] = trees;
    }
  has_.assign(trees, std::vector<bool>(numClasses, false));
  for (int tree = 0; tree < trees; ++tree) {
    const int root = classOf(roots.empty() ? problem.root : roots[tree]);
    members_.push_back({root});
    has_[tree][root] = true;
    --lacking_[root];
  }
}

bool Completion::begin() {
  flows_.clear();
  for (int node = 0; node < static_cast<int>(isTarget_.size()); ++node) {
    if (!isTarget_[node] || lacking_[node] == 0)
      continue;
    if (entering_[node] < lacking_[node])
      return false;
    flows_.push_back({node, std::vector<int>(free_.size(), 0),
                      std::vector<int>(members_.size(), -1)});
    for (size_t tree = 0; tree < members_.size(); ++tree) {
      const int root = members_[tree].front();
      if (root == node)
        continue;
      if (!augment(flows_.size() - 1, root, node))
        return false;
      flows_.back().entries[tree] = root;
    }
  }
  changes_.clear();
  return true;
}

void Completion::setUse(size_t flow, int arc, int uses) {
  int &now = flows_[flow].uses[arc];
  changes_.push_back({flow, false, arc, now});
  now = uses;
}

void Completion::setEntry(size_t flow, int tree, int node) {
  int &now = flows_[flow].entries[tree];
  changes_.push_back({flow, true, tree, now});
  now = node;
}

void Completion::startSearch(int from) {
  steps_.resize(out_.size());
  begins_.resize(out_.size(), 0);
  ++search_;
  steps_[from].search = search_;
  queue_.assign(1, from);
}

void Completion::reach(int node, const Step &step) {
  if (isReached(node))
    return;
  steps_[node] = step;
  steps_[node].search = search_;
  queue_.push_back(node);
}

/// Adds one unit of flow between two classes, in the residual graph.
bool Completion::augment(size_t index, int from, int to) {
  const Flow &flow = flows_[index];
  startSearch(from);
  for (int entry : flow.entries)
    if (entry >= 0)
      begins_[entry] = search_;
  for (size_t next = 0; next < queue_.size() && !isReached(to); ++next) {
    const int node = queue_[next];
    for (const Arc &arc : out_[node])
      if (!isReached(arc.node) && flow.uses[arc.arc] < free_[arc.arc])
        reach(arc.node, {node, arc.arc, -1, true});
    for (const Arc &arc : in_[node])
      if (!isReached(arc.node) && flow.uses[arc.arc] > 0)
        reach(arc.node, {node, arc.arc, -1, false});
    for (size_t tree = 0; begins_[node] == search_ && tree < members_.size();
         ++tree)
      if (flow.entries[tree] == node)
        for (int member : members_[tree])
          reach(member, {node, -1, static_cast<int>(tree), false});
  }
  if (!isReached(to))
    return false;
  for (int node = to; node != from; node = steps_[node].before) {
    const Step step = steps_[node];
    if (step.arc < 0)
      setEntry(index, step.tree, node);
    else
      setUse(index, step.arc, flow.uses[step.arc] + (step.forward ? 1 : -1));
  }
  return true;
}

/// Removes one unit of flow on a path between two classes.
bool Completion::removePath(size_t index, int from, int to) {
  const Flow &flow = flows_[index];
  startSearch(from);
  for (size_t next = 0; next < queue_.size() && !isReached(to); ++next)
    for (const Arc &arc : out_[queue_[next]])
      if (flow.uses[arc.arc] > 0)
        reach(arc.node, {queue_[next], arc.arc, -1, true});
  if (!isReached(to))
    return false;
  for (int node = to; node != from; node = steps_[node].before)
    setUse(index, steps_[node].arc, flow.uses[steps_[node].arc] - 1);
  return true;
}

/// Adapts a flow to the trees as they are after `tree` took class `node` (-1: a
/// class that it had already) by the path.
bool Completion::adapt(size_t index, int tree, int node) {
  const Flow &flow = flows_[index];
  if (node == flow.target) {
    if (!removePath(index, flow.entries[tree], node))
      return false;
    setEntry(index, tree, -1);
  }
  for (int arc : pathArcs_)
    while (flow.uses[arc] > free_[arc]) {
      setUse(index, arc, flow.uses[arc] - 1);
      if (!augment(index, tails_[arc], heads_[arc]))
        return false;
    }
  return true;
}

/// Returns true if the path fits, and each class that it enters still has
/// enough links of its own to receive all trees that lack it.
bool Completion::hasRoom() const {
  return std::all_of(path_->begin(), path_->end(),
                     [&](int link) { return room_[link] >= 0; }) &&
         std::all_of(pathArcs_.begin(), pathArcs_.end(), [&](int arc) {
           return entering_[heads_[arc]] >= lacking_[heads_[arc]];
         });
}

bool Completion::adaptAll(int tree, int node) {
  for (size_t index = 0; index < flows_.size(); ++index) {
    const Flow &flow = flows_[index];
    if (flow.target != node &&
        std::none_of(pathArcs_.begin(), pathArcs_.end(),
                     [&](int arc) { return flow.uses[arc] > free_[arc]; }))
      continue;
    if (!adapt(index, tree, node))
      return false;
  }
  return true;
}

bool Completion::take(int tree, int rank, const Path &path) {
  changes_.clear();
  pathArcs_.clear();
  path_ = &path;
  taker_ = tree;
  added_ = has_[tree][classOf(rank)] ? -1 : classOf(rank);
  if (added_ >= 0) {
    members_[tree].push_back(added_);
    has_[tree][added_] = true;
    --lacking_[added_];
  }
  for (int link : path) {
    --room_[link];
    if (const int arc = arcOf_[link]; arc >= 0) {
      pathArcs_.push_back(arc);
      --free_[arc];
      --entering_[heads_[arc]];
    }
  }
  if (hasRoom() && adaptAll(tree, added_))
    return true;
  takeBack();
  return false;
}

void Completion::takeBack() {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    Flow &flow = flows_[change->flow];
    (change->isEntry ? flow.entries : flow.uses)[change->index] =
        change->former;
  }
  changes_.clear();
  for (int arc : pathArcs_) {
    ++free_[arc];
    ++entering_[heads_[arc]];
  }
  for (int link : *path_)
    ++room_[link];
  if (added_ < 0)
    return;
  members_[taker_].pop_back();
  has_[taker_][added_] = false;
  ++lacking_[added_];
}
