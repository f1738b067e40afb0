//===- MscclppJobs.h - folds that a plan's thread blocks do -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_MSCCLPPJOBS_H
#define BLINK_COMPILER_EXPORT_MSCCLPPJOBS_H

#include "compiler/export/EqualChunks.h"

#include "schedules/schedule_generated.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// A fold, or one of the parts that share the chunks of its tree.
struct MscclppJob {
  uint32_t rank, step, tree;
  unsigned part = 0;
  int level = 0; ///< one more than that of the folds that feed it
};

/// The folds of trees that have chunks, undivided, sorted by tree, then level.
/// Thread blocks that run several folds in this order cannot deadlock.
class MscclppJobs {
public:
  MscclppJobs(const sched::Variant &variant, const EqualChunks &chunks);

  const std::vector<MscclppJob> &list() const { return list_; }
  const sched::Step &step(const MscclppJob &job) const {
    return *variant_->ranks()->Get(job.rank)->steps()->Get(job.step);
  }
  using Operands = std::vector<const sched::Operand *>;
  Operands sources(const MscclppJob &job) const;
  Operands destinations(const MscclppJob &job) const;
  /// Returns the channels that the fold reads or writes.
  std::vector<uint32_t> channels(const MscclppJob &job, bool reads) const;

  /// Checks that the plan works in place. Error: a fold overwrites what another
  /// one reads, and only a lane guarantees their order.
  llvm::Error checkInPlace() const;

private:
  Operands operands(const MscclppJob &job, unsigned begin,
                    unsigned count) const;
  bool isBehind(const MscclppJob &job, const MscclppJob &first) const;

  const sched::Variant *variant_;
  std::vector<MscclppJob> list_;
  std::vector<const MscclppJob *> writers_; // by channel
};

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPJOBS_H
