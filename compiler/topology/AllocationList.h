//===- AllocationList.h - lists of allocations ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lists of allocations (sets of GPU numbers): all sets of given sizes, and the
// sets that a text names.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_ALLOCATIONLIST_H
#define BLINK_COMPILER_TOPOLOGY_ALLOCATIONLIST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blink {

/// The most allocations that are enumerated: as many as 20 GPUs have.
constexpr uint64_t kMostAllocations = uint64_t(1) << 20;

/// Returns all sets of `minSize` to `maxSize` of the GPUs 0 to numGpus - 1, by
/// size, then lexicographically. Errors: no GPU, sizes outside 1 <= minSize <=
/// maxSize <= numGpus, more than kMostAllocations sets.
llvm::Expected<std::vector<std::vector<int>>>
enumerateAllocations(int numGpus, int minSize, int maxSize);

/// The order of sets: by size, then lexicographically.
inline bool isSmallerSet(const std::vector<int> &a, const std::vector<int> &b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Reads the allocations of a machine of `numGpus` GPUs that a user names:
///
///     all             every set of two or more GPUs (of one, if it has one)
///     2-4             every set of two to four GPUs
///     0,1/4,5,6,7     the sets {0,1} and {4,5,6,7}
///     2-3/8-8/0,1,4,5 sets of two, three and eight, and one more
///
/// A slash separates the parts, since a semicolon would end a shell's command.
/// The order of GPUs within a set does not matter: each set is returned in
/// ascending order, and the sets in the order of the text. Spaces around
/// numbers are allowed. A single number is a set of one GPU; `4-4` means all
/// sets of four.
///
/// Errors say at which character of the text (from 1) what is wrong and what
/// was expected: not a number, an empty set, an unknown or repeated GPU, a
/// repeated set, sizes the machine does not have, too many sets.
llvm::Expected<std::vector<std::vector<int>>>
parseAllocations(llvm::StringRef text, int numGpus);

/// Returns a list that --gpus accepts, such as "0,1,2,3"; a list of more than
/// 16 GPUs is written with ranges.
std::string formatGpus(const std::vector<int> &gpus);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_ALLOCATIONLIST_H
