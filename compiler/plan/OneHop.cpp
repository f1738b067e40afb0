//===- OneHop.cpp - an allreduce of one exchange --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/OneHop.h"

#include "compiler/plan/FoldLoads.h"

#include <algorithm>
#include <limits>

using namespace blink;

/// What `rank` sends. The reader reads in the order of ranks: behind this one's
/// data wait those of the ranks above.
static std::vector<TreeEdge> sendsOf(int rank, const PathTable &table,
                                     double child) {
  int n = table.numRanks;
  auto left = [&](int to) {
    int before = rank - (to < rank); // channels that are read earlier
    return table.cost(rank, to) + child * (n - 2 - before);
  };
  std::vector<int> order;
  for (int distance = 1; distance < n; ++distance)
    order.push_back((rank + distance) % n);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return left(a) > left(b); });
  std::vector<TreeEdge> sends;
  for (int to : order)
    sends.push_back({rank, to, table.path(rank, to)});
  return sends;
}

/// When the last rank has read everything.
static double lastRead(const std::vector<std::vector<TreeEdge>> &sends,
                       const PathTable &table, double child) {
  int n = table.numRanks;
  double latest = 0;
  for (int rank = 0; rank < n; ++rank)
    for (int place = 0; place < n - 1; ++place) {
      int to = sends[rank][place].to;
      int before = rank - (to < rank);
      latest = std::max(latest, table.cost(rank, to) +
                                    child * (place + n - 2 - before));
    }
  return latest;
}

/// GB/s of the buffer, when every link carries one for each pair across it.
static double rateOf(const std::vector<std::vector<TreeEdge>> &sends,
                     const Topology &topology) {
  std::vector<int> uses(topology.links.size(), 0);
  for (const std::vector<TreeEdge> &edges : sends)
    for (const TreeEdge &edge : edges)
      for (int link : edge.path)
        ++uses[link];
  double rate = std::numeric_limits<double>::infinity();
  for (size_t link = 0; link < uses.size(); ++link)
    if (uses[link] > 0)
      rate = std::min(rate, topology.links[link].bandwidth / uses[link]);
  return rate;
}

/// What each of `lanes` lanes of a rank has to do: two folds, from the input to
/// n - 1 channels, and from as many and the input to the output.
static LaneLoads loadsOf(int n, unsigned lanes, Protocol protocol) {
  LaneLoads loads;
  loads.startLane();
  double share = 1.0 / lanes;
  loads.add(loadOf({n, n}, share, /*up=*/true, protocol), share);
  loads.add(loadOf({n + 1, n + 1}, share, /*up=*/false, protocol), share);
  return loads;
}

llvm::Expected<std::optional<OneHop>>
blink::packOneHop(const Fabric &fabric, Protocol protocol, unsigned maxLanes) {
  int n = fabric.numRanks();
  if (n == 1)
    return std::nullopt;
  llvm::Expected<Fabric> direct =
      Fabric::create(fabric.topology(), fabric.gpus(), fabric.linkKinds());
  if (!direct)
    return direct.takeError();
  ProtocolCosts costs = costsOf(protocol);
  PathTable table = direct->cheapestPaths(hopPrices(*direct, costs));
  for (double cost : table.costs)
    if (cost == std::numeric_limits<double>::infinity())
      return std::nullopt;
  OneHop result;
  for (int rank = 0; rank < n; ++rank)
    result.sends.push_back(sendsOf(rank, table, costs.child));
  double start = lastRead(result.sends, table, costs.child);
  double rate = rateOf(result.sends, direct->topology());
  double least = std::numeric_limits<double>::infinity();
  for (unsigned lanes = 1; lanes <= maxLanes; lanes *= 2) {
    MessageTime time =
        messageTime(costs, start, rate, loadsOf(n, lanes, protocol));
    if (time.at(kSmallReferenceBytes) >= least)
      continue;
    least = time.at(kSmallReferenceBytes);
    result.lanes = lanes;
    result.time = std::move(time);
  }
  return result;
}
