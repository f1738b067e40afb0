//===- Matrix.h - all combinations, and a sample of them --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Collective x type x operator x elements x placement x ranks: whole on demand,
// otherwise so many of them that every two values meet.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_MATRIX_H
#define BLINK_TEST_CONFORMANCE_MATRIX_H

#include "test/conformance/Job.h"

namespace blink::test {

/// Whether the environment asks for everything: BLINK_CONFORMANCE=whole. The
/// test fails on another value.
bool isWhole();

/// Where the buffers lie. Misaligned is out of place, by one element.
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
  /// As a case of a job whose root is `root`.
  Case asCase(int root) const;
  /// Of all ranks' buffers, on the host and, where there are, on GPUs.
  uint64_t bytes() const;
};

inline constexpr int kRankCounts[] = {2, 3, 5, 8, 16};

/// Every combination that there is, in a fixed order; those of one number of
/// ranks follow each other.
std::vector<Combination> wholeMatrix();

/// As few as a greedy search finds so that every two values of different
/// dimensions are in one of them, if there is one; sorted by ranks. Operators
/// count where something is reduced, other pairs where there are 17 elements or
/// more. Always the same.
std::vector<Combination> pairwiseSample();

/// The root and the communicators for combinations of `ranks` ranks.
int matrixRoot(int ranks);
TestSchedule matrixSchedule(int ranks);

/// Halves the count until the buffers take at most `limit` bytes.
Combination fitted(Combination combination, uint64_t limit);

/// Bytes that buffers may take on this machine: half of what is free now, in
/// the host's memory and in that of GPUs.
uint64_t memoryLimit();

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_MATRIX_H
