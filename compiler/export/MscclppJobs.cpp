//===- MscclppJobs.cpp - folds that a plan's thread blocks do -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/MscclppJobs.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace blink;

MscclppJobs::Operands MscclppJobs::operands(const MscclppJob &job,
                                            unsigned begin,
                                            unsigned count) const {
  const auto &all = *variant_->ranks()->Get(job.rank)->operands();
  Operands list;
  for (unsigned i = begin; i < begin + count; ++i)
    list.push_back(all.Get(i));
  return list;
}

MscclppJobs::Operands MscclppJobs::sources(const MscclppJob &job) const {
  return operands(job, step(job).operands_begin(), step(job).sources());
}

MscclppJobs::Operands MscclppJobs::destinations(const MscclppJob &job) const {
  return operands(job, step(job).operands_begin() + step(job).sources(),
                  step(job).destinations());
}

std::vector<uint32_t> MscclppJobs::channels(const MscclppJob &job,
                                            bool reads) const {
  std::vector<uint32_t> list;
  for (const sched::Operand *operand : reads ? sources(job) : destinations(job))
    if (operand->kind() == sched::OperandKind::channel)
      list.push_back(operand->index());
  return list;
}

MscclppJobs::MscclppJobs(const sched::Variant &variant,
                         const EqualChunks &chunks)
    : variant_(&variant), writers_(variant.channels()->size()) {
  std::vector<int> levels(variant.channels()->size(), -1);
  std::vector<MscclppJob> left;
  for (uint32_t rank = 0; rank < variant.ranks()->size(); ++rank)
    for (uint32_t s = 0; s < variant.ranks()->Get(rank)->steps()->size(); ++s) {
      MscclppJob job{rank, s, 0};
      job.tree = step(job).tree();
      if (chunks.count[job.tree] > 0)
        left.push_back(job);
    }
  // A proved schedule has no cycles, so each round finds folds.
  while (!left.empty()) {
    std::vector<MscclppJob> later;
    for (MscclppJob &job : left) {
      bool isReady = true;
      for (uint32_t channel : channels(job, /*reads=*/true)) {
        isReady &= levels[channel] >= 0;
        job.level = std::max(job.level, levels[channel] + 1);
      }
      if (!isReady) {
        later.push_back(job);
        continue;
      }
      for (uint32_t channel : channels(job, /*reads=*/false))
        levels[channel] = job.level;
      list_.push_back(job);
    }
    left = std::move(later);
  }
  llvm::stable_sort(list_, [](const MscclppJob &a, const MscclppJob &b) {
    return std::tie(a.tree, a.level) < std::tie(b.tree, b.level);
  });
  for (const MscclppJob &job : list_)
    for (uint32_t channel : channels(job, /*reads=*/false))
      writers_[channel] = &job;
}

/// Whether `job` depends on `first`, directly or through other folds.
bool MscclppJobs::isBehind(const MscclppJob &job,
                           const MscclppJob &first) const {
  return llvm::any_of(channels(job, /*reads=*/true), [&](uint32_t channel) {
    return writers_[channel] == &first || isBehind(*writers_[channel], first);
  });
}

llvm::Error MscclppJobs::checkInPlace() const {
  auto has = [](const Operands &operands, sched::OperandKind kind) {
    return llvm::any_of(operands, [&](const sched::Operand *operand) {
      return operand->kind() == kind;
    });
  };
  for (const MscclppJob &writer : list_) {
    if (has(sources(writer), sched::OperandKind::output))
      return makeError("rank {0} reads its output of tree {1} back; thread "
                       "blocks of a plan do not wait for each other",
                       writer.rank, writer.tree);
    if (!has(destinations(writer), sched::OperandKind::output))
      continue;
    for (const MscclppJob &reader : list_)
      if (reader.rank == writer.rank && reader.tree == writer.tree &&
          &reader != &writer &&
          has(sources(reader), sched::OperandKind::input) &&
          !isBehind(writer, reader))
        return makeError(
            "rank {0} writes its output of tree {1} behind a fold that reads "
            "its input, in an order that only a lane keeps; thread blocks of a "
            "plan do not wait for each other",
            writer.rank, writer.tree);
  }
  return llvm::Error::success();
}
