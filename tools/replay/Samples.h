//===- Samples.h - random data whose reductions are exact -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Inputs for checking a collective element by element. Floating point values
// are small multiples of a power of two, chosen so that no partial result, in
// any order, is rounded: right is then a matter of bits, not of tolerance.
// Knows nothing of how the runtime reduces.
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
/// Whether there is a reduction of the type by the operator: only integers have
/// bits to combine.
bool reducesBy(blinkRedOp_t op, blinkDataType_t type);
/// Null-terminated lists, for help texts and parsing: the value is the index.
extern const char *const kTypeNames[];
extern const char *const kOpNames[];

/// The inputs of `numRanks` ranks, and what their reduction must be.
class Samples {
public:
  Samples(blinkDataType_t type, blinkRedOp_t op, int numRanks, uint64_t seed);

  /// Writes `count` elements of `rank`'s input, from element `first`, to `out`.
  void inputs(int rank, uint64_t first, size_t count, void *out) const;
  /// Writes what the reduction of all ranks' elements must be, likewise.
  void reduced(uint64_t first, size_t count, void *out) const;

private:
  // A step for many elements at a time, so that what depends on type and
  // operator is asked once for them: it was most of the time of a check.
  void values(int rank, uint64_t first, size_t count, int64_t *out) const;
  void averaged(int rank, uint64_t first, size_t count, int64_t *out) const;
  void combine(const int64_t *next, size_t count, int64_t *result) const;
  void store(const int64_t *values, size_t count, void *out) const;

  blinkDataType_t type_;
  blinkRedOp_t op_;
  int numRanks_;
  uint64_t seed_;
  int64_t limit_; ///< of results: integers up to it are exact
  int64_t share_; ///< of one rank's part in one
};

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_SAMPLES_H
