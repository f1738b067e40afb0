//===- RouteBound.cpp - requests that cannot be routed --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/RouteBound.h"

#include "compiler/packing/TreeRoom.h"

using namespace blink;

bool blink::mayFit(const PackingProblem &problem,
                   const PackingCertificate &proof,
                   const RouteRequest &request) {
  constexpr double kRounding = 1e-6;
  const std::vector<Link> &links = problem.rankTopology->topology().links;
  // The values of all links at the prices: of their whole bandwidths, and of
  // the parts of these that whole trees can use.
  double all = 0, whole = 0;
  for (size_t link = 0; link < proof.prices.size(); ++link) {
    const double room = roomForTrees(request.bandwidths[link], request.unit);
    all += proof.prices[link] * links[link].bandwidth;
    whole += proof.prices[link] * room * request.unit;
  }
  const double rate =
      request.copies * request.unit *
      blocksOfBuffer(problem.collective, problem.rankTopology->numRanks());
  // The value `all` suffices for at most the bound, and `whole` for at most the
  // same rate in proportion.
  return whole * proof.bound >= all * rate * (1 - kRounding);
}
