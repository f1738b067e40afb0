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

/// What a fold had to wait for last.
enum class WaitKind {
  lane, ///< the fold before it in its lane
  data, ///< a chunk of a channel
  slot, ///< the news that a slot of a channel is free
};

struct WaitCause {
  WaitKind kind = WaitKind::lane;
  uint32_t channel = 0; ///< of data and slot
};

/// What a lane did with its time, in microseconds; the rest it was done.
struct LaneTimes {
  size_t rank = 0, lane = 0;
  double folds = 0;     ///< in which it was in folds
  double data = 0;      ///< in which it waited for chunks,
  double slots = 0;     ///< and for slots
  uint32_t channel = 0; ///< for which it waited most, if it waited
};

/// A part of the critical path: folds that each began as soon as the one
/// before let them, up to the last one of all.
struct CriticalPart {
  WaitCause cause; ///< `channel` is the number of one between the two ranks
  double microseconds = 0;
  uint64_t folds = 0; ///< that waited for it
};

/// Remembers each fold that runs: some 30 bytes.
class FoldLog {
public:
  FoldLog(size_t numLanes, size_t numChannels)
      : lanes_(numLanes), writers_(numChannels), readers_(numChannels) {}

  /// From `now` on a lane waits.
  void wait(size_t lane, double now);
  /// A fold of a lane begins for this reason, and takes so long.
  void begin(size_t lane, WaitCause cause, double now, double duration);
  /// It reads or writes the next chunk of a channel with so many slots.
  void reads(uint32_t channel);
  void writes(uint32_t channel);

  /// The reasons for which the fold that began last did so when it did, the
  /// longest first; those of channels with the same ends together, as
  /// `groups[channel]` says. `slots`: of each channel.
  std::vector<CriticalPart>
  criticalPath(const std::vector<uint32_t> &groups,
               const std::vector<uint32_t> &slots) const;
  /// Of each lane but for its place.
  std::vector<LaneTimes> laneTimes() const;

private:
  struct Run {
    double time;
    uint32_t before; ///< the lane's run before it, or itself
    WaitCause cause;
    uint32_t chunk; ///< of the channel that it waited for
  };
  struct Lane {
    double waitsSince = 0;
    bool waits = false;
    bool any = false;
    uint32_t last = 0; ///< run
    LaneTimes times;
    std::map<uint32_t, double> byChannel; ///< what it waited for each
  };

  std::vector<Run> runs_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<uint32_t>> writers_, readers_; ///< runs, by chunk
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_FOLDLOG_H
