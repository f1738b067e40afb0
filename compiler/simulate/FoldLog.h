//===- FoldLog.h - what folds of a simulation waited for --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_FOLDLOG_H
#define BLINK_COMPILER_SIMULATE_FOLDLOG_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace blink {

/// What a fold last had to wait for.
enum class WaitKind {
  lane, ///< the fold before it in its lane
  data, ///< a chunk of a channel
  slot, ///< the news that a slot of a channel is free
};

struct WaitCause {
  WaitKind kind = WaitKind::lane;
  uint32_t channel = 0; ///< for data and slot
};

/// How a lane spent its time, in microseconds; the lane was done for the rest.
struct LaneTimes {
  size_t rank = 0, lane = 0;
  double folds = 0;     ///< spent in folds
  double data = 0;      ///< spent waiting for chunks
  double slots = 0;     ///< spent waiting for slots
  uint32_t channel = 0; ///< the one it waited for the longest, if any
};

/// A part of the critical path, which leads to the last fold of all: folds that
/// each began as soon as the previous one allowed it.
struct CriticalPart {
  WaitCause cause; ///< `channel` is one of those between the two ranks
  double microseconds = 0;
  uint64_t folds = 0; ///< number that waited for this cause
};

/// Records each fold that runs, in some 30 bytes.
class FoldLog {
public:
  FoldLog(size_t numLanes, size_t numChannels)
      : lanes_(numLanes), writers_(numChannels), readers_(numChannels) {}

  /// Records that a lane waits from `now` on.
  void wait(size_t lane, double now);
  /// Records that a fold of a lane begins for this reason and takes `duration`.
  void begin(size_t lane, WaitCause cause, double now, double duration);
  /// Record that this fold reads or writes the next chunk of a channel.
  void reads(uint32_t channel);
  void writes(uint32_t channel);

  /// Returns the reasons why the fold that began last did not begin earlier,
  /// the longest one first. Channels with the same ends are combined, as
  /// `groups[channel]` says. `slots` holds the slots of each channel.
  std::vector<CriticalPart>
  criticalPath(const std::vector<uint32_t> &groups,
               const std::vector<uint32_t> &slots) const;
  /// Returns the times of each lane, without its rank and number.
  std::vector<LaneTimes> laneTimes() const;

private:
  struct Run {
    double time;
    uint32_t before; ///< the lane's previous run, or itself
    WaitCause cause;
    uint32_t chunk; ///< of the channel that it waited for
  };
  struct Lane {
    double waitsSince = 0;
    bool waits = false;
    bool any = false;
    uint32_t last = 0; ///< index of its last run
    LaneTimes times;
    std::map<uint32_t, double> byChannel; ///< time it waited for each
  };

  std::vector<Run> runs_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<uint32_t>> writers_, readers_; ///< runs, by chunk
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_FOLDLOG_H
