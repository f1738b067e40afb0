//===- OneHop.cpp - an allreduce of one exchange --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/OneHop.h"

#include "compiler/plan/NetworkCosts.h"

#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/FoldMoves.h"

#include <algorithm>
#include <limits>

using namespace blink;

/// Returns what `rank` sends, in order. A reader reads in the order of ranks,
/// so after this rank's data it still reads that of the ranks above.
static std::vector<TreeEdge> sendsOf(int rank, const PathTable &table,
                                     double gap) {
  int n = table.numRanks;
  auto left = [&](int to) {
    int before = rank - (to < rank); // channels that the reader reads earlier
    return table.cost(rank, to) + gap * (n - 2 - before);
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

/// Returns the exchange as one tree with loose folds. `direct` has the ranks of
/// `rankTopology`, which may have relays as well.
static llvm::Expected<FoldProgram> expand(const RankTopology &rankTopology,
                                          const RankTopology &direct,
                                          const PathTable &table, double gap) {
  using Operand = FoldProgram::Operand;
  int n = rankTopology.numRanks();
  FoldProgram program = emptyProgram(Collective::allreduce, rankTopology);
  FoldProgram::Tree &tree = program.trees.emplace_back();
  tree.depth = 1;
  tree.share = 1;
  std::vector<std::vector<Operand>> sent(n), read(n);
  for (std::vector<Operand> &operands : read)
    operands.resize(n, Operand::input());
  for (int rank = 0; rank < n; ++rank)
    for (const TreeEdge &edge : sendsOf(rank, table, gap)) {
      llvm::Expected<Connection> hop = connect(program, direct, 0, edge);
      if (!hop)
        return hop.takeError();
      sent[rank].push_back(Operand::channel(hop->entry));
      read[edge.to][rank] = Operand::channel(hop->exit);
    }
  for (int rank = 0; rank < n; ++rank) {
    program.addFold(rank, 0, false, {Operand::input()}, sent[rank]);
    program.addFold(rank, 0, true, read[rank], {Operand::output()});
  }
  countMoves(program);
  return program;
}

llvm::Expected<std::optional<OneHop>>
blink::packOneHop(const RankTopology &rankTopology, Protocol protocol,
                  unsigned maxLanes) {
  if (rankTopology.numRanks() == 1)
    return std::nullopt;
  if (rankTopology.isLimited() || rankTopology.isPhased())
    return std::nullopt; // every rank would send to every other
  llvm::Expected<RankTopology> direct = RankTopology::create(
      rankTopology.topology(), rankTopology.gpus(), rankTopology.linkKinds());
  if (!direct)
    return direct.takeError();
  ProtocolCosts costs = costsOf(protocol);
  PathTable table = direct->cheapestPaths(hopPrices(*direct, costs));
  for (double cost : table.costs)
    if (cost == std::numeric_limits<double>::infinity())
      return std::nullopt;
  llvm::Expected<FoldProgram> whole =
      expand(rankTopology, *direct, table, costs.gap);
  if (!whole)
    return whole.takeError();
  // An engine has one processor for each rank, and more messages cost it more.
  if (leavesMachine(*whole))
    maxLanes = 1;
  OneHop best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned lanes = 1; lanes <= maxLanes; lanes *= 2) {
    FoldProgram program = splitTrees(*whole, {lanes});
    for (FoldProgram::Tree &tree : program.trees) {
      tree.numerator = 1;
      tree.denominator = lanes;
    }
    assignLanePerTree(program);
    MessageTime time = timeOfSmall(program, protocol);
    if (time.at(kSmallReferenceBytes) >= least)
      continue;
    least = time.at(kSmallReferenceBytes);
    best = {std::move(program), std::move(time)};
  }
  return best;
}
