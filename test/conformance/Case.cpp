//===- Case.cpp - a collective with its arguments -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Case.h"

namespace blink::test {

bool reduces(Collective collective) {
  return collective == Collective::allreduce ||
         collective == Collective::reduce ||
         collective == Collective::reducescatter;
}

std::string Case::describe() const {
  return std::string(sched::EnumNameCollective(collective)) + " type " +
         std::to_string(type) + " op " + std::to_string(op) + " count " +
         std::to_string(count) + " root " + std::to_string(root) +
         (inPlace ? " in place" : "") + (misaligned ? " misaligned" : "") +
         (threads ? " threads" : "");
}

blinkResult_t call(const Case &c, const void *send, void *recv,
                   blinkComm_t comm, blinkStream_t stream) {
  switch (c.collective) {
  case Collective::allreduce:
    return blinkAllReduce(send, recv, c.count, c.type, c.op, comm, stream);
  case Collective::broadcast:
    return blinkBroadcast(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::reduce:
    return blinkReduce(send, recv, c.count, c.type, c.op, c.root, comm, stream);
  case Collective::allgather:
    return blinkAllGather(send, recv, c.count, c.type, comm, stream);
  case Collective::reducescatter:
    return blinkReduceScatter(send, recv, c.count, c.type, c.op, comm, stream);
  case Collective::gather:
    return blinkGather(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::scatter:
    return blinkScatter(send, recv, c.count, c.type, c.root, comm, stream);
  case Collective::alltoall:
    return blinkAllToAll(send, recv, c.count, c.type, comm, stream);
  case Collective::sendrecv: // MessagesTest.cpp
    break;
  }
  return blinkInternalError;
}

} // namespace blink::test
