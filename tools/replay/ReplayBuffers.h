//===- ReplayBuffers.h - what ranks of a replay give and get ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_REPLAYBUFFERS_H
#define BLINK_TOOLS_REPLAY_REPLAYBUFFERS_H

#include "tools/replay/Replay.h"
#include "tools/replay/SampledCall.h"

namespace blink {

/// The call of a replay, and of some of its ranks the buffers and the reference
/// they are held against.
class ReplayBuffers {
public:
  ReplayBuffers(const sched::Program &program, const ReplayOptions &options);

  /// "", or why there is no such call.
  std::string refusal() const;
  /// S that is really used.
  uint64_t bytes() const { return call_.bytes(); }

  /// Makes buffers for the ranks from `firstRank` to before `endRank`. Relays
  /// have none.
  void allocate(int firstRank, int endRank);
  /// Writes all inputs anew, and of outputs what no result looks like.
  void fill();
  blinkResult_t call(int rank, blinkComm_t comm);
  /// Adds to what was checked, and what of it was wrong.
  void check(ReplayResult &result);

private:
  using Bytes = std::vector<uint8_t>;

  Bytes expected(int rank, uint32_t block) const;
  uint8_t *input(int rank) {
    return (options_.inPlace ? outputs_ : inputs_)[size_t(rank - first_)]
               .data() +
           call_.inputOffset(rank, options_.inPlace);
  }
  uint8_t *output(int rank) {
    return outputs_[size_t(rank - first_)].data() +
           call_.outputOffset(rank, options_.inPlace);
  }

  const ReplayOptions &options_;
  SampledCall call_;
  Samples samples_;
  int first_ = 0, end_ = 0;
  std::vector<Bytes> inputs_, outputs_;
};

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_REPLAYBUFFERS_H
