//===- Samples.h - random data whose reductions are exact -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Inputs for checking a collective element by element. Floating-point values
// are small multiples of a power of two, chosen such that no partial result is
// rounded, in any order of operations. Results can therefore be compared bit by
// bit. The file does not depend on how the runtime reduces.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_SAMPLES_H
#define BLINK_TOOLS_REPLAY_SAMPLES_H

#include "runtime/blink.h"

#include <cstddef>
#include <cstdint>

namespace blink {

size_t sizeOf(blinkDataType_t type);
const char *nameOf(blinkDataType_t type);
const char *nameOf(blinkRedOp_t op);
/// Whether the operator can reduce the type: bitwise operators need integers.
bool reducesBy(blinkRedOp_t op, blinkDataType_t type);
/// Null-terminated lists for help texts and parsing; a value is an index.
extern const char *const kTypeNames[];
extern const char *const kOpNames[];

/// The inputs of `numRanks` ranks, and their expected reduction.
class Samples {
public:
  Samples(blinkDataType_t type, blinkRedOp_t op, int numRanks, uint64_t seed);

  /// Writes `count` elements of `rank`'s input, from element `first`, to `out`.
  void inputs(int rank, uint64_t first, size_t count, void *out) const;
  /// Writes the expected reduction of all ranks' elements to `out`.
  void reduced(uint64_t first, size_t count, void *out) const;

private:
  // Each function handles many elements per call, so that the branches on type
  // and operator run once for all of them: they took most of the time of a
  // check.
  void values(int rank, uint64_t first, size_t count, int64_t *out) const;
  void averaged(int rank, uint64_t first, size_t count, int64_t *out) const;
  void combine(const int64_t *next, size_t count, int64_t *result) const;
  void store(const int64_t *values, size_t count, void *out) const;

  blinkDataType_t type_;
  blinkRedOp_t op_;
  int numRanks_;
  uint64_t seed_;
  int64_t limit_; ///< of results: integers up to this are exact
  int64_t share_; ///< of one rank's part of a result
};

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_SAMPLES_H
