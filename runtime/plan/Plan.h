//===- Plan.h - programs, prepared once -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Everything that replaying needs beyond the file. It is computed when
// communicators are made, so that a call finds everything in place. All
// processes of a job on one server compute the same plan from the same files;
// processes on other servers compute the same of everything that leaves their
// server.
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

/// The buffer of the writer that holds the chunk of a step until the call ends.
/// A reader that reaches the buffer may borrow the chunk from there, so no slot
/// needs a copy.
enum class Borrow : uint8_t {
  none,   ///< no buffer: a slot must hold the chunk
  output, ///< the output that the step also writes, and no other step does
  input,  ///< the input, the step's only source
  /// Both of these; if the call is in place, the input may change.
  inputOrOutput,
  inputUnlessOwn, ///< the input, unless the call is in place
};

inline constexpr uint32_t kNoBlock = ~0u;

/// One rank's program of a variant.
struct RankPlan {
  RankPlan() = default;
  // A copy's code would point into the original.
  RankPlan(RankPlan &&) = default;
  RankPlan &operator=(RankPlan &&) = default;

  RankCode code;
  uint32_t numOperands = 0;
  std::vector<Borrow> borrows; ///< one for each step
  /// `borrows` if the kernel fetches for readers in other processes: only what
  /// they copy to their outputs. A chunk that is reduced comes faster through
  /// its slot, since both sides work on it.
  std::vector<Borrow> fetchedBorrows;
  /// `borrows` of steps that write to rings that are kept apart, and to no
  /// others: a transport can send the chunk from where it is. Empty if there
  /// are none.
  std::vector<Borrow> sentBorrows;
  /// For each step that writes several channels: the operand whose slot can
  /// hold the chunk for all of them, because its channel has the most slots.
  /// Else 0.
  std::vector<uint32_t> sharedSlots;
  /// For each operand: whether it is a channel of VariantPlan::partial. Empty
  /// if that is empty.
  std::vector<uint8_t> partial;
  /// The operands that `code` points to if blocks have other numbers than in
  /// the file, because the job's ranks play other parts.
  std::vector<OperandCode> renamed;
};

struct VariantPlan {
  const sched::Variant *variant = nullptr;
  uint32_t number = 0;         ///< number among all variants of the plan
  bool pairwise = false;       ///< for messages
  std::vector<RankPlan> ranks; ///< relays among them
  std::vector<TreeShare> trees;
  TreeShare largest;           ///< of these
  std::vector<uint32_t> rings; ///< number of each channel's ring
  /// For each channel: its number in the full file. Empty if that is the same.
  std::vector<uint32_t> channelNumbers;
  /// For each channel: the block of the reader's output that the chunk becomes
  /// a part of unchanged, or kNoBlock.
  std::vector<uint32_t> directBlocks;
  /// For each channel: whether it has such a block, and the reader neither does
  /// anything else with its chunks nor reads them again. Then the reader needs
  /// to be told of the last chunk only.
  std::vector<bool> quiet;
  /// For each channel: whether the writer's input holds its chunks throughout
  /// the call, for a reader that can reach it. False for direct channels: there
  /// the writer moves what it can.
  std::vector<bool> borrowed;
  std::vector<uint16_t> slots; ///< number of each channel's slots
  /// For each channel, for a transport; no window exceeds the channel's slots.
  std::vector<ChannelPace> paces;
  /// For each channel of a program with Accumulation::f32: whether its chunks
  /// are partial sums, and so wider than types of 8 and 16 bits. Empty if none
  /// is.
  std::vector<bool> partial;
  /// Whether every chunk goes from an input over one channel to outputs, and
  /// nothing is reduced: then no step waits for a step that waits for another.
  bool oneCopy = true;
  /// Whether lanes may wait for each other's rounds (RankRun::roundLimit), as
  /// every reader lags its channel's writer by no round or more, and by no more
  /// rounds than the channel has slots.
  bool inStep = false;

  sched::ChunkSizes chunks; ///< those of the file, or smaller (RingTable.h)

  uint32_t channelNumber(uint32_t channel) const {
    return channelNumbers.empty() ? channel : channelNumbers[channel];
  }
};

struct ProgramPlan {
  const sched::Program *program = nullptr;
  uint16_t root = 0; ///< rank of the job, as in ProgramLookup
  std::vector<VariantPlan> variants;
  std::vector<bool> readsInput; ///< for each rank: whether any variant does
  /// For each rank: whether any variant reads or writes it.
  std::vector<bool> usesOutput;
  /// The promise on the order of sums, for the job's ranks.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Whether types of 8 and 16 bits are rounded once: in all variants each sum
  /// is made in one step, or partial sums are wider.
  bool roundsOnce = true;
  /// On the host: calls of fewer bytes may take the first variant beyond its
  /// range (host/VariantChoice.h).
  uint64_t exchangeBelow = 0;

  /// Returns the variant for calls of `bytes`, S as for algbw.
  const VariantPlan &variantFor(uint64_t bytes) const;
};

/// The programs of a set for one job. Ranks here are the job's, even if a
/// program of a bundle has its parts in another order.
struct Plan {
  int numRanks = 0;  ///< relays among them
  ScheduleSet files; ///< with `expanded`, owns everything that this points into
  ExpandedFiles expanded;
  JobGpus gpus;
  sched::ReductionOrder order =
      sched::ReductionOrder::none; ///< the order that calls need
  uint64_t fingerprint =
      0;             ///< of the files' bytes in order, and of what is used
  std::string notes; ///< as in ProgramLookup
  std::vector<ProgramPlan> programs;
  /// Sorted by (source, destination); those of messages come last.
  std::vector<RingPlan> rings;
  int numServers = 1;
  std::vector<uint16_t> serverOf; ///< the server of each rank
  std::vector<NicPlan> nics;      ///< NICs of all servers
  uint64_t poolBytes = 0;         ///< of the slots of all rings in memory
  uint32_t numSlots = 0;          ///< of all rings in memory
  // The most that any variant needs:
  uint32_t numTrees = 0;
  uint32_t numLanes = 0;        ///< lanes of a rank
  uint32_t numOperands = 0;     ///< operands of one step
  uint32_t numMessageTrees = 0; ///< trees of one message between two ranks

  /// Makes the plan. `slotBytes`: the most bytes of all slots that a rank
  /// reads, as far as smaller chunks achieve it; 0: no limit. `order`: the
  /// order of sums that calls need. `here`: for each rank, whether it is in
  /// this process; empty: all are. What ranks do on servers without a rank that
  /// is here may be missing (SymmetricPrograms.h). Errors: those of
  /// lookUpPrograms and expandPrograms.
  static Status
  create(const ScheduleSet &files, int numRanks, const JobGpus &gpus,
         Plan &plan, uint64_t slotBytes = 0,
         sched::ReductionOrder order = sched::ReductionOrder::none,
         const std::vector<bool> &here = {});

  /// Keeps apart the rings whose entry is true: no memory is reached by both of
  /// their ranks. They get none in the pool, and what a step writes to them is
  /// neither borrowed nor put into a slot of another ring.
  void keepApart(const std::vector<bool> &rings);

  /// Rings that neither begin nor end on `server` get no memory here.
  void keepServer(uint16_t server);

  /// The number of ranks on a server.
  int ranksOf(uint16_t server) const;

  /// Finds the program for a collective and root. Errors: invalid usage, naming
  /// what to compile.
  Status find(sched::Collective collective, int root,
              const ProgramPlan *&program) const;

  /// Checks whether `program` may add floating-point numbers of `elementBytes`.
  /// Errors: invalid usage if it promises less than `order`.
  Status checkOrder(const ProgramPlan &program, size_t elementBytes) const;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_PLAN_H
