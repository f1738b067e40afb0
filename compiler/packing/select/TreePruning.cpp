//===- TreePruning.cpp - drop trees one by one ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/TreePruning.h"

#include <algorithm>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

class Pruning {
public:
  Pruning(const ColumnPool &pool, const std::vector<int> &columns, MasterLp lp,
          const std::function<bool()> &keepGoing)
      : pool_(pool), columns_(columns), lp_(std::move(lp)),
        keepGoing_(keepGoing) {}

  Expected<PrunedColumns> run(double target, int maxTrees);

private:
  /// Permanently disables the columns outside the support.
  Error keepSupport();
  Error dropWhileReaching(double target);
  Error dropCheapest();
  Error setEnabled(const std::vector<int> &indices, bool enabled);

  const ColumnPool &pool_;
  const std::vector<int> &columns_;
  MasterLp lp_;
  const std::function<bool()> &keepGoing_;
  std::vector<int> active_;     // indices into columns_
  std::vector<double> weights_; // of columns_, for the active ones
  double rate_ = 0;
};

Error Pruning::setEnabled(const std::vector<int> &indices, bool enabled) {
  for (int index : indices)
    if (Error error = lp_.setEnabled(index, enabled))
      return error;
  return Error::success();
}

Error Pruning::keepSupport() {
  weights_ = lp_.weights();
  rate_ = lp_.rate();
  double total = 0;
  for (double weight : weights_)
    total += weight;
  std::vector<int> support, rest;
  for (int index : active_)
    (weights_[index] > 1e-11 * total ? support : rest).push_back(index);
  active_ = std::move(support);
  return setEnabled(rest, false);
}

Error Pruning::dropWhileReaching(double target) {
  std::vector<bool> needed(columns_.size(), false);
  size_t atOnce = std::max<size_t>(1, active_.size() / 4);
  while (!keepGoing_ || keepGoing_()) {
    // The lightest of the columns not yet known to be needed.
    std::vector<int> lightest;
    for (int index : active_)
      if (!needed[index])
        lightest.push_back(index);
    if (lightest.empty())
      return Error::success();
    std::stable_sort(lightest.begin(), lightest.end(),
                     [&](int a, int b) { return weights_[a] < weights_[b]; });
    lightest.resize(std::min(atOnce, lightest.size()));
    if (Error error = setEnabled(lightest, false))
      return error;
    if (Error error = lp_.solve())
      return error;
    if (lp_.rate() >= target) {
      std::vector<int> rest;
      for (int index : active_)
        if (std::find(lightest.begin(), lightest.end(), index) ==
            lightest.end())
          rest.push_back(index);
      active_ = std::move(rest);
      if (Error error = keepSupport())
        return error;
      continue;
    }
    if (Error error = setEnabled(lightest, true))
      return error;
    if (lightest.size() == 1)
      needed[lightest.front()] = true;
    atOnce = std::max<size_t>(1, lightest.size() / 2);
  }
  return Error::success();
}

Error Pruning::dropCheapest() {
  int cheapest =
      *std::min_element(active_.begin(), active_.end(), [&](int a, int b) {
        return weights_[a] < weights_[b];
      });
  double best = -1;
  for (int index : active_) {
    if (keepGoing_ && !keepGoing_())
      break; // the lightest, or the best that was tried, must do
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

Expected<PrunedColumns> Pruning::run(double target, int maxTrees) {
  for (size_t index = 0; index < columns_.size(); ++index) {
    if (Error error = lp_.addTree(pool_.tree(columns_[index]).root,
                                  pool_.uses(columns_[index])))
      return error;
    active_.push_back(static_cast<int>(index));
  }
  if (Error error = lp_.solve())
    return error;
  if (Error error = keepSupport())
    return error;
  if (rate_ >= target)
    if (Error error = dropWhileReaching(target))
      return error;
  int order = pool_.problem().order();
  while (maxTrees > 0 && static_cast<int>(active_.size()) * order > maxTrees &&
         active_.size() > 1)
    if (Error error = dropCheapest())
      return error;
  PrunedColumns result;
  result.rate = rate_;
  result.weights.assign(pool_.size(), 0.0);
  for (int index : active_)
    result.weights[columns_[index]] = weights_[index];
  return result;
}

} // namespace

Expected<PrunedColumns>
blink::pruneColumns(const ColumnPool &pool, const std::vector<int> &columns,
                    double target, int maxTrees,
                    const std::function<bool()> &keepGoing) {
  Expected<MasterLp> lp = MasterLp::create(pool.problem(), target);
  if (!lp)
    return lp.takeError();
  return Pruning(pool, columns, std::move(*lp), keepGoing)
      .run(target, maxTrees);
}
