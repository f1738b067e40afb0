//===- UniformBound.cpp - how many trees of one weight fit ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/UniformBound.h"

#include "compiler/packing/lp/MasterLp.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cmath>

using namespace blink;
using llvm::Expected;

std::vector<double> blink::roomForTrees(const SymmetricProblem &problem,
                                        int copies, double rate) {
  /// A room this close below an integer is that integer.
  constexpr double kRoundUp = 1e-9;
  constexpr double kMost = 1e6;
  const double unit = rate / problem.ratePerWeight() / copies;
  std::vector<double> room;
  for (int row = 0; row < problem.numRows(); ++row)
    room.push_back(std::min(
        std::floor(problem.capacity(row) / unit * (1 + kRoundUp)), kMost));
  return room;
}

Expected<UniformBound> UniformBound::create(const ColumnPool &pool,
                                            const std::vector<int> &columns,
                                            double rate) {
  UniformBound bound(pool.problem());
  Expected<MasterLp> lp = MasterLp::solved(pool, columns, rate);
  if (!lp)
    return lp.takeError();
  bound.prices_ = lp->rowPrices();
  const int blocks = pool.problem().numBlocks();
  std::vector<double> costs(size_t(blocks), kInfinity); // of the cheapest trees
  for (int column : columns) {
    double &cost = costs[size_t(blocks > 1 ? pool.tree(column).root : 0)];
    cost = std::min(cost, lp->priceOf(pool.uses(column)));
  }
  for (double cost : costs)
    bound.cost_ += cost;
  return bound;
}

bool UniformBound::allows(int copies, double rate) const {
  constexpr double kRounding = 1e-6;
  const std::vector<double> room = roomForTrees(*problem_, copies, rate);
  double worth = 0;
  for (size_t row = 0; row < room.size(); ++row)
    worth += prices_[row] * room[row];
  return worth >= copies * cost_ * (1 - kRounding);
}
