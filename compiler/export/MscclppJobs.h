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

/// A fold, or a part of it: one of those that share the tree's chunks.
struct MscclppJob {
  uint32_t rank, step, tree;
  unsigned part = 0;
  int level = 0; ///< behind the folds of its tree whose data it gets
};

/// The folds of trees that have chunks, undivided: by tree, then level. Thread
/// blocks that take several in this order do not wait for each other in a
/// circle.
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
  /// Numbers of the channels that it reads or writes.
  std::vector<uint32_t> channels(const MscclppJob &job, bool reads) const;

  /// Error: folds whose order only a lane keeps, where in place one overwrites
  /// what the other reads.
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
