//===- Elements.h - numbers of NCCL's types ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the ranks give, and what must come out, by a computation of this
// program's own. The numbers are chosen so that no step of a reduction is
// rounded in their type, whatever its order: results are compared bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_NCCLPROGRAMS_ELEMENTS_H
#define BLINK_TEST_NCCLPROGRAMS_ELEMENTS_H

#include "test/nccl/nccl.h"

#include <cstdint>
#include <string>
#include <vector>

namespace perf {

struct Type {
  ncclDataType_t number;
  const char *name; ///< as nccl-tests', "half"
  size_t bytes;
  int precision; ///< of numbers with a point: bits, with the leading one; or 0
  int exponent;  ///< bits of it
  bool isSigned;
};
const std::vector<Type> &types();

/// An operator by name: nccl-tests', and "mulsum" with the scalar on the host,
/// "mulsumdev" with it on the device.
struct Op {
  const char *name;
  ncclRedOp_t number; ///< not of mulsum
  bool isMulSum, isOnDevice;
};
const std::vector<Op> &ops();
/// Whether results are exact: averages of numbers with a point only if the
/// number of ranks is a power of two.
bool isExact(const Type &type, const Op &op, int ranks);

/// What a rank gives as element `index`; `seed`: another one for each call.
struct Input {
  const Type &type;
  const Op &op;
  int ranks;
  uint64_t seed;

  /// Its bits, in the low bytes.
  uint64_t at(int rank, size_t index) const;
  /// The scalar of a rank, for mulsum.
  uint64_t scalar(int rank) const;
  /// What comes out where all ranks' elements `index` are reduced.
  uint64_t reduced(size_t index) const;

private:
  double real(int rank, size_t index) const;
  double realScalar(int rank) const;
  uint64_t whole(int rank, size_t index) const;
  uint64_t wholeScalar(int rank) const;
};

/// Bits of a number that the type has; and back.
uint64_t encode(const Type &type, double number);

} // namespace perf

#endif // BLINK_TEST_NCCLPROGRAMS_ELEMENTS_H
