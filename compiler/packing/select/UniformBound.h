//===- UniformBound.h - how many trees of one weight fit --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_UNIFORMBOUND_H
#define BLINK_COMPILER_PACKING_SELECT_UNIFORMBOUND_H

#include "compiler/packing/lp/ColumnPool.h"

#include "llvm/Support/Error.h"

namespace blink {

/// Returns, for each row of the problem, the number of trees of weight rate /
/// (blocks * copies) that fit (IntegerProgram.h).
std::vector<double> roomForTrees(const SymmetricProblem &problem, int copies,
                                 double rate);

/// A test that shows many integer programs to be infeasible with the prices of
/// a single linear program. At link prices p, let each tree of block b cost at
/// least w_b. `copies` trees for each block then cost at least copies * sum_b
/// w_b, but at most sum_l p_l * f_l if link l has room f_l. If the latter is
/// less, no solution exists. This holds for any prices; those of the best
/// fractional packing exclude most. Programs for few copies are usually
/// infeasible, because room is rounded down.
class UniformBound {
public:
  /// Builds the test for `columns` of `pool`. `rate` is a rate near the
  /// optimum. Errors: GLPK failed.
  static llvm::Expected<UniformBound>
  create(const ColumnPool &pool, const std::vector<int> &columns, double rate);

  /// Returns false if uniformTrees cannot find `copies` trees that reach
  /// `rate`.
  bool allows(int copies, double rate) const;

private:
  explicit UniformBound(const SymmetricProblem &problem) : problem_(&problem) {}

  const SymmetricProblem *problem_;
  std::vector<double> prices_; ///< of the problem's rows
  double cost_ = 0;            ///< of one tree of each block, summed
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_UNIFORMBOUND_H
