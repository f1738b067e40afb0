//===- Traffic.h - what a schedule does on one GPU --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Counted from the runtime's own plan of the file, for ranks that all are on
// one device: the grid of a launch, and the bytes that its folds read and
// write. Follows runtime/cuda/Lane.h and changes with it. Needs no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_TRAFFIC_H
#define BLINK_TOOLS_GPUCHECK_TRAFFIC_H

#include "runtime/plan/Plan.h"

#include <string>
#include <vector>

namespace blink::gpubench {

/// The file's plan for all its ranks. Throws std::runtime_error.
runtime::Plan planOf(const std::string &path);

/// Of a launch of all ranks: their lanes.
uint32_t numBlocks(const runtime::VariantPlan &variant);

/// Bytes.
struct Traffic {
  uint64_t reads = 0;
  uint64_t writes = 0;

  Traffic &operator+=(const Traffic &other);
};

/// By the folds of each rank's lanes.
using LaneTraffic = std::vector<std::vector<Traffic>>;
Traffic sumOf(const LaneTraffic &ranks);

/// How evenly lanes share what their rank moves.
struct LaneBalance {
  uint32_t moving = 0; ///< lanes that do, on the rank that has fewest of them
  uint32_t idle = 0;   ///< lanes that do not, of all ranks that move anything
  double fullest = 1;  ///< most that a lane moves, of the mean of its rank's
};
LaneBalance balanceOf(const LaneTraffic &ranks);

/// What ranks can reach of each other's buffers.
enum class Reach { all, none };

/// Of a call of `bytes`, S as for algbw, of four-byte elements in the variant
/// for it. Where ranks reach everything, writers put what readers just copy
/// straight into the readers' outputs, and readers take what writers just pass
/// on from the writers' inputs, as they do with large messages of the protocol
/// simple; else all goes through slots. Throws std::runtime_error if the
/// variant has another protocol.
LaneTraffic countTraffic(const runtime::ProgramPlan &program, uint64_t bytes,
                         bool inPlace, Reach reach);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_TRAFFIC_H
