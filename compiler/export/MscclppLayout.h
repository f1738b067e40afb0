//===- MscclppLayout.h - places of a plan's chunks and channels -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_MSCCLPPLAYOUT_H
#define BLINK_COMPILER_EXPORT_MSCCLPPLAYOUT_H

#include "compiler/export/MscclppBlock.h"
#include "compiler/export/MscclppJobs.h"

#include <vector>

namespace blink {

/// Places a plan's chunks. Data that a rank only keeps or forwards is written
/// to its output directly; all other chunks have a place in scratch. No place
/// is used twice in a run, so no writer waits for a free one. Several thread
/// blocks may share a tree, each with a part of its chunks.
class MscclppLayout {
public:
  /// Limit of thread blocks per rank, since all of them run at the same time: a
  /// V100 has 80 multiprocessors.
  static constexpr unsigned kMostBlocks = 64;

  /// Divides each tree into `wanted` parts, or fewer.
  MscclppLayout(const MscclppJobs &jobs, const sched::Variant &variant,
                const EqualChunks &chunks, llvm::ArrayRef<unsigned> wanted);

  unsigned parts(uint32_t tree) const { return parts_[tree]; }
  /// Returns the rank at the other end of each channel of `rank`.
  const std::vector<int> &peers(uint32_t rank) const { return peers_[rank]; }
  unsigned scratchChunks(uint32_t rank) const { return scratch_[rank]; }
  /// Whether `job` only receives data that arrives in place and is not sent on.
  bool onlyWaits(const MscclppJob &job) const;
  /// Returns the chunks of an operand that belong to the job's part.
  ChunkRange rangeOf(const MscclppJob &job,
                     const sched::Operand &operand) const;

  /// Returns the channels, as indices into the rank's list, that a part reads
  /// or writes: all, or only those whose reader signals at the start of a run
  /// that it has begun.
  enum class Which { all, announced };
  std::vector<int> channels(const MscclppJob &job, bool reads,
                            Which which = Which::all) const;

private:
  void place();
  void findAnnounced();
  void chooseParts(llvm::ArrayRef<unsigned> wanted);
  void connect();
  ChunkRange part(const MscclppJob &job, int rank, char buffer,
                  unsigned first) const;

  /// The indices of a channel's part in the lists of the ranks at its two ends.
  struct Ends {
    int atSource, atDestination;
  };

  const MscclppJobs &jobs_;
  const sched::Variant &variant_;
  const EqualChunks &chunks_;
  std::vector<unsigned> parts_;         // by tree
  std::vector<std::vector<int>> peers_; // by rank
  std::vector<unsigned> scratch_;       // by rank
  // By channel:
  std::vector<std::vector<Ends>> ends_; // by part
  std::vector<ChunkRange> landing_;     // of chunks, over all parts
  std::vector<bool> isAnnounced_;
};

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPLAYOUT_H
