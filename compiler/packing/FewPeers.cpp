//===- FewPeers.cpp - optima of many ranks, by few pairs ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FewPeers.h"

using namespace blink;

std::vector<int> blink::fewPeers(const NetworkPeers &peers) {
  int few = 8;
  while (few * few < peers.servers)
    few *= 2;
  return {peers.nearest + few, peers.nearest + 2 * few,
          peers.nearest + 4 * few};
}

llvm::Expected<PackedTrees> blink::packManyRanks(const PackingProblem &problem,
                                                 const SolveWatcher &watcher,
                                                 double slack) {
  const RankTopology &machine = *problem.rankTopology;
  const Collective collective = problem.collective;
  if (machine.numRanks() <= kMostUnlimited || isPairwise(collective) ||
      isRouted(collective) || isRooted(collective) || machine.isLimited() ||
      machine.isPhased() || !machine.relays().empty())
    return packTrees(problem, watcher, slack);
  if (llvm::Error error = problem.check())
    return error;
  const NetworkPeers peers = networkPeers(machine);
  const int most = fewPeers(peers).front();
  if (most >= peers.all || (!peers.overNics && machine.numRanks() <= kSoon))
    return packTrees(problem, watcher, slack);
  llvm::Expected<RankTopology> few = limitNetworkPeers(machine, most);
  if (!few) {
    llvm::consumeError(few.takeError());
    return packTrees(problem, watcher, slack);
  }
  PackingProblem limited = problem;
  limited.rankTopology = &*few;
  llvm::Expected<PackedTrees> packed = packTrees(limited, watcher, slack);
  if (!packed)
    return packed;
  llvm::Expected<PackingCertificate> proved =
      boundAt(problem, packed->certificate.prices);
  if (!proved)
    return proved.takeError();
  if (packed->packing.algbw < proved->bound * kSameRate)
    return packTrees(problem, watcher, slack);
  packed->certificate = std::move(*proved);
  return packed;
}
