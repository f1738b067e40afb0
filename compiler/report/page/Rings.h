//===- Rings.h - what rings would do on the same links ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Something to compare trees with: directed rings that visit every GPU of a job
// once, as NCCL and others run them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_RINGS_H
#define BLINK_COMPILER_REPORT_PAGE_RINGS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

struct PageRings {
  int rings = 0;
  double rate = 0;    ///< GB/s that all of them together pass from GPU to GPU
  double latency = 0; ///< microseconds of the slowest hop, on links
  double algbw = 0;   ///< GB/s of large messages
  /// Microseconds of messages of PageData::sizes(), by the terms of
  /// TimeModel.h: a hop costs the links' latency and an overhead.
  std::vector<double> times;
};

/// Rings on the links of a job, over peer links alone (NVLink, xGMI, C2C) where
/// one closes there: the widest, then the widest in what it leaves, and so on,
/// or of one link's rate each, whichever is more. A greedy choice, which on a
/// DGX-1 is the best there is.
/// None: no ring closes; a collective that rings are not for; more GPUs than
/// are searched, where not all orders are the same.
std::optional<PageRings> findRings(const RankTopology &rankTopology,
                                   Collective collective,
                                   const std::vector<uint64_t> &sizes);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_RINGS_H
