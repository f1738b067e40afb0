//===- MscclppLayout.h - where a plan's chunks and channels are -*- C++ -*-===//
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

/// What a rank only passes on or keeps is written to its output at once; all
/// other chunks have a place in scratch. No place is used twice in a run, so
/// that nobody waits for a free one. Of each tree several thread blocks may do
/// the same, on a part of its chunks each.
class MscclppLayout {
public:
  /// Thread blocks of a rank, which all run at a time: a V100 has 80
  /// multiprocessors.
  static constexpr unsigned kMostBlocks = 64;

  /// In so many parts as `wanted` says by tree, or fewer.
  MscclppLayout(const MscclppJobs &jobs, const sched::Variant &variant,
                const EqualChunks &chunks, llvm::ArrayRef<unsigned> wanted);

  unsigned parts(uint32_t tree) const { return parts_[tree]; }
  /// The other end of each channel of a rank.
  const std::vector<int> &peers(uint32_t rank) const { return peers_[rank]; }
  unsigned scratchChunks(uint32_t rank) const { return scratch_[rank]; }
  /// Whether all that `job` gets is in place as it comes, and goes nowhere.
  bool onlyWaits(const MscclppJob &job) const;
  /// A part's own chunks of what an operand of it reads or writes.
  ChunkRange rangeOf(const MscclppJob &job,
                     const sched::Operand &operand) const;

  /// The channels, in the list of its rank, that a part reads or writes; all,
  /// or those whose reader tells its writer that it has begun this run.
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

  /// Where the two ends of a channel's part are, in the lists of the ranks.
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
  std::vector<ChunkRange> landing_;     // where chunks are put, of all parts
  std::vector<bool> isAnnounced_;
};

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPLAYOUT_H
