//===- CallConfigs.cpp - collectives with settings per call ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The settings choose among NCCL's algorithms and bound its resources. In Blink
// the schedule determines all of that, so the settings are ignored; they are
// passed on to the fallback.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Comm.h"
#include "runtime/bindings/nccl/EntryPoints.h"

using namespace blink::nccl;

NCCL_ENTRY ncclResult_t ncclAllReduceConfig(const void *send, void *recv,
                                            size_t count, ncclDataType_t type,
                                            ncclRedOp_t op, ncclComm_t comm,
                                            ncclStream_t stream,
                                            const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclAllReduceConfig", send, recv, count, type,
                                 op, inner, stream, config);
  return ncclAllReduce(send, recv, count, type, op, comm, stream);
}
NCCL_TWIN(ncclAllReduceConfig)

NCCL_ENTRY ncclResult_t ncclBroadcastConfig(const void *send, void *recv,
                                            size_t count, ncclDataType_t type,
                                            int root, ncclComm_t comm,
                                            ncclStream_t stream,
                                            const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclBroadcastConfig", send, recv, count, type,
                                 root, inner, stream, config);
  return ncclBroadcast(send, recv, count, type, root, comm, stream);
}
NCCL_TWIN(ncclBroadcastConfig)

NCCL_ENTRY ncclResult_t ncclReduceConfig(const void *send, void *recv,
                                         size_t count, ncclDataType_t type,
                                         ncclRedOp_t op, int root,
                                         ncclComm_t comm, ncclStream_t stream,
                                         const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclReduceConfig", send, recv, count, type,
                                 op, root, inner, stream, config);
  return ncclReduce(send, recv, count, type, op, root, comm, stream);
}
NCCL_TWIN(ncclReduceConfig)

NCCL_ENTRY ncclResult_t ncclAllGatherConfig(const void *send, void *recv,
                                            size_t count, ncclDataType_t type,
                                            ncclComm_t comm,
                                            ncclStream_t stream,
                                            const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclAllGatherConfig", send, recv, count, type,
                                 inner, stream, config);
  return ncclAllGather(send, recv, count, type, comm, stream);
}
NCCL_TWIN(ncclAllGatherConfig)

NCCL_ENTRY ncclResult_t ncclReduceScatterConfig(
    const void *send, void *recv, size_t count, ncclDataType_t type,
    ncclRedOp_t op, ncclComm_t comm, ncclStream_t stream, const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclReduceScatterConfig", send, recv, count,
                                 type, op, inner, stream, config);
  return ncclReduceScatter(send, recv, count, type, op, comm, stream);
}
NCCL_TWIN(ncclReduceScatterConfig)

NCCL_ENTRY ncclResult_t ncclAlltoAllConfig(const void *send, void *recv,
                                           size_t count, ncclDataType_t type,
                                           ncclComm_t comm, ncclStream_t stream,
                                           const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclAlltoAllConfig", send, recv, count, type,
                                 inner, stream, config);
  return ncclAlltoAll(send, recv, count, type, comm, stream);
}
NCCL_TWIN(ncclAlltoAllConfig)

NCCL_ENTRY ncclResult_t ncclGatherConfig(const void *send, void *recv,
                                         size_t count, ncclDataType_t type,
                                         int root, ncclComm_t comm,
                                         ncclStream_t stream,
                                         const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclGatherConfig", send, recv, count, type,
                                 root, inner, stream, config);
  return ncclGather(send, recv, count, type, root, comm, stream);
}
NCCL_TWIN(ncclGatherConfig)

NCCL_ENTRY ncclResult_t ncclScatterConfig(const void *send, void *recv,
                                          size_t count, ncclDataType_t type,
                                          int root, ncclComm_t comm,
                                          ncclStream_t stream,
                                          const void *config) {
  if (ncclComm_t inner = innerOf(comm))
    return comm->fallback().call("ncclScatterConfig", send, recv, count, type,
                                 root, inner, stream, config);
  return ncclScatter(send, recv, count, type, root, comm, stream);
}
NCCL_TWIN(ncclScatterConfig)
