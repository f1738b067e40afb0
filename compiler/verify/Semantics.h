//===- Semantics.h - what each collective must compute ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The table at `Collective` in schedules/schedule.fbs in the form of questions:
// which ranks contribute to a tree's part of the buffer, and which of them
// receive the result.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_SEMANTICS_H
#define BLINK_COMPILER_VERIFY_SEMANTICS_H

#include "schedules/schedule_generated.h"

#include <cstdint>
#include <optional>
#include <string>

namespace blink::verify {

/// Why a check fails: a sentence that names the place, what was found and what
/// was expected. std::nullopt if the check passes.
using Failure = std::optional<std::string>;

/// What a tree of one block must do. `block` is sched::Tree::block throughout.
class Semantics {
public:
  explicit Semantics(const sched::Program &program)
      : collective_(program.collective()), root_(program.root()),
        numRanks_(program.allocation()->size()) {}

  sched::Collective collective() const { return collective_; }
  uint32_t numRanks() const { return numRanks_; }

  /// Returns the number of blocks in S, the size to which rates refer.
  uint32_t numBlocks() const {
    switch (collective_) {
    case sched::Collective::allreduce:
    case sched::Collective::broadcast:
    case sched::Collective::reduce:
    case sched::Collective::sendrecv: // one message
      return 1;
    case sched::Collective::allgather:
    case sched::Collective::reducescatter:
    case sched::Collective::gather:
    case sched::Collective::scatter:
    case sched::Collective::alltoall:
      return numRanks_;
    }
    return 1;
  }

  /// Whether results are reductions; otherwise they are copies.
  bool reduces() const {
    return collective_ == sched::Collective::allreduce ||
           collective_ == sched::Collective::reduce ||
           collective_ == sched::Collective::reducescatter;
  }

  /// Whether each block travels on its own, so that links carry one at a time.
  bool isPairwise() const { return collective_ == sched::Collective::sendrecv; }

  /// Whether input and output may be one buffer.
  bool worksInPlace() const {
    return collective_ != sched::Collective::alltoall &&
           collective_ != sched::Collective::sendrecv;
  }

  /// Returns the only block of a rank's input that a tree may read.
  uint32_t inputBlock(uint32_t block) const {
    switch (collective_) {
    case sched::Collective::reducescatter:
    case sched::Collective::scatter:
      return block;
    case sched::Collective::alltoall:
    case sched::Collective::sendrecv:
      return receiverOf(block);
    case sched::Collective::allreduce:
    case sched::Collective::broadcast:
    case sched::Collective::reduce:
    case sched::Collective::allgather:
    case sched::Collective::gather:
      return 0;
    }
    return 0;
  }
  /// Returns the only block of a rank's output that a tree may write or read
  /// back.
  uint32_t outputBlock(uint32_t block) const {
    switch (collective_) {
    case sched::Collective::allgather:
    case sched::Collective::gather:
      return block;
    case sched::Collective::alltoall:
    case sched::Collective::sendrecv:
      return senderOf(block);
    case sched::Collective::allreduce:
    case sched::Collective::broadcast:
    case sched::Collective::reduce:
    case sched::Collective::reducescatter:
    case sched::Collective::scatter:
      return 0;
    }
    return 0;
  }

  /// Whether the result is made of this rank's input (among others).
  bool contributes(uint32_t rank, uint32_t block) const {
    switch (collective_) {
    case sched::Collective::broadcast:
    case sched::Collective::scatter:
      return rank == root_;
    case sched::Collective::allgather:
    case sched::Collective::gather:
      return rank == block;
    case sched::Collective::alltoall:
    case sched::Collective::sendrecv:
      return rank == senderOf(block);
    case sched::Collective::allreduce:
    case sched::Collective::reduce:
    case sched::Collective::reducescatter:
      return true;
    }
    return false;
  }
  /// Whether this rank's output holds the result.
  bool receives(uint32_t rank, uint32_t block) const {
    switch (collective_) {
    case sched::Collective::reduce:
    case sched::Collective::gather:
      return rank == root_;
    case sched::Collective::reducescatter:
    case sched::Collective::scatter:
      return rank == block;
    case sched::Collective::alltoall:
    case sched::Collective::sendrecv:
      return rank == receiverOf(block);
    case sched::Collective::allreduce:
    case sched::Collective::broadcast:
    case sched::Collective::allgather:
      return true;
    }
    return false;
  }

private:
  // The ends of a block of an alltoall or sendrecv.
  uint32_t senderOf(uint32_t block) const { return block / numRanks_; }
  uint32_t receiverOf(uint32_t block) const { return block % numRanks_; }

  sched::Collective collective_;
  uint32_t root_;
  uint32_t numRanks_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SEMANTICS_H
