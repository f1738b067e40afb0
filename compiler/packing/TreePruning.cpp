//===- TreePruning.cpp - drop trees one by one ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TreePruning.h"

#include <algorithm>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

class Pruning {
public:
  Pruning(const PackingProblem &problem, const ColumnPool &pool,
          const std::vector<int> &columns, MasterLp lp)
      : problem_(problem), pool_(pool), columns_(columns), lp_(std::move(lp)) {}

  Expected<PrunedTrees> run(double target, int maxTrees);

private:
  /// Weight 0 for ever for columns outside the support.
  Error keepSupport();
  Error dropWhileReaching(double target);
  Error dropCheapest();

  const PackingProblem &problem_;
  const ColumnPool &pool_;
  const std::vector<int> &columns_;
  MasterLp lp_;
  std::vector<int> active_; // indices into columns_
};

Error Pruning::keepSupport() {
  double total = 0;
  for (double weight : lp_.weights())
    total += weight;
  std::vector<int> support;
  for (int index : active_) {
    if (lp_.weights()[index] > 1e-11 * total)
      support.push_back(index);
    else if (Error error = lp_.setEnabled(index, false))
      return error;
  }
  active_ = std::move(support);
  return Error::success();
}

Error Pruning::dropWhileReaching(double target) {
  std::vector<bool> needed(columns_.size(), false);
  while (true) {
    // The lightest of those not yet known to be needed.
    int least = -1;
    for (int index : active_)
      if (!needed[index] &&
          (least < 0 || lp_.weights()[index] < lp_.weights()[least]))
        least = index;
    if (least < 0)
      return Error::success();
    if (Error error = lp_.setEnabled(least, false))
      return error;
    if (Error error = lp_.solve())
      return error;
    if (lp_.rate() >= target) {
      active_.erase(std::find(active_.begin(), active_.end(), least));
      if (Error error = keepSupport())
        return error;
      continue;
    }
    needed[least] = true;
    if (Error error = lp_.setEnabled(least, true))
      return error;
    if (Error error = lp_.solve())
      return error;
  }
}

Error Pruning::dropCheapest() {
  int cheapest = -1;
  double best = -1;
  for (int index : active_) {
    if (Error error = lp_.setEnabled(index, false))
      return error;
    if (Error error = lp_.solve())
      return error;
    if (lp_.rate() > best) {
      best = lp_.rate();
      cheapest = index;
    }
    if (Error error = lp_.setEnabled(index, true))
      return error;
  }
  if (Error error = lp_.setEnabled(cheapest, false))
    return error;
  active_.erase(std::find(active_.begin(), active_.end(), cheapest));
  if (Error error = lp_.solve())
    return error;
  return keepSupport();
}

Expected<PrunedTrees> Pruning::run(double target, int maxTrees) {
  for (size_t index = 0; index < columns_.size(); ++index) {
    if (Error error = lp_.addTree(pool_.tree(columns_[index]).root,
                                  pool_.uses(columns_[index])))
      return error;
    active_.push_back(static_cast<int>(index));
  }
  if (Error error = lp_.solve())
    return error;
  if (lp_.rate() >= target) {
    if (Error error = keepSupport())
      return error;
    if (Error error = dropWhileReaching(target))
      return error;
  }
  while (maxTrees > 0 && static_cast<int>(active_.size()) > maxTrees)
    if (Error error = dropCheapest())
      return error;
  PrunedTrees result;
  result.rate = lp_.rate();
  for (int index : active_) {
    result.trees.push_back(pool_.tree(columns_[index]));
    result.trees.back().weight = lp_.weights()[index];
  }
  return result;
}

} // namespace

Expected<PrunedTrees> blink::pruneTrees(const PackingProblem &problem,
                                        const ColumnPool &pool,
                                        const std::vector<int> &columns,
                                        double target, int maxTrees) {
  Expected<MasterLp> lp = MasterLp::create(problem, target);
  if (!lp)
    return lp.takeError();
  return Pruning(problem, pool, columns, std::move(*lp)).run(target, maxTrees);
}
