//===- Chains.h - a schedule's trees, if they are chains --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_CHAINS_H
#define BLINK_COMPILER_EXPORT_CHAINS_H

#include "schedules/schedule_generated.h"

#include "llvm/Support/Error.h"

#include <map>
#include <vector>

namespace blink {

/// Trees that visit all ranks in this order or in the reverse order.
struct Chain {
  std::vector<int> ranks;
  double share = 0; ///< of all data, over these trees
  /// Share of all data that goes from one rank to the next, by the pair of
  /// ranks.
  std::map<std::pair<int, int>, double> loads;
};

/// Returns the chains of a variant of `program`, in the order of its trees.
/// Errors: the first tree that branches, with its number.
llvm::Expected<std::vector<Chain>> chainsOf(const sched::Program &program,
                                            const sched::Variant &variant);

/// Joins chains that become the same circle when their ends are linked: `ranks`
/// is the circle from rank 0 on.
std::vector<Chain> circlesOf(const std::vector<Chain> &chains);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_CHAINS_H
