//===- Pods.h - ranks of several servers, for tests -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PACKING_PODS_H
#define BLINK_TEST_UNIT_PACKING_PODS_H

#include "compiler/generate/Generate.h"
#include "test/unit/topology/TestTopology.h"

namespace blink::test {

/// Returns `boxes` machines of a shipped type with 8 rails and `nic` GB/s a
/// GPU.
inline Topology railPod(const char *machine, int boxes, double nic = 50) {
  return valueOf(generatePod(shippedTopology(machine), boxes, 8,
                             {nic, 2, LinkKind::network}));
}

/// Returns the GPUs `job` (empty: all) of servers with `gpus` GPUs each, which
/// are all joined within a server, and with `rails` NICs.
inline RankTopology podOf(int boxes, int gpus, int rails,
                          std::vector<int> job = {}) {
  Topology box = valueOf(generateFullyConnected(gpus, Wire{}));
  return valueOf(RankTopology::create(
      valueOf(generatePod(box, boxes, rails, {5, 2, LinkKind::network})),
      std::move(job), LinkKindSet::all()));
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_PACKING_PODS_H
