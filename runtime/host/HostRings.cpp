//===- HostRings.cpp - the rings of a job on the host ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostRings.h"

#include <algorithm>

namespace blink::runtime {

Status HostRings::choose(Plan &plan, const std::vector<bool> &here) {
  const bool together =
      std::find(here.begin(), here.end(), false) == here.end();
  std::vector<bool> apart;
  for (const RingPlan &ring : plan.rings) {
    const TransportEntry &entry = transportOf(ring.kind);
    apart.push_back(entry.create && !(entry.betweenProcesses && together));
  }
  plan.keepApart(apart);
  numNear = plan.numRanks;
  const auto first = std::find(here.begin(), here.end(), true);
  if (plan.numServers > 1 &&
      std::find(here.begin(), here.end(), false) != here.end()) {
    const uint16_t server = plan.serverOf[size_t(first - here.begin())];
    numNear = plan.ranksOf(server);
    plan.keepServer(server);
  }
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
