//===- Elements.h - numbers of NCCL's types ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The ranks' inputs and the expected results, computed by this program itself.
// The numbers are chosen so that no step of a reduction is rounded in their
// type, in whatever order: results are compared bit by bit.
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
  int precision; ///< significant bits of floating point; 0 for integers
  int exponent;  ///< bits of the exponent
  bool isSigned;
};
const std::vector<Type> &types();

/// An operator and its name: those of nccl-tests, "mulsum" with the scalar on
/// the host, and "mulsumdev" with the scalar on the device.
struct Op {
  const char *name;
  ncclRedOp_t number; ///< unused for mulsum
  bool isMulSum, isOnDevice;
};
const std::vector<Op> &ops();
/// Whether results are exact. Averages of floating-point numbers are exact only
/// if the number of ranks is a power of two.
bool isExact(const Type &type, const Op &op, int ranks);

/// The ranks' inputs; `seed` differs from call to call.
struct Input {
  const Type &type;
  const Op &op;
  int ranks;
  uint64_t seed;

  /// Returns the bits of a rank's element `index`, in the low bytes.
  uint64_t at(int rank, size_t index) const;
  /// Returns the scalar of a rank, for mulsum.
  uint64_t scalar(int rank) const;
  /// Returns the reduction of all ranks' elements `index`.
  uint64_t reduced(size_t index) const;

private:
  double real(int rank, size_t index) const;
  double realScalar(int rank) const;
  uint64_t whole(int rank, size_t index) const;
  uint64_t wholeScalar(int rank) const;
};

/// Converts a number that the type can represent to its bits, and back.
uint64_t encode(const Type &type, double number);

} // namespace perf

#endif // BLINK_TEST_NCCLPROGRAMS_ELEMENTS_H
