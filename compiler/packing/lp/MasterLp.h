//===- MasterLp.h - the LP over known trees ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For columns t (a tree and its images) with weights w_t >= 0 on each tree and,
// if roots are equal, the amount x that every root sends:
//
//   maximise    sum_t w_t                       or  x
//   row l       sum_t uses(t, l) * w_t <= capacity(l)
//   root r                                          sum_{t of r} w_t >= x
//
// Internally, rows are divided by their capacity and columns by the tree's
// bottleneck. GLPK then sees numbers near 1 whatever the machine is, and its
// tolerances are relative to each link.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_MASTERLP_H
#define BLINK_COMPILER_PACKING_LP_MASTERLP_H

#include "compiler/packing/lp/ColumnPool.h"
#include "compiler/packing/lp/Glpk.h"

namespace blink {

class MasterLp {
public:
  /// Creates an LP without trees. `problem` must outlive it; `rateScale` is a
  /// rate near the optimum, in GB/s.
  static llvm::Expected<MasterLp> create(const SymmetricProblem &problem,
                                         double rateScale);

  /// Creates and solves an LP over the trees `columns` of `pool`, in this
  /// order. The pool's problem must outlive it. Errors: those of solve().
  static llvm::Expected<MasterLp> solved(const ColumnPool &pool,
                                         const std::vector<int> &columns,
                                         double rateScale);

  /// Adds a column for a tree of one of the problem's roots. Columns are
  /// numbered from 0 in the order of these calls.
  llvm::Error addTree(int root, const std::vector<RowUse> &uses);

  /// A disabled column has weight 0. Columns start enabled.
  llvm::Error setEnabled(int column, bool enabled);

  /// Solves from the last basis. Errors: GLPK failed, or did not finish within
  /// its iteration limit.
  llvm::Error solve();

  // The solution; valid after solve().
  double rate() const { return rate_; } ///< GB/s
  /// Weight of each column, in GB/s per tree; may be off by GLPK's tolerances.
  const std::vector<double> &weights() const { return weights_; }
  /// The price of each link of the topology. Prices are duals, never negative,
  /// and normalised (SymmetricProblem::unitCost).
  const std::vector<double> &linkPrices() const { return linkPrices_; }
  /// The price of each row of the problem.
  const std::vector<double> &rowPrices() const { return rowPrices_; }
  /// Returns the price of a tree with these uses.
  double priceOf(const std::vector<RowUse> &uses) const;
  /// Returns the price below which a tree of `root` improves the LP.
  double worth(int root) const;

private:
  MasterLp(GlpkProblem glpk, const SymmetricProblem &problem, double rateScale);
  llvm::Error build();
  llvm::Error runSimplex();
  llvm::Error readSolution();
  /// The weight of a column whose coefficient is 1.
  double weightScale() const { return rateScale_ / problem_->ratePerWeight(); }

  GlpkProblem glpk_;
  const SymmetricProblem *problem_;
  double rateScale_;
  std::vector<int> rootRows_;       // per rank: row; empty if roots are free
  int firstColumn_ = 1;             // GLPK's number of column 0
  std::vector<double> bottlenecks_; // per column
  double rate_ = 0;
  std::vector<double> weights_;
  std::vector<double> rowPrices_; // per row of the problem
  std::vector<double> linkPrices_;
  std::vector<double> rootWorths_; // per rank
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_MASTERLP_H
