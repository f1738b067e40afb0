//===- MasterLp.h - the LP over known trees ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For trees t with weights w_t >= 0, and for allgather and reducescatter the
// amount x that every root sends:
//
//   maximise    sum_t w_t                       or  n * x
//   link l      sum_t uses(t, l) * w_t <= bandwidth(l)
//   root r                                          sum_{t of r} w_t >= x
//
// Inside, rows are divided by the link's bandwidth and columns by the tree's
// bottleneck, so that GLPK sees numbers near 1 whatever the machine is, and its
// tolerances are relative to each link.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_MASTERLP_H
#define BLINK_COMPILER_PACKING_MASTERLP_H

#include "compiler/packing/ColumnPool.h"
#include "compiler/packing/Glpk.h"

namespace blink {

class MasterLp {
public:
  /// An LP without trees. `rateScale` is a rate near the optimum, in GB/s.
  static llvm::Expected<MasterLp> create(const PackingProblem &problem,
                                         double rateScale);

  /// Adds a column; its number is the count of columns before.
  llvm::Error addTree(int root, const std::vector<LinkUse> &uses);

  /// A disabled column has weight 0. Columns start enabled.
  llvm::Error setEnabled(int column, bool enabled);

  /// Solves from the last basis. Errors: GLPK failed, or did not finish within
  /// its iteration limit.
  llvm::Error solve();

  // The solution; valid after solve().
  double rate() const { return rate_; } ///< GB/s
  /// Weight of each column, GB/s; may be off by GLPK's tolerances.
  const std::vector<double> &weights() const { return weights_; }
  /// Row duals, never negative: the price of each link of the topology...
  const std::vector<double> &linkPrices() const { return linkPrices_; }
  /// ... and what a unit of weight of a root's tree is worth.
  double worth(int root) const {
    return rootRows_.empty() ? 1 : rootWorths_[root];
  }

private:
  MasterLp(GlpkProblem glpk, const PackingProblem &problem, double rateScale);
  llvm::Error build();
  llvm::Error runSimplex();
  llvm::Error readSolution();

  GlpkProblem glpk_;
  const PackingProblem *problem_;
  double rateScale_;
  std::vector<int> linkRows_;       // per link: row, 0 for links not usable
  std::vector<int> rootRows_;       // per root: row; empty when roots are free
  int firstColumn_ = 1;             // GLPK's number of column 0
  std::vector<double> bottlenecks_; // per column
  double rate_ = 0;
  std::vector<double> weights_;
  std::vector<double> linkPrices_;
  std::vector<double> rootWorths_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_MASTERLP_H
