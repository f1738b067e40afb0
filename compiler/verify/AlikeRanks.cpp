//===- AlikeRanks.cpp - prices of trees if ranks are alike ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of joined ranks are kept as lists; when two parts are joined, the
// smaller one is moved. If an edge joins two parts, its images join their
// images. So parts are always images of each other, and the images of an edge
// that joins any two parts at least halve their number.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/AlikeRanks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace blink::verify {

namespace {

/// The ranks, divided into parts that are joined.
class JoinedRanks {
public:
  explicit JoinedRanks(uint32_t numRanks) : count_(numRanks) {
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      partOf_.push_back(rank);
      members_.push_back({rank});
    }
  }

  uint32_t count() const { return count_; }
  bool areJoined(uint32_t a, uint32_t b) const {
    return partOf_[a] == partOf_[b];
  }
  void join(uint32_t a, uint32_t b) {
    uint32_t from = partOf_[a], to = partOf_[b];
    if (members_[from].size() > members_[to].size())
      std::swap(from, to);
    for (uint32_t rank : members_[from]) {
      partOf_[rank] = to;
      members_[to].push_back(rank);
    }
    members_[from].clear();
    --count_;
  }

private:
  uint32_t count_;
  std::vector<uint32_t> partOf_;
  std::vector<std::vector<uint32_t>> members_;
};

/// Returns the price of the cheapest undirected tree.
double priceOfJoining(const TopologyView &machine,
                      const std::vector<double> &prices,
                      const sched::SymmetryGroup &group) {
  struct Pair {
    double price;
    uint32_t from, to;
  };
  const uint32_t numRanks = machine.numRanks();
  std::vector<Pair> pairs;
  for (uint32_t from : group.representatives()) {
    const std::vector<double> row =
        cheapestPathPricesFrom(machine, prices, from);
    for (uint32_t to = 0; to < numRanks; ++to)
      if (std::isfinite(row[to]))
        pairs.push_back({row[to], from, to});
  }
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const Pair &a, const Pair &b) { return a.price < b.price; });
  JoinedRanks parts(numRanks);
  double sum = 0;
  for (const Pair &pair : pairs) {
    if (parts.areJoined(pair.from, pair.to))
      continue;
    const uint32_t before = parts.count();
    for (uint32_t element = 0; element < group.order(); ++element) {
      const uint32_t a = group.mapRank(element, pair.from);
      const uint32_t b = group.mapRank(element, pair.to);
      if (!parts.areJoined(a, b))
        parts.join(a, b);
    }
    sum += pair.price * (before - parts.count());
  }
  return parts.count() == 1 ? sum : std::numeric_limits<double>::infinity();
}

} // namespace

bool mayRepriceAlike(const TopologyView &machine, const sched::Program &program,
                     const sched::SymmetryGroup &group) {
  const sched::Collective collective = program.collective();
  const bool isSum = collective == sched::Collective::allreduce;
  if (!isSum && collective != sched::Collective::allgather &&
      collective != sched::Collective::reducescatter)
    return false;
  if (machine.numPrograms() != machine.numRanks() || usesSwitches(program))
    return false;
  return group.representatives().size() == 1 ||
         machine.numRanks() > kMaxPricedRanks;
}

Repricing repriceAlike(const TopologyView &machine,
                       const sched::Program &program,
                       const std::vector<double> &prices,
                       const sched::SymmetryGroup &group) {
  if (Failure problem = checkPrices(machine, prices))
    return {0, problem};
  constexpr size_t kMostPairs = size_t(1) << 24; // 16 times what is packed
  const size_t alike = group.representatives().size();
  if (alike * machine.numRanks() > kMostPairs)
    return {0, std::to_string(machine.numRanks()) + " ranks, of which " +
                   std::to_string(alike) +
                   " are alike to no other; expected at most " +
                   std::to_string(kMostPairs / machine.numRanks()) +
                   " to re-price the certificate"};
  double cost = priceOfJoining(machine, prices, group);
  if (program.collective() == sched::Collective::allreduce)
    cost *= 2; // an in-tree and an out-tree
  return boundOf(machine, prices, cost);
}

} // namespace blink::verify
