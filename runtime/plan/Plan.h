//===- Plan.h - programs, prepared once -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What replaying needs beyond the file, worked out when communicators are made
// so that a call finds everything in place. Every process of a job and server
// computes the same plan from the same files, and processes of other servers
// the same of what leaves theirs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_PLAN_H
#define BLINK_RUNTIME_PLAN_PLAN_H

#include "runtime/core/ChannelPace.h"
#include "runtime/core/Program.h"
#include "runtime/plan/RingTable.h"
#include "runtime/plan/SymmetricPrograms.h"
#include "schedules/ChunkSize.h"

#include <vector>

namespace blink::runtime {

/// Which of the writer's buffers holds the chunk of a step for as long as a
/// call lasts, so that a reader that reaches the buffer may borrow the chunk
/// from there and needs no copy of it in a slot.
enum class Borrow : uint8_t {
  none,           ///< no buffer: a slot must hold the chunk
  output,         ///< the output that the step also writes, and nobody rewrites
  input,          ///< the input, the step's only source
  inputOrOutput,  ///< both of these; in place the input may change
  inputUnlessOwn, ///< the input, unless the call is in place
};

inline constexpr uint32_t kNoBlock = ~0u;

/// One rank's program of a variant.
struct RankPlan {
  RankPlan() = default;
  RankPlan(RankPlan &&) = default; // a copy's code would be the original's
  RankPlan &operator=(RankPlan &&) = default;

  RankCode code;
  uint32_t numOperands = 0;
  std::vector<Borrow> borrows; ///< of each step
  /// `borrows` where the kernel fetches for readers in other processes: only
  /// what they copy to their outputs. A chunk that is reduced comes faster by
  /// its slot: both sides work on it.
  std::vector<Borrow> fetchedBorrows;
  /// `borrows` of steps that write to rings that are kept apart, and to no
  /// others: a transport can send from where the chunk is. Empty: none.
  std::vector<Borrow> sentBorrows;
  /// Of each step that writes several channels: the operand whose slot can hold
  /// the chunk for all of them, as no other has more slots. Else 0.
  std::vector<uint32_t> sharedSlots;
  /// Of each operand: whether it is a channel of VariantPlan::partial. Empty
  /// where that is.
  std::vector<uint8_t> partial;
  /// Behind code.operands, where blocks are not those of the file: the job's
  /// ranks play other parts.
  std::vector<OperandCode> renamed;
};

struct VariantPlan {
  const sched::Variant *variant = nullptr;
  uint32_t number = 0;         ///< among all variants of the plan
  bool pairwise = false;       ///< of messages
  std::vector<RankPlan> ranks; ///< and relays
  std::vector<TreeShare> trees;
  TreeShare largest;           ///< of them
  std::vector<uint32_t> rings; ///< of each channel
  /// Of each channel its number in the file in full. Empty: the same.
  std::vector<uint32_t> channelNumbers;
  /// Of each channel: the block of the reader's output that the chunk becomes a
  /// part of just as it is, or kNoBlock.
  std::vector<uint32_t> directBlocks;
  /// Of each channel: whether it has such a block, the reader does nothing else
  /// with its chunks, and reads nothing of that again: it need not hear of
  /// chunks, but of the last.
  std::vector<bool> quiet;
  /// Of each channel: whether its chunks are the writer's input all through the
  /// call, for a reader that can reach it. Not of direct ones: there the writer
  /// moves what it can.
  std::vector<bool> borrowed;
  std::vector<uint16_t> slots; ///< of each channel
  /// Of each channel, for a transport; no window is of more than its slots.
  std::vector<ChannelPace> paces;
  /// Of each channel of a program with Accumulation::f32: whether its chunks
  /// are partial sums, and so wider than types of 8 and 16 bits. Empty where
  /// none is.
  std::vector<bool> partial;
  /// Chunks go from an input to outputs, over one channel, and nothing is
  /// reduced: a step waits for none that waits for another's.
  bool oneCopy = true;

  sched::ChunkSizes chunks; ///< those of the file, or smaller (RingTable.h)

  uint32_t channelNumber(uint32_t channel) const {
    return channelNumbers.empty() ? channel : channelNumbers[channel];
  }
};

struct ProgramPlan {
  const sched::Program *program = nullptr;
  uint16_t root = 0; ///< of the job, as of ProgramLookup
  std::vector<VariantPlan> variants;
  std::vector<bool> readsInput; ///< of each rank, in any variant
  std::vector<bool> usesOutput; ///< likewise: reads or writes
  /// What is promised of sums, by the job's ranks.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Whether types of 8 and 16 bits are rounded once: each sum is made in one
  /// step, in all variants, or partial sums are wider.
  bool roundsOnce = true;
  /// On the host: calls of fewer bytes may take the first variant, beyond its
  /// range (host/VariantChoice.h).
  uint64_t exchangeBelow = 0;

  /// The variant for calls of `bytes`, S as for algbw.
  const VariantPlan &variantFor(uint64_t bytes) const;
};

/// The programs of a set for one job. Ranks here are the job's, also where a
/// program of a bundle has its parts in another order.
struct Plan {
  int numRanks = 0;  ///< relays among them
  ScheduleSet files; ///< what everything here points into, or into
  ExpandedFiles expanded;
  JobGpus gpus;
  sched::ReductionOrder order =
      sched::ReductionOrder::none; ///< that calls need
  uint64_t fingerprint =
      0; ///< of the files' bytes, in order, and what was taken of them how
  std::string notes; ///< as of ProgramLookup
  std::vector<ProgramPlan> programs;
  std::vector<RingPlan> rings; ///< sorted by (source, destination), those of
                               ///< messages last
  int numServers = 1;
  std::vector<uint16_t> serverOf; ///< of each rank
  std::vector<NicPlan> nics;      ///< of all servers
  uint64_t poolBytes = 0;         ///< of all rings' slots
  uint32_t numSlots = 0;          ///< of all rings
  // The most that any variant needs:
  uint32_t numTrees = 0;
  uint32_t numLanes = 0;        ///< of a rank
  uint32_t numOperands = 0;     ///< of one step
  uint32_t numMessageTrees = 0; ///< of one message between two ranks

  /// `slotBytes`: of all slots that a rank reads, at most, as far as smaller
  /// chunks help; 0 is no limit. `order`: of sums, what calls need. `here`: of
  /// each rank, whether its process is this one; empty: all are. What ranks of
  /// servers without any of these do may be missing (SymmetricPrograms.h).
  /// Errors: as lookUpPrograms; as expandPrograms.
  static Status
  create(const ScheduleSet &files, int numRanks, const JobGpus &gpus,
         Plan &plan, uint64_t slotBytes = 0,
         sched::ReductionOrder order = sched::ReductionOrder::none,
         const std::vector<bool> &here = {});

  /// Rings with an entry that is true have no memory that both ranks reach:
  /// none in the pool, and what a step writes to them no reader borrows, nor
  /// finds in a slot of another.
  void keepApart(const std::vector<bool> &rings);

  /// Rings between ranks of other servers have no memory on this one.
  void keepServer(uint16_t server);

  /// Ranks of a server.
  int ranksOf(uint16_t server) const;

  /// Errors: invalid usage, naming what to compile.
  Status find(sched::Collective collective, int root,
              const ProgramPlan *&program) const;

  /// May `program` add up elements of floating point numbers of so many bytes?
  /// Errors: invalid usage, where it promises less than `order`.
  Status checkOrder(const ProgramPlan &program, size_t elementBytes) const;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_PLAN_H
