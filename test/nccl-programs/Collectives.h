//===- Collectives.h - NCCL's collectives and their results -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_NCCLPROGRAMS_COLLECTIVES_H
#define BLINK_TEST_NCCLPROGRAMS_COLLECTIVES_H

#include "test/nccl-programs/Elements.h"

#include <optional>

namespace perf {

/// One rank's part in a call.
struct Call {
  const void *send;
  void *recv;
  size_t count; ///< as the function counts it
  ncclDataType_t type;
  size_t typeBytes;
  ncclRedOp_t op;
  int root, rank, ranks;
  ncclComm_t comm;
  cudaStream_t stream;
};

struct Collective {
  const char *name;
  bool hasOp, hasRoot, hasInPlace;
  /// Whether the send buffer, and the receive buffer, hold `count` elements for
  /// each rank.
  bool sendsAll, receivesAll;
  ncclResult_t (*run)(const Call &call);
  /// Returns the expected bits of an element in a rank's receive buffer, or
  /// nothing if the element must not change.
  std::optional<uint64_t> (*expected)(const Input &input, int rank, int root,
                                      size_t count, size_t index);
  /// The factor from algorithm bandwidth to bus bandwidth, as nccl-tests
  /// defines it.
  double (*busFactor)(int ranks);

  size_t sent(size_t count, int ranks) const {
    return sendsAll ? count * size_t(ranks) : count;
  }
  size_t received(size_t count, int ranks) const {
    return receivesAll ? count * size_t(ranks) : count;
  }
};
const std::vector<Collective> &collectives();

/// Prints what went wrong and ends the program.
[[noreturn]] void die(const char *what, const char *words, const char *file,
                      int line);
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    if (const cudaError_t error_ = (call); error_ != cudaSuccess)              \
      perf::die(#call, cudaGetErrorString(error_), __FILE__, __LINE__);        \
  } while (0)
#define NCCL_CHECK(call)                                                       \
  do {                                                                         \
    if (const ncclResult_t result_ = (call); result_ != ncclSuccess)           \
      perf::die(#call, ncclGetLastError(nullptr), __FILE__, __LINE__);         \
  } while (0)

} // namespace perf

#endif // BLINK_TEST_NCCLPROGRAMS_COLLECTIVES_H
