//===- SampledCall.h - a collective on samples ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_SAMPLEDCALL_H
#define BLINK_TOOLS_REPLAY_SAMPLEDCALL_H

#include "schedules/Collectives.h"
#include "tools/replay/Samples.h"

#include <algorithm>

namespace blink {

/// A call whose inputs are Samples, with the arguments that all ranks pass.
struct SampledCall {
  sched::Collective collective;
  int root;     ///< 0 if the collective has none
  int numRanks; ///< without relays
  blinkDataType_t type;
  blinkRedOp_t op;
  size_t count; ///< as the call's argument
  /// In a sendrecv each rank makes two calls: it sends to the rank that is so
  /// many places after it, and receives from the one as many before. 1 is what
  /// nccl-tests does.
  int shift = 1;

  uint32_t inputBlocks() const {
    return isPairwise(collective)
               ? 1
               : sched::inputBlocks(collective, uint32_t(numRanks));
  }
  uint32_t outputBlocks() const {
    return isPairwise(collective)
               ? 1
               : sched::outputBlocks(collective, uint32_t(numRanks));
  }
  size_t blockBytes() const { return count * sizeOf(type); }
  size_t inputBytes() const { return blockBytes() * inputBlocks(); }
  size_t outputBytes() const { return blockBytes() * outputBlocks(); }
  /// Returns S, as for algbw: the whole gathered or scattered buffer.
  uint64_t bytes() const { return std::max(inputBytes(), outputBytes()); }
  /// Returns S of a call with one element.
  uint64_t unit() const {
    return sizeOf(type) * std::max(inputBlocks(), outputBlocks());
  }
  bool hasRoot() const { return sched::isRooted(collective); }
  bool reduces() const { return sched::isReduction(collective); }
  bool hasInPlace() const { return sched::hasInPlace(collective); }

  /// Whether `rank` contributes data, or gets a result. Relays do neither.
  bool sends(int rank) const {
    return rank < numRanks && (!onlyRootGives(collective) || rank == root);
  }
  bool receives(int rank) const {
    return rank < numRanks && (!onlyRootGets(collective) || rank == root);
  }

  /// Return the bytes from the begin of the larger buffer to the rank's own: in
  /// place, the smaller buffer is the rank's part of the larger one.
  size_t inputOffset(int rank, bool inPlace) const {
    const bool isPart = inPlace && inputBlocks() < outputBlocks();
    return isPart ? size_t(rank) * blockBytes() : 0;
  }
  size_t outputOffset(int rank, bool inPlace) const {
    const bool isPart = inPlace && outputBlocks() < inputBlocks();
    return isPart ? size_t(rank) * blockBytes() : 0;
  }

  /// firstElement(): the index in an input, counted through all its blocks, of
  /// the first element of `rank`'s output. sourceOf(): the rank whose input an
  /// output block contains, if nothing is reduced.
  uint64_t firstElement(int rank) const {
    return inputBlocks() > 1 ? uint64_t(rank) * count : 0;
  }
  int sourceOf(int rank, uint32_t outputBlock) const {
    if (isPairwise(collective))
      return (rank + numRanks - shift % numRanks) % numRanks;
    return outputBlocks() > 1 ? int(outputBlock) : root;
  }

  Samples samples(uint64_t seed) const {
    return Samples(type, op, numRanks, seed);
  }

  /// Makes the call for the rank of `comm`.
  blinkResult_t make(const void *send, void *recv, blinkComm_t comm,
                     blinkStream_t stream) const {
    switch (collective) {
    case sched::Collective::allreduce:
      return blinkAllReduce(send, recv, count, type, op, comm, stream);
    case sched::Collective::broadcast:
      return blinkBroadcast(send, recv, count, type, root, comm, stream);
    case sched::Collective::reduce:
      return blinkReduce(send, recv, count, type, op, root, comm, stream);
    case sched::Collective::allgather:
      return blinkAllGather(send, recv, count, type, comm, stream);
    case sched::Collective::reducescatter:
      return blinkReduceScatter(send, recv, count, type, op, comm, stream);
    case sched::Collective::gather:
      return blinkGather(send, recv, count, type, root, comm, stream);
    case sched::Collective::scatter:
      return blinkScatter(send, recv, count, type, root, comm, stream);
    case sched::Collective::alltoall:
      return blinkAllToAll(send, recv, count, type, comm, stream);
    case sched::Collective::sendrecv:
      return exchange(send, recv, comm, stream);
    }
    return blinkInternalError;
  }

private:
  blinkResult_t exchange(const void *send, void *recv, blinkComm_t comm,
                         blinkStream_t stream) const {
    int rank;
    if (blinkResult_t result = blinkCommUserRank(comm, &rank))
      return result;
    blinkGroupStart();
    blinkSend(send, count, type, (rank + shift) % numRanks, comm, stream);
    blinkRecv(recv, count, type, sourceOf(rank, 0), comm, stream);
    return blinkGroupEnd(); // it reports errors of both calls
  }
};

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_SAMPLEDCALL_H
