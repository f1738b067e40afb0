//===- TreePruning.cpp - drop trees one by one ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/TreePruning.h"

#include "compiler/support/Infinity.h"

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
  /// Returns the `count` ones of least weight of `columns`, ascending.
  std::vector<int> lightest(std::vector<int> columns, size_t count) const;
  /// Drops `columns`, ascending, for good if the others have a rate of at least
  /// `least`.
  Expected<bool> drop(const std::vector<int> &columns, double least);
  Error dropWhileReaching(double target);
  Error dropCheapest();
  Error dropDownTo(size_t most);
  Error setEnabled(const std::vector<int> &indices, bool enabled);
  /// A rate above GLPK's tolerances: with less, a block has lost its last tree.
  double leastRate() const { return 1e-9 * rate_; }

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

std::vector<int> Pruning::lightest(std::vector<int> columns,
                                   size_t count) const {
  std::stable_sort(columns.begin(), columns.end(),
                   [&](int a, int b) { return weights_[a] < weights_[b]; });
  columns.resize(std::min(count, columns.size()));
  std::sort(columns.begin(), columns.end());
  return columns;
}

Expected<bool> Pruning::drop(const std::vector<int> &columns, double least) {
  if (Error error = setEnabled(columns, false))
    return error;
  if (Error error = lp_.solve())
    return error;
  if (lp_.rate() < least) {
    if (Error error = setEnabled(columns, true))
      return error;
    return false;
  }
  std::vector<int> rest;
  std::set_difference(active_.begin(), active_.end(), columns.begin(),
                      columns.end(), std::back_inserter(rest));
  active_ = std::move(rest);
  if (Error error = keepSupport())
    return error;
  return true;
}

Error Pruning::dropWhileReaching(double target) {
  std::vector<bool> needed(columns_.size(), false);
  size_t atOnce = std::max<size_t>(1, active_.size() / 4);
  while (!keepGoing_ || keepGoing_()) {
    std::vector<int> unsure; // the columns not yet known to be needed
    for (int index : active_)
      if (!needed[index])
        unsure.push_back(index);
    if (unsure.empty())
      return Error::success();
    const std::vector<int> next = lightest(std::move(unsure), atOnce);
    Expected<bool> dropped = drop(next, target);
    if (!dropped)
      return dropped.takeError();
    if (*dropped)
      continue;
    if (next.size() == 1)
      needed[next.front()] = true;
    atOnce = std::max<size_t>(1, next.size() / 2);
  }
  return Error::success();
}

/// Drops the column without which the rate is highest: of the lightest ones, or
/// of all if a block needs each of these.
Error Pruning::dropCheapest() {
  constexpr size_t kMostTried = 32;
  int cheapest = lightest(active_, 1).front();
  const double none = leastRate();
  double best = none;
  for (size_t count : {kMostTried, active_.size()}) {
    for (int index : lightest(active_, count)) {
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
    if (best > none)
      break;
  }
  return drop({cheapest}, /*least=*/-kInfinity).takeError();
}

/// Drops columns until `most` are left. Far more than these are not tried one
/// by one, which would take a linear program for every two of them.
Error Pruning::dropDownTo(size_t most) {
  constexpr size_t kFew = 64;
  const size_t few = std::max(most, kFew);
  bool atOnce = true; // until a block would lose its last tree
  while (active_.size() > std::max<size_t>(most, 1)) {
    if (atOnce && active_.size() > few) {
      const size_t half = (active_.size() - few + 1) / 2;
      Expected<bool> dropped = drop(lightest(active_, half), leastRate());
      if (!dropped)
        return dropped.takeError();
      atOnce = *dropped;
    } else if (Error error = dropCheapest()) {
      return error;
    }
  }
  return Error::success();
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
  if (maxTrees > 0)
    if (Error error = dropDownTo(size_t(maxTrees / pool_.problem().order())))
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
