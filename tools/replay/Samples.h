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

  /// Writes element `index` of `rank`'s input to `out`.
  void input(int rank, uint64_t index, void *out) const {
    store(value(rank, index), out);
  }
  /// Writes what the reduction of all ranks' elements `index` must be.
  void reduced(uint64_t index, void *out) const;

private:
  int64_t value(int rank, uint64_t index) const;
  void store(int64_t value, void *out) const;

  blinkDataType_t type_;
  blinkRedOp_t op_;
  int numRanks_;
  uint64_t seed_;
  int64_t limit_; ///< of results: integers up to it are exact
  int64_t share_; ///< of one rank's part in one
};

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_SAMPLES_H
