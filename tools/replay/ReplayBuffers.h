//===- ReplayBuffers.h - inputs and outputs of a replay's ranks -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_REPLAYBUFFERS_H
#define BLINK_TOOLS_REPLAY_REPLAYBUFFERS_H

#include "tools/replay/Replay.h"
#include "tools/replay/SampledCall.h"

namespace blink {

/// The call of a replay, and for some of its ranks the buffers and the
/// reference that their results are compared with.
class ReplayBuffers {
public:
  ReplayBuffers(const sched::Program &program, const ReplayOptions &options);

  /// Returns "", or why the call is impossible.
  std::string refusal() const;
  /// Returns the S that is used.
  uint64_t bytes() const { return call_.bytes(); }

  /// Allocates buffers for the ranks in [firstRank, endRank). Relays have none.
  void allocate(int firstRank, int endRank);
  /// Rewrites all inputs, and fills outputs with values unlike any result.
  void fill();
  blinkResult_t call(int rank, blinkComm_t comm);
  /// Adds the numbers of checked and of wrong elements to `result`.
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
