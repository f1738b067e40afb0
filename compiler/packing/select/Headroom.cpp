//===- Headroom.cpp - links that need not be full ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/Headroom.h"

#include <algorithm>

using namespace blink;

namespace {

/// The usable part of a link's bandwidth. TCP's acknowledgements for data in
/// the other direction take some 3 %, and queues settle a little below the
/// rest.
constexpr double kUsed = 0.9;
constexpr double kRoomTolerance = 1e-9;

} // namespace

std::vector<double>
blink::bandwidthsWithHeadroom(const PackingProblem &problem,
                              const PackingCertificate &proof) {
  double dust = 0;
  for (double price : proof.prices)
    dust = std::max(dust, price * PackingCertificate::kDust);
  std::vector<double> bandwidths;
  const std::vector<Link> &links = problem.rankTopology->topology().links;
  for (size_t link = 0; link < links.size(); ++link) {
    const bool spare = links[link].kind == LinkKind::network &&
                       link < proof.prices.size() && proof.prices[link] <= dust;
    bandwidths.push_back(links[link].bandwidth * (spare ? kUsed : 1));
  }
  return bandwidths;
}

bool blink::keepsHeadroom(const PackingProblem &problem, const Packing &packing,
                          const std::vector<double> &bandwidths) {
  const std::vector<double> loads = problem.linkLoads(packing);
  for (size_t link = 0; link < loads.size(); ++link)
    if (loads[link] > bandwidths[link] * (1 + kRoomTolerance))
      return false;
  return true;
}
