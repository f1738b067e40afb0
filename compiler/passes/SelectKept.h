//===- SelectKept.h - the forest whose rate links keep ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_SELECTKEPT_H
#define BLINK_COMPILER_PASSES_SELECTKEPT_H

#include "compiler/packing/SelectTrees.h"

namespace blink {

/// A forest, and into how many equal parts each tree goes best within limits
/// that nobody has set; none: nobody has looked.
struct SelectedForest {
  Packing packing;
  std::vector<unsigned> parts = {};
};

/// Of `selected`, what selectTrees made of `packed`, whose rate links that
/// share themselves fairly may not keep, of trees of which they keep all, and
/// of smaller forests, the best: what keeps 97 % of its rate comes before what
/// does not, then what is faster, unless short messages take far longer. The
/// others have up to 5 % less than the optimum. Smaller forests are not looked
/// for where nearly all is kept, nor where fair trees that were the best have
/// their rate.
llvm::Expected<SelectedForest> selectKept(const PackingProblem &problem,
                                          const PackedTrees &packed,
                                          Packing selected,
                                          const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_SELECTKEPT_H
