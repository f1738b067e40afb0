//===- Semantics.h - what each collective must compute ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The table at `Collective` in schedules/schedule.fbs as questions: which ranks
// contribute to a tree's part of the buffer, and which of them get the result.
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
/// was expected. Nothing where the check passes.
using Problem = std::optional<std::string>;

/// What a tree of one block must do. `block` is sched::Tree::block throughout.
class Semantics {
public:
  explicit Semantics(const sched::Program &program)
      : collective_(program.collective()), root_(program.root()),
        numRanks_(program.allocation()->size()) {}

  sched::Collective collective() const { return collective_; }
  uint32_t numRanks() const { return numRanks_; }

  /// Blocks that the trees of the collective split between them.
  uint32_t numTreeBlocks() const { return isPerRank() ? numRanks_ : 1; }

  /// Whether results are reductions; otherwise they are copies.
  bool reduces() const {
    return collective_ == sched::Collective::allreduce ||
           collective_ == sched::Collective::reduce ||
           collective_ == sched::Collective::reducescatter;
  }

  /// The only block of a rank's input a tree may read.
  uint32_t inputBlock(uint32_t block) const {
    return collective_ == sched::Collective::reducescatter ? block : 0;
  }
  /// The only block of a rank's output a tree may write or read back.
  uint32_t outputBlock(uint32_t block) const {
    return collective_ == sched::Collective::allgather ? block : 0;
  }

  /// Whether the result is made of this rank's input (among others).
  bool contributes(uint32_t rank, uint32_t block) const {
    if (collective_ == sched::Collective::broadcast)
      return rank == root_;
    return collective_ != sched::Collective::allgather || rank == block;
  }
  /// Whether this rank's output holds the result.
  bool receives(uint32_t rank, uint32_t block) const {
    if (collective_ == sched::Collective::reduce)
      return rank == root_;
    return collective_ != sched::Collective::reducescatter || rank == block;
  }

private:
  bool isPerRank() const {
    return collective_ == sched::Collective::allgather ||
           collective_ == sched::Collective::reducescatter;
  }

  sched::Collective collective_;
  uint32_t root_;
  uint32_t numRanks_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SEMANTICS_H
