//===- MachineDiff.h - two machines compared, in words ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_MACHINEDIFF_H
#define BLINK_COMPILER_RENDER_MACHINEDIFF_H

#include "compiler/topology/TopologyDiff.h"

namespace blink {

/// Whether a node is gone, or a link is gone or slower.
bool isWorse(const TopologyDiff &diff);

/// "gpu2 - gpu6, nvlink: worse: 22.1 instead of 47.9 GB/s", one change per
/// line.
std::string toText(const TopologyDiff &diff);
std::string toJson(const TopologyDiff &diff);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_MACHINEDIFF_H
