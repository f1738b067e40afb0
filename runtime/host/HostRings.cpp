//===- HostRings.cpp - the rings of a job on the host ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostRings.h"

namespace blink::runtime {

Status HostRings::choose(Plan &plan, const std::vector<bool> &here) {
  numNear = partRings(plan, here);
  return remote.create(plan, here);
}

void HostRings::bind(const Plan &plan) {
  writers.resize(plan.rings.size());
  readers.resize(plan.rings.size());
  for (uint32_t r = 0; r < plan.rings.size(); ++r) {
    if (plan.rings[r].elsewhere)
      continue;
    if (plan.rings[r].apart)
      remote.bind(r, writers[r], readers[r]);
    else
      for (RingMemory *end : {&writers[r], &readers[r]})
        *end = segment.ring(r);
  }
}

} // namespace blink::runtime
