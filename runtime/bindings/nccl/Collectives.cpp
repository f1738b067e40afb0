//===- Collectives.cpp - collectives, messages and operators --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Comm.h"
#include "runtime/bindings/nccl/EntryPoints.h"

using namespace blink::nccl;

namespace {

blinkDataType_t typeOf(ncclDataType_t type) { return blinkDataType_t(type); }

/// Returns true for built-in operators, and for those made by
/// ncclRedOpCreatePreMulSum. The numbers between are operators of Blink's that
/// NCCL does not have.
bool isOperator(ncclRedOp_t op) {
  return (op >= 0 && op < kNumOps) || op > int(blinkBxor);
}

template <typename Run> ncclResult_t reduce(ncclRedOp_t op, Run run) {
  if (!isOperator(op))
    return refuse(ncclInvalidArgument,
                  "operator " + std::to_string(op) + " is none of NCCL's");
  return report(run(blinkRedOp_t(op)));
}

} // namespace

//===-- Collectives -------------------------------------------------------===//

NCCL_ENTRY ncclResult_t ncclAllReduce(const void *send, void *recv,
                                      size_t count, ncclDataType_t type,
                                      ncclRedOp_t op, ncclComm_t comm,
                                      ncclStream_t stream) {
  const auto own = [&] {
    return reduce(op, [&](blinkRedOp_t op) {
      return blinkAllReduce(send, recv, count, typeOf(type), op, comm->blink,
                            stream);
    });
  };
  return route(comm, "ncclAllReduce", own, send, recv, count, type, op,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclAllReduce)

NCCL_ENTRY ncclResult_t ncclBroadcast(const void *send, void *recv,
                                      size_t count, ncclDataType_t type,
                                      int root, ncclComm_t comm,
                                      ncclStream_t stream) {
  const auto own = [&] {
    return report(blinkBroadcast(send, recv, count, typeOf(type), root,
                                 comm->blink, stream));
  };
  return route(comm, "ncclBroadcast", own, send, recv, count, type, root,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclBroadcast)

NCCL_ENTRY ncclResult_t ncclBcast(void *buffer, size_t count,
                                  ncclDataType_t type, int root,
                                  ncclComm_t comm, ncclStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
NCCL_TWIN(ncclBcast)

NCCL_ENTRY ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                                   ncclDataType_t type, ncclRedOp_t op,
                                   int root, ncclComm_t comm,
                                   ncclStream_t stream) {
  const auto own = [&] {
    return reduce(op, [&](blinkRedOp_t op) {
      return blinkReduce(send, recv, count, typeOf(type), op, root, comm->blink,
                         stream);
    });
  };
  return route(comm, "ncclReduce", own, send, recv, count, type, op, root,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclReduce)

NCCL_ENTRY ncclResult_t ncclAllGather(const void *send, void *recv,
                                      size_t count, ncclDataType_t type,
                                      ncclComm_t comm, ncclStream_t stream) {
  const auto own = [&] {
    return report(
        blinkAllGather(send, recv, count, typeOf(type), comm->blink, stream));
  };
  return route(comm, "ncclAllGather", own, send, recv, count, type,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclAllGather)

NCCL_ENTRY ncclResult_t ncclReduceScatter(const void *send, void *recv,
                                          size_t count, ncclDataType_t type,
                                          ncclRedOp_t op, ncclComm_t comm,
                                          ncclStream_t stream) {
  const auto own = [&] {
    return reduce(op, [&](blinkRedOp_t op) {
      return blinkReduceScatter(send, recv, count, typeOf(type), op,
                                comm->blink, stream);
    });
  };
  return route(comm, "ncclReduceScatter", own, send, recv, count, type, op,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclReduceScatter)

NCCL_ENTRY ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
                                     ncclDataType_t type, ncclComm_t comm,
                                     ncclStream_t stream) {
  const auto own = [&] {
    return report(
        blinkAllToAll(send, recv, count, typeOf(type), comm->blink, stream));
  };
  return route(comm, "ncclAlltoAll", own, send, recv, count, type,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclAlltoAll)

NCCL_ENTRY ncclResult_t ncclGather(const void *send, void *recv, size_t count,
                                   ncclDataType_t type, int root,
                                   ncclComm_t comm, ncclStream_t stream) {
  const auto own = [&] {
    return report(blinkGather(send, recv, count, typeOf(type), root,
                              comm->blink, stream));
  };
  return route(comm, "ncclGather", own, send, recv, count, type, root,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclGather)

NCCL_ENTRY ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
                                    ncclDataType_t type, int root,
                                    ncclComm_t comm, ncclStream_t stream) {
  const auto own = [&] {
    return report(blinkScatter(send, recv, count, typeOf(type), root,
                               comm->blink, stream));
  };
  return route(comm, "ncclScatter", own, send, recv, count, type, root,
               innerOf(comm), stream);
}
NCCL_TWIN(ncclScatter)

//===-- Messages ----------------------------------------------------------===//

NCCL_ENTRY ncclResult_t ncclSend(const void *send, size_t count,
                                 ncclDataType_t type, int peer, ncclComm_t comm,
                                 ncclStream_t stream) {
  const auto own = [&] {
    return report(
        blinkSend(send, count, typeOf(type), peer, comm->blink, stream));
  };
  return route(comm, "ncclSend", own, send, count, type, peer, innerOf(comm),
               stream);
}
NCCL_TWIN(ncclSend)

NCCL_ENTRY ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type,
                                 int peer, ncclComm_t comm,
                                 ncclStream_t stream) {
  const auto own = [&] {
    return report(
        blinkRecv(recv, count, typeOf(type), peer, comm->blink, stream));
  };
  return route(comm, "ncclRecv", own, recv, count, type, peer, innerOf(comm),
               stream);
}
NCCL_TWIN(ncclRecv)

//===-- Operators ---------------------------------------------------------===//

NCCL_ENTRY ncclResult_t
ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                         ncclScalarResidence_t residence, ncclComm_t comm) {
  const auto own = [&] {
    if (!op)
      return fail(ncclInvalidArgument, "ncclRedOpCreatePreMulSum: op is NULL");
    blinkRedOp_t made = blinkSum;
    const ncclResult_t result = report(blinkRedOpCreatePreMulSum(
        &made, scalar, typeOf(type), blinkScalarResidence_t(residence),
        comm->blink));
    if (result == ncclSuccess)
      *op = ncclRedOp_t(made);
    return result;
  };
  return route(comm, "ncclRedOpCreatePreMulSum", own, op, scalar, type,
               residence, innerOf(comm));
}
NCCL_TWIN(ncclRedOpCreatePreMulSum)

NCCL_ENTRY ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  const auto own = [&] {
    return report(blinkRedOpDestroy(blinkRedOp_t(op), comm->blink));
  };
  return route(comm, "ncclRedOpDestroy", own, op, innerOf(comm));
}
NCCL_TWIN(ncclRedOpDestroy)
