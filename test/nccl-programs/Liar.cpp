//===- Liar.cpp - a library whose results are wrong -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Put in front of libnccl.so.2, as profilers are: its collectives call the real
// ones by their second names, but change a detail that the performance test has
// to find.
//
//===----------------------------------------------------------------------===//

#include "test/nccl/nccl.h"

extern "C" {

decltype(ncclAllReduce) pncclAllReduce;
decltype(ncclBroadcast) pncclBroadcast;
decltype(ncclAllGather) pncclAllGather;

/// Omits the last element.
ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return pncclAllReduce(send, recv, count - (count != 0), type, op, comm,
                        stream);
}

/// Broadcasts from another root.
ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return pncclBroadcast(send, recv, count, type, root ^ 1, comm, stream);
}

/// Writes one element too many, of one byte.
ncclResult_t ncclAllGather(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  int ranks = 0;
  const ncclResult_t result =
      pncclAllGather(send, recv, count, type, comm, stream);
  ncclCommCount(comm, &ranks);
  cudaMemsetAsync(static_cast<float *>(recv) + size_t(ranks) * count, 0, 1,
                  stream);
  return result;
}
}
