//===- Rings.h - rings on the same links, for comparison --------*- C++ -*-===//
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
  double rate = 0;    ///< GB/s from each GPU to its next, over all rings
  double latency = 0; ///< microseconds of the slowest hop on its links
  double algbw = 0;   ///< GB/s for large messages
  /// Microseconds of messages of PageData::sizes(), by the terms of
  /// TimeModel.h: each hop costs the latency of its links and an overhead.
  std::vector<double> times;
};

/// Finds rings on the links of a job. Uses peer links alone (NVLink, xGMI, C2C)
/// if a ring closes over them. Tries two greedy choices and keeps the one with
/// more bandwidth: either each ring is the widest in what the rings before it
/// left, or each has the rate of a single link. On a DGX-1 this finds the
/// optimum. Returns std::nullopt if no ring closes; for collectives that rings
/// do not serve; and for more GPUs than are searched, unless the ring in the
/// order of ranks has the widest hops throughout.
std::optional<PageRings> findRings(const RankTopology &rankTopology,
                                   Collective collective,
                                   const std::vector<uint64_t> &sizes);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_RINGS_H
