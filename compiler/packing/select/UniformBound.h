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

/// How many trees of weight rate / (blocks * copies) each row of the problem
/// has room for (IntegerProgram.h).
std::vector<double> roomForTrees(const SymmetricProblem &problem, int copies,
                                 double rate);

/// What the prices of one linear program say about many integer programs. Let
/// a tree of block b cost w_b at least at prices p of links. Then `copies`
/// trees for each block cost copies * sum_b w_b at least, and rooms f no more
/// than sum_l p_l * f_l: where that is less, no program has a solution. True
/// of any prices; those of the best fractional packing tell most. Whoever asks
/// for few copies mostly asks in vain, for rooms are rounded down.
class UniformBound {
public:
  /// Over `columns` of `pool`. `rate`: one near the optimum. Errors: GLPK
  /// failed.
  static llvm::Expected<UniformBound>
  create(const ColumnPool &pool, const std::vector<int> &columns, double rate);

  /// Whether uniformTrees may find `copies` trees that reach `rate`.
  bool allows(int copies, double rate) const;

private:
  explicit UniformBound(const SymmetricProblem &problem) : problem_(&problem) {}

  const SymmetricProblem *problem_;
  std::vector<double> prices_; ///< of the problem's rows
  double cost_ = 0;            ///< of a tree of each block
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_UNIFORMBOUND_H
