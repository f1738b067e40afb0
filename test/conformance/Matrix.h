//===- Matrix.h - all combinations, and a sample of them --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Collective x type x operator x elements x placement x ranks: all combinations
// on demand, otherwise a sample in which every two values meet.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_MATRIX_H
#define BLINK_TEST_CONFORMANCE_MATRIX_H

#include "test/conformance/Job.h"

namespace blink::test {

/// Whether the environment asks for everything: BLINK_CONFORMANCE=whole. Any
/// other value makes the test fail.
bool isWhole();

/// Where the buffers lie. Misaligned buffers are out of place and off by one
/// element.
enum class Placement { outOfPlace, inPlace, misaligned };

/// One combination.
struct Combination {
  Collective collective;
  blinkDataType_t type;
  blinkRedOp_t op; ///< sum where nothing is reduced
  size_t count;
  Placement placement;
  int ranks;

  bool reduces() const;
  /// Returns the combination as a case of a job whose root is `root`.
  Case asCase(int root) const;
  /// Returns the bytes of all ranks' buffers, on the host and, if there are
  /// any, on GPUs.
  uint64_t bytes() const;
};

inline constexpr int kRankCounts[] = {2, 3, 5, 8, 16};

/// Returns every combination that exists, in a fixed order; those with the same
/// number of ranks are adjacent.
std::vector<Combination> wholeMatrix();

/// Returns a sample in which every two values of different dimensions meet, if
/// any combination has both; a greedy search keeps it small. Sorted by ranks,
/// and always the same. Operators count only if something is reduced. Pairs
/// without the number of elements count only with 17 elements or more.
std::vector<Combination> pairwiseSample();

/// The root, and the schedule for combinations of `ranks` ranks.
int matrixRoot(int ranks);
TestSchedule matrixSchedule(int ranks);

/// Halves the number of elements until the buffers take at most `limit` bytes.
Combination fitted(Combination combination, uint64_t limit);

/// Returns how many bytes buffers may take on this machine: half of what is
/// free now, in the host's memory and in that of the GPUs.
uint64_t memoryLimit();

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_MATRIX_H
