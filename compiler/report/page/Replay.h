//===- Replay.h - a message, as the simulator sees it -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_REPLAY_H
#define BLINK_COMPILER_REPORT_PAGE_REPLAY_H

#include "compiler/report/page/Trees.h"
#include "compiler/simulate/Simulate.h"

#include <optional>

namespace blink {

/// A simulated message that is small enough to be looked at chunk by chunk.
struct PageReplay {
  /// A chunk over a channel, in nanoseconds.
  struct Transfer {
    uint32_t channel;
    uint64_t begin, end;
    uint64_t arrival; ///< at its destination
  };
  struct Fold {
    uint32_t lane; ///< index in `lanes`
    uint64_t begin, end;
  };

  uint64_t bytes = 0; ///< of the message
  double microseconds = 0;
  std::vector<LaneTimes> lanes;
  std::vector<Transfer> transfers; ///< sorted by their ends
  std::vector<Fold> folds;
  std::vector<PageHop> channels;
  std::vector<int> trees; ///< of each channel
};

/// Simulates a message under the variant for large messages, with the lanes of
/// the model of time (TimeModel.h). It has as many chunks per tree as make some
/// thousand transfers, at most eight. Returns std::nullopt if two chunks per
/// tree are already too many, and for a single rank. Errors: those of simulate.
llvm::Expected<std::optional<PageReplay>>
replayOf(const FoldProgram &program, const sched::Variant &variant);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_REPLAY_H
