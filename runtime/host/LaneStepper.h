//===- LaneStepper.h - one lane's way through a collective ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter without its threads: which fold is next, what it waits for,
// what it does. Whoever drives it decides how to wait.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_LANESTEPPER_H
#define BLINK_RUNTIME_HOST_LANESTEPPER_H

#include "runtime/core/Geometry.h"
#include "runtime/host/Channel.h"
#include "runtime/host/Fold.h"
#include "runtime/host/Plan.h"

#include <optional>
#include <vector>

namespace blink::runtime {

/// One collective being replayed: the same for all lanes of all ranks, and
/// unchanged while any of them runs.
struct Launch {
  struct Buffers {
    const char *input = nullptr;
    char *output = nullptr;
  };

  const ProgramPlan *program = nullptr;
  const VariantPlan *variant = nullptr;
  FoldFunction fold = nullptr;
  uint32_t elementBytes = 0;
  uint32_t divisor = 0;              ///< of folds that complete; 0 for none
  uint64_t blockBytes = 0;           ///< of a block of the user's buffers
  std::vector<ElementRange> ranges;  ///< of each tree
  std::vector<uint64_t> chunkCounts; ///< of each tree
  std::vector<Buffers> buffers;      ///< of each rank
  Channel *channels = nullptr;
  char *pool = nullptr;
};

class LaneStepper {
public:
  /// A condition on a channel: it holds a chunk for its reader, or a free slot
  /// for its writer.
  struct Need {
    uint32_t channel = 0;
    bool reading = false;
    uint64_t expected = 0; ///< what the other end's counter must reach
    uint64_t seen = 0;     ///< what it was
  };

  /// Makes room for folds of so many operands.
  void reserve(size_t numOperands) { pointers_.resize(numOperands); }

  /// Goes to the first fold of `lane` on `rank`. Both `launch` and what it
  /// points to outlive the stepping.
  void start(const Launch &launch, uint32_t rank, uint32_t lane);

  bool done() const { return chunk_ == lastChunk_; }

  /// What the next fold waits for; nothing if it can run. Not when done().
  std::optional<Need> blocked() const;

  /// Whether a need of blocked() is met by now.
  bool met(const Need &need) const;

  /// Runs the next fold, which must not be blocked, and goes to the one after.
  /// Calls progress(channel, reading) for every channel it wrote or read.
  template <typename Progress> void run(Progress progress) {
    fold();
    for (uint32_t i = 0; i < numOperands(); ++i) {
      const sched::Operand &operand = this->operand(i);
      if (operand.kind() != sched::OperandKind::channel)
        continue;
      bool reading = i < step().sources();
      Channel &channel = launch_->channels[operand.index()];
      if (reading)
        channel.release();
      else
        channel.publish();
      progress(operand.index(), reading);
    }
    next();
  }

  /// The next fold's place, for messages: the step's number in its lane.
  uint32_t stepNumber() const { return step_; }

private:
  const sched::Step &step() const {
    return *code_->steps()->Get(begin_ + step_);
  }
  uint32_t numOperands() const {
    return uint32_t(step().sources()) + step().destinations();
  }
  const sched::Operand &operand(uint32_t index) const {
    return *code_->operands()->Get(step().operands_begin() + index);
  }
  Need needOf(uint32_t operand) const;
  char *address(uint32_t operand, ElementRange range) const;
  void fold();
  void next();
  void skipEmpty();

  const Launch *launch_ = nullptr;
  const sched::RankProgram *code_ = nullptr;
  uint32_t rank_ = 0;
  uint32_t begin_ = 0;     ///< the lane's first step
  uint32_t count_ = 0;     ///< of the lane's steps
  uint32_t step_ = 0;      ///< of the lane, next to run
  uint64_t chunk_ = 0;     ///< next to run
  uint64_t lastChunk_ = 0; ///< one beyond
  std::vector<void *> pointers_;
};

/// Whether `lane` of `rank` has any fold to run. Small messages leave trees
/// empty, and their lanes need not be woken.
bool laneHasWork(const Launch &launch, uint32_t rank, uint32_t lane);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_LANESTEPPER_H
