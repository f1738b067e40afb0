//===- MasterLp.cpp - the LP over known trees -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/MasterLp.h"

#include "compiler/support/Error.h"

#include <algorithm>
#include <limits>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// Tolerance of feasibility and optimality, relative thanks to the scaling.
constexpr double kTolerance = 1e-11;
/// Used if that one fails.
constexpr double kLooseTolerance = 1e-8;

int iterationLimit(int rows, int columns) {
  return 2000 + 50 * (rows + columns);
}

Error lpError(const char *what, int code) {
  return makeError("the linear program was not solved: {0} (GLPK code {1})",
                   what, code);
}

} // namespace

MasterLp::MasterLp(GlpkProblem glpk, const SymmetricProblem &problem,
                   double rateScale)
    : glpk_(std::move(glpk)), problem_(&problem), rateScale_(rateScale) {}

Expected<MasterLp> MasterLp::create(const SymmetricProblem &problem,
                                    double rateScale) {
  Expected<GlpkProblem> glpk = GlpkProblem::create();
  if (!glpk)
    return glpk.takeError();
  MasterLp lp(std::move(*glpk), problem, rateScale);
  if (Error error = lp.build())
    return error;
  return lp;
}

Error MasterLp::build() {
  const RankTopology &rankTopology = *problem_->problem().rankTopology;
  int rows = problem_->numRows();
  if (problem_->rootsAreEqual()) {
    firstColumn_ = 2;
    rootRows_.assign(rankTopology.numRanks(), 0);
    rootWorths_.assign(rankTopology.numRanks(), 0.0);
    for (int root : problem_->roots())
      rootRows_[root] = ++rows;
  }
  rowPrices_.assign(problem_->numRows(), 0.0);
  linkPrices_.assign(rankTopology.topology().links.size(), 0.0);

  return glpk_.call([&](glp_prob *lp) {
    glp_set_obj_dir(lp, GLP_MAX);
    if (rows > 0)
      glp_add_rows(lp, rows);
    // sum_t (uses * bottleneck / capacity) * y_t <= 1
    for (int row = 0; row < problem_->numRows(); ++row)
      glp_set_row_bnds(lp, row + 1, GLP_UP, 0, 1);
    if (!problem_->rootsAreEqual())
      return;
    // sum_{t of r} (bottleneck / scale) * y_t - x / scale >= 0
    int column = glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, column, 1);
    for (int root : problem_->roots()) {
      glp_set_row_bnds(lp, rootRows_[root], GLP_LO, 0, 0);
      int index[] = {0, column};
      double value[] = {0, -1};
      glp_set_mat_row(lp, rootRows_[root], 1, index, value);
    }
  });
}

Expected<MasterLp> MasterLp::solved(const ColumnPool &pool,
                                    const std::vector<int> &columns,
                                    double rateScale) {
  Expected<MasterLp> lp = create(pool.problem(), rateScale);
  if (!lp)
    return lp.takeError();
  for (int column : columns)
    if (Error error = lp->addTree(pool.tree(column).root, pool.uses(column)))
      return error;
  if (Error error = lp->solve())
    return error;
  return lp;
}

Error MasterLp::addTree(int root, const std::vector<RowUse> &uses) {
  double bottleneck = std::numeric_limits<double>::infinity();
  for (const RowUse &use : uses)
    bottleneck = std::min(bottleneck, problem_->capacity(use.row) / use.times);
  bottlenecks_.push_back(bottleneck);
  std::vector<int> rows{0};
  std::vector<double> values{0};
  for (const RowUse &use : uses) {
    rows.push_back(use.row + 1);
    values.push_back(use.times * bottleneck / problem_->capacity(use.row));
  }
  if (!rootRows_.empty()) {
    rows.push_back(rootRows_[root]);
    values.push_back(bottleneck / weightScale());
  }
  return glpk_.call([&](glp_prob *lp) {
    int column = glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
    if (rootRows_.empty())
      glp_set_obj_coef(lp, column, bottleneck / weightScale());
    glp_set_mat_col(lp, column, static_cast<int>(rows.size()) - 1, rows.data(),
                    values.data());
  });
}

Error MasterLp::setEnabled(int column, bool enabled) {
  return glpk_.call([&](glp_prob *lp) {
    glp_set_col_bnds(lp, firstColumn_ + column, enabled ? GLP_LO : GLP_FX, 0,
                     0);
  });
}

Error MasterLp::runSimplex() {
  // The first attempt starts from the last basis. That may have become singular
  // to working precision, or the method may cycle; the next attempts then start
  // anew, the last one with tolerances that more bases meet. Callers check what
  // the duals prove.
  struct Attempt {
    bool anew;
    int method;
    double tolerance;
  };
  const Attempt attempts[] = {{false, 0, kTolerance},
                              {true, GLP_PRIMAL, kTolerance},
                              {true, GLP_DUALP, kTolerance},
                              {true, GLP_PRIMAL, kLooseTolerance}};
  int code = 0, status = GLP_UNDEF;
  for (const Attempt &attempt : attempts) {
    if (Error error = glpk_.call([&](glp_prob *lp) {
          if (attempt.anew)
            glp_std_basis(lp);
          glp_smcp options;
          glp_init_smcp(&options);
          options.msg_lev = GLP_MSG_OFF;
          options.meth = attempt.method;
          if (!attempt.anew) {
            // New columns keep a basis primal feasible. GLPK's dual method
            // continues with the primal one when it fails.
            bool feasible = glp_get_prim_stat(lp) == GLP_FEAS;
            options.meth = feasible ? GLP_PRIMAL : GLP_DUALP;
          }
          options.tol_bnd = options.tol_dj = attempt.tolerance;
          options.it_lim =
              iterationLimit(glp_get_num_rows(lp), glp_get_num_cols(lp));
          code = glp_simplex(lp, &options);
          status = glp_get_status(lp);
        }))
      return error;
    if (code == 0 && status == GLP_OPT)
      return Error::success();
  }
  return code != 0 ? lpError("the simplex method failed", code)
                   : lpError("no optimum was reached", status);
}

Error MasterLp::readSolution() {
  weights_.resize(bottlenecks_.size());
  // Converts duals from rateScale_ per whole row to GB/s of rate per GB/s on
  // one link of the row.
  double perLink = rateScale_ / problem_->order();
  if (Error error = glpk_.call([&](glp_prob *lp) {
        rate_ = glp_get_obj_val(lp) * rateScale_;
        for (size_t column = 0; column < bottlenecks_.size(); ++column)
          weights_[column] =
              std::max(0.0, glp_get_col_prim(
                                lp, firstColumn_ + static_cast<int>(column))) *
              bottlenecks_[column];
        for (int row = 0; row < problem_->numRows(); ++row)
          rowPrices_[row] = std::max(0.0, glp_get_row_dual(lp, row + 1)) *
                            perLink / problem_->capacity(row);
        for (size_t root = 0; root < rootRows_.size(); ++root)
          if (rootRows_[root] > 0)
            rootWorths_[root] =
                std::max(0.0, -glp_get_row_dual(lp, rootRows_[root])) *
                problem_->ratePerWeight() / problem_->order();
      }))
    return error;
  for (size_t link = 0; link < linkPrices_.size(); ++link)
    if (int row = problem_->rowOf(static_cast<int>(link)); row >= 0)
      linkPrices_[link] = rowPrices_[row];
  return Error::success();
}

double MasterLp::priceOf(const std::vector<RowUse> &uses) const {
  double sum = 0;
  for (const RowUse &use : uses)
    sum += rowPrices_[use.row] * use.times;
  return sum;
}

double MasterLp::worth(int root) const {
  return rootRows_.empty() ? problem_->unitCost() : rootWorths_[root];
}

Error MasterLp::solve() {
  if (Error error = runSimplex())
    return error;
  return readSolution();
}
