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

#include "runtime/Plan.h"

#include <string>

namespace blink::gpubench {

/// The file's plan for all its ranks. Throws std::runtime_error.
runtime::Plan planOf(const std::string &path);

/// Of a launch of all ranks: their lanes.
uint32_t numBlocks(const runtime::VariantPlan &variant);

/// Bytes, by all folds of all ranks.
struct Traffic {
  uint64_t reads = 0;
  uint64_t writes = 0;
};

/// Of a call of `bytes`, S as for algbw, of four-byte elements in the variant
/// for it. Writers put what readers just copy straight into the readers'
/// outputs, as they do with large messages of the protocol simple; throws
/// std::runtime_error if the variant has another one.
Traffic countTraffic(const runtime::ProgramPlan &program, uint64_t bytes,
                     bool inPlace);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_TRAFFIC_H
