//===- Case.cpp - a collective with its arguments -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Case.h"

#include "schedules/Collectives.h"
#include "test/conformance/Elements.h"

namespace blink::test {

std::vector<Collective> collectives() {
  std::vector<Collective> list(sched::kJointCollectives.begin(),
                               sched::kJointCollectives.end());
  list.push_back(Collective::sendrecv);
  return list;
}

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

/// Sends a message from each rank to each rank, itself included: an alltoall.
static blinkResult_t exchange(const Case &c, const void *send, void *recv,
                              blinkComm_t comm, blinkStream_t stream) {
  int numRanks = 0;
  if (blinkResult_t result = blinkCommCount(comm, &numRanks))
    return result;
  const size_t block = c.count * size_t(bytesOf(c.type));
  blinkGroupStart();
  for (int peer = 0; peer < numRanks; ++peer) {
    blinkSend(static_cast<const char *>(send) + size_t(peer) * block, c.count,
              c.type, peer, comm, stream);
    blinkRecv(static_cast<char *>(recv) + size_t(peer) * block, c.count, c.type,
              peer, comm, stream);
  }
  return blinkGroupEnd(); // also returns errors of the calls above
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
  case Collective::sendrecv:
    return exchange(c, send, recv, comm, stream);
  }
  return blinkInternalError;
}

} // namespace blink::test
