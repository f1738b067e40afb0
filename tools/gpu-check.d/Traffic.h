//===- Traffic.h - traffic of a schedule on one GPU -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Counts, from the runtime's own plan of a file for ranks that are all on one
// device, the grid of a launch and the bytes that its folds read and write. It
// mirrors runtime/cuda/Lane.h and must change with it. Needs no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_TRAFFIC_H
#define BLINK_TOOLS_GPUCHECK_TRAFFIC_H

#include "runtime/plan/Plan.h"

#include <string>
#include <vector>

namespace blink::gpubench {

/// Returns the file's plan for all its ranks. Throws std::runtime_error.
runtime::Plan planOf(const std::string &path);

/// Returns the blocks of a launch of all ranks: their lanes.
uint32_t numBlocks(const runtime::VariantPlan &variant);

/// Bytes.
struct Traffic {
  uint64_t reads = 0;
  uint64_t writes = 0;

  Traffic &operator+=(const Traffic &other);
};

/// The traffic of the folds of each lane, by rank.
using LaneTraffic = std::vector<std::vector<Traffic>>;
Traffic sumOf(const LaneTraffic &ranks);

/// How evenly lanes share the traffic of their rank.
struct LaneBalance {
  uint32_t moving = 0; ///< lanes with traffic, on the rank with the fewest
  uint32_t idle = 0;   ///< lanes without, on ranks that have traffic
  double fullest = 1;  ///< most traffic of a lane over its rank's mean
};
LaneBalance balanceOf(const LaneTraffic &ranks);

/// Which of each other's buffers ranks can access.
enum class Reach { all, none };

/// Counts the traffic of a call of `bytes` (S as for algbw) with four-byte
/// elements, in the variant for that size. With access to all buffers, writers
/// put data that readers just copy directly into the readers' outputs, and
/// readers take data that writers just pass on directly from the writers'
/// inputs, as large messages of the protocol simple do. Otherwise all data goes
/// through slots. Throws std::runtime_error if the variant has another
/// protocol.
LaneTraffic countTraffic(const runtime::ProgramPlan &program, uint64_t bytes,
                         bool inPlace, Reach reach);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_TRAFFIC_H
