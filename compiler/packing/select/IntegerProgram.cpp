//===- IntegerProgram.cpp - few trees of one weight -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/IntegerProgram.h"

#include "compiler/packing/lp/Glpk.h"
#include "compiler/packing/select/UniformBound.h"

#include <algorithm>
#include <cmath>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// The program: one row for each usable link, then one for each block.
class Program {
public:
  Program(const ColumnPool &pool, const std::vector<int> &columns, int copies,
          double rate)
      : pool_(pool), columns_(columns), copies_(copies),
        blocks_(pool.problem().numBlocks()),
        capacities_(roomForTrees(pool.problem(), copies, rate)) {}

  Error build(GlpkProblem &glpk);

  /// Returns the number of times that a tree fits when it is alone.
  int mostCopies(int column) const {
    double most = copies_;
    for (const RowUse &use : pool_.uses(column))
      most = std::min(most, std::floor(capacities_[use.row] / use.times));
    return static_cast<int>(most);
  }

private:
  const ColumnPool &pool_;
  const std::vector<int> &columns_;
  int copies_, blocks_;
  std::vector<double> capacities_;
};

Error Program::build(GlpkProblem &glpk) {
  int links = static_cast<int>(capacities_.size());
  if (Error error = glpk.call([&](glp_prob *lp) {
        glp_set_obj_dir(lp, GLP_MIN);
        glp_add_rows(lp, links + blocks_);
        for (int link = 0; link < links; ++link)
          glp_set_row_bnds(lp, link + 1, GLP_UP, 0, capacities_[link]);
        for (int block = 0; block < blocks_; ++block)
          glp_set_row_bnds(lp, links + block + 1, GLP_LO, copies_, 0);
        glp_add_cols(lp, static_cast<int>(columns_.size()));
      }))
    return error;
  for (size_t index = 0; index < columns_.size(); ++index) {
    const Tree &tree = pool_.tree(columns_[index]);
    std::vector<int> rows{0};
    std::vector<double> values{0};
    for (const RowUse &use : pool_.uses(columns_[index])) {
      rows.push_back(use.row + 1);
      values.push_back(use.times);
    }
    rows.push_back(links + 1 + (blocks_ > 1 ? tree.root : 0));
    values.push_back(1);
    int most = mostCopies(columns_[index]);
    double depth = pool_.depth(columns_[index]);
    if (Error error = glpk.call([&](glp_prob *lp) {
          int column = static_cast<int>(index) + 1;
          glp_set_col_kind(lp, column, GLP_IV);
          glp_set_col_bnds(lp, column, most > 0 ? GLP_DB : GLP_FX, 0, most);
          glp_set_obj_coef(lp, column, depth);
          glp_set_mat_col(lp, column, static_cast<int>(rows.size()) - 1,
                          rows.data(), values.data());
        }))
      return error;
  }
  return Error::success();
}

struct Budget {
  int nodes;
};

void watch(glp_tree *tree, void *info) {
  auto *budget = static_cast<Budget *>(info);
  int reason = glp_ios_reason(tree);
  if (reason == GLP_IBINGO || (reason == GLP_ISELECT && --budget->nodes < 0))
    glp_ios_terminate(tree);
}

} // namespace

Expected<std::vector<int>> blink::uniformTrees(const ColumnPool &pool,
                                               const std::vector<int> &columns,
                                               int copies, double rate,
                                               int maxNodes) {
  if (columns.empty())
    return std::vector<int>(); // GLPK rejects a program without columns
  Expected<GlpkProblem> glpk = GlpkProblem::create();
  if (!glpk)
    return glpk.takeError();
  if (Error error = Program(pool, columns, copies, rate).build(*glpk))
    return error;

  bool solved = false;
  Budget budget{maxNodes};
  std::vector<int> counts(columns.size(), 0);
  if (Error error = glpk->call([&](glp_prob *lp) {
        glp_smcp simplex;
        glp_init_smcp(&simplex);
        simplex.msg_lev = GLP_MSG_OFF;
        simplex.it_lim = 10000;
        if (glp_simplex(lp, &simplex) != 0 || glp_get_status(lp) != GLP_OPT)
          return; // the relaxation has no solution
        glp_iocp options;
        glp_init_iocp(&options);
        options.msg_lev = GLP_MSG_OFF;
        options.bt_tech = GLP_BT_DFS;
        // With many blocks, GLPK's default heuristic spends much time looking
        // ahead before each branch and gains less by it (R340).
        if (pool.problem().numBlocks() > 1)
          options.br_tech = GLP_BR_MFV;
        options.cb_func = watch;
        options.cb_info = &budget;
        int code = glp_intopt(lp, &options);
        int status = glp_mip_status(lp);
        solved = (code == 0 || code == GLP_ESTOP) &&
                 (status == GLP_OPT || status == GLP_FEAS);
        if (solved)
          for (size_t index = 0; index < counts.size(); ++index)
            counts[index] = static_cast<int>(
                std::lround(glp_mip_col_val(lp, static_cast<int>(index) + 1)));
      }))
    return error;
  if (!solved)
    counts.clear();
  return counts;
}
