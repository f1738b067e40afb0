//===- Replay.h - runs a schedule on real data and checks it ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_REPLAY_REPLAY_H
#define BLINK_TOOLS_REPLAY_REPLAY_H

#include "runtime/blink.h"
#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink {

struct ReplayOptions {
  uint64_t bytes = 64 << 20; ///< S as for algbw; rounded down to whole elements
  blinkDataType_t type = blinkFloat32;
  blinkRedOp_t op = blinkSum;
  bool inPlace = false;
  int iterations = 1;
  int timeoutMs = 0; ///< 0: the runtime's default
  uint64_t seed = 1;
};

struct ReplayResult {
  std::string error;           ///< not empty: the runtime refused or failed
  uint64_t bytes = 0;          ///< S that was used
  uint64_t checked = 0;        ///< elements compared, over ranks and iterations
  uint64_t wrong = 0;          ///< of these, how many differ in any bit
  std::string firstWrong;      ///< rank and element of the first one
  std::vector<double> seconds; ///< of each iteration
};

/// Replays `program`, one of the programs in `file` (its bytes), on the host
/// back end with all ranks in this process and Samples as inputs. Compares
/// every element of every output with the reduction of all inputs.
ReplayResult replay(const std::vector<uint8_t> &file,
                    const sched::Program &program,
                    const ReplayOptions &options);

} // namespace blink

#endif // BLINK_TOOLS_REPLAY_REPLAY_H
