//===- Repricing.cpp - the certificate, computed again --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The steps: prices of links, prices of paths between ranks, the cheapest tree,
// the bound.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Repricing.h"

#include "compiler/verify/Arborescence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace blink::verify {

namespace {

using sched::Collective;
using sched::NodeKind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a path has crossed; decides whether it may end at a GPU (see
/// checkPaths).
enum Crossed : uint32_t {
  peerOnly,   ///< peer links only
  otherLinks, ///< other links as well, but neither a cpu nor a nic
  hostOrNic,  ///< a cpu or a nic: allowed between any two GPUs
  numCrossed
};

/// The algorithm of Bellman and Ford with a queue over (node, what was
/// crossed), from one rank.
class PathPricer {
public:
  PathPricer(const TopologyView &machine, const std::vector<double> &prices)
      : machine_(machine), prices_(prices) {}

  /// Sets row[rank] to the price from `source` to each other rank and relay.
  void priceFrom(uint32_t source, double *row) {
    best_.assign(size_t(machine_.numNodes()) * numCrossed, infinity);
    queued_.assign(best_.size(), false);
    const uint32_t start = machine_.nodeOf(source);
    relax(start, peerOnly, 0);
    for (size_t at = 0; at < queue_.size(); ++at) {
      const uint32_t state = queue_[at];
      queued_[state] = false;
      relax(state / numCrossed, Crossed(state % numCrossed), best_[state]);
    }
    queue_.clear();

    for (uint32_t rank = 0; rank < machine_.numPrograms(); ++rank) {
      const uint32_t node = machine_.nodeOf(rank);
      const double *best = &best_[size_t(node) * numCrossed];
      row[rank] = std::min(best[peerOnly], best[hostOrNic]);
      if (!machine_.arePeers(start, node))
        row[rank] = std::min(row[rank], best[otherLinks]);
    }
    row[source] = infinity;
  }

private:
  /// Relaxes each link out of `node`, which was reached at `price`.
  void relax(uint32_t node, Crossed crossed, double price) {
    for (uint32_t index : machine_.linksFrom(node)) {
      if (!machine_.usable(index))
        continue;
      const sched::Link &link = machine_.link(index);
      const NodeKind kind = machine_.kindOf(link.to());
      Crossed next = crossed;
      if (crossed == peerOnly && !isPeerLink(link.kind()))
        next = otherLinks;
      if (kind == NodeKind::cpu || kind == NodeKind::nic)
        next = hostOrNic;
      const uint32_t state = link.to() * numCrossed + next;
      if (!(price + prices_[index] < best_[state]))
        continue;
      best_[state] = price + prices_[index];
      if (kind != NodeKind::gpu && !queued_[state]) { // GPUs never relay
        queued_[state] = true;
        queue_.push_back(state);
      }
    }
  }

  const TopologyView &machine_;
  const std::vector<double> &prices_;
  std::vector<double> best_; // by node * numCrossed + crossed
  std::vector<bool> queued_;
  std::vector<uint32_t> queue_;
};

/// The costs of trees for which a switch works that is linked with all ranks.
struct StarPrices {
  std::vector<double> in, out; ///< by root; infinite if it cannot
};

/// Returns the costs for all switches of the machine, at `prices` of links.
std::vector<StarPrices> starPrices(const TopologyView &machine,
                                   const std::vector<double> &prices) {
  const uint32_t numRanks = machine.numRanks();
  std::vector<StarPrices> stars;
  for (uint32_t node = 0; node < machine.numNodes(); ++node) {
    if (!machine.node(node).reduce() && !machine.node(node).multicast())
      continue;
    std::vector<double> to(numRanks, infinity), from(numRanks, infinity);
    const auto usable = [&](uint32_t link) {
      return machine.usable(link) && isPeerLink(machine.link(link).kind());
    };
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      for (uint32_t link : machine.linksFrom(machine.nodeOf(rank)))
        if (machine.link(link).to() == node && usable(link))
          to[rank] = std::min(to[rank], prices[link]);
    for (uint32_t link : machine.linksFrom(node))
      for (uint32_t rank = 0; rank < numRanks; ++rank)
        if (machine.link(link).to() == machine.nodeOf(rank) && usable(link))
          from[rank] = std::min(from[rank], prices[link]);
    double allTo = 0, allFrom = 0;
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      allTo += to[rank];
      allFrom += from[rank];
    }
    StarPrices &star = stars.emplace_back();
    for (uint32_t root = 0; root < numRanks; ++root) {
      star.in.push_back(machine.node(node).reduce() ? allTo + from[root]
                                                    : infinity);
      star.out.push_back(machine.node(node).multicast() ? allFrom + to[root]
                                                        : infinity);
    }
  }
  return stars;
}

/// Computes the costs of the cheapest trees of a root that the collective may
/// have.
class TreePricer {
public:
  /// `prices` is the result of cheapestPathPrices. Trees for which one of
  /// `stars` works are included.
  TreePricer(uint32_t numRanks, std::vector<double> prices,
             std::vector<StarPrices> stars)
      : numRanks_(numRanks), byDestination_(prices.size()),
        bySource_(std::move(prices)), stars_(std::move(stars)) {
    for (size_t from = 0; from < numRanks; ++from)
      for (size_t to = 0; to < numRanks; ++to)
        byDestination_[to * numRanks + from] = bySource_[from * numRanks + to];
  }

  double out(uint32_t root) const {
    double least = plainOut(root);
    for (const StarPrices &star : stars_)
      least = std::min(least, star.out[root]);
    return least;
  }
  double in(uint32_t root) const {
    double least = plainIn(root);
    for (const StarPrices &star : stars_)
      least = std::min(least, star.in[root]);
    return least;
  }
  /// Returns the cost of an in-tree and an out-tree. The same switch works for
  /// both.
  double inAndOut(uint32_t root) const {
    const double in = plainIn(root), out = plainOut(root);
    double least = in + out;
    for (const StarPrices &star : stars_)
      least = std::min(least, std::min(in, star.in[root]) +
                                  std::min(out, star.out[root]));
    return least;
  }

  /// Return the sum, over the other ranks, of the cheapest chain of hops; each
  /// block travels along its own chain.
  double distancesFrom(uint32_t root) const {
    return distances(bySource_, root);
  }
  double distancesTo(uint32_t root) const {
    return distances(byDestination_, root);
  }

  /// Returns the highest price of a hop between any two ranks.
  double dearestHop() const {
    double most = 0;
    for (size_t from = 0; from < numRanks_; ++from)
      for (size_t to = 0; to < numRanks_; ++to)
        if (from != to)
          most = std::max(most, bySource_[from * numRanks_ + to]);
    return most;
  }

private:
  double plainOut(uint32_t root) const {
    return cheapestArborescence(numRanks_, byDestination_, root);
  }
  /// An in-tree is an out-tree of the reversed edges.
  double plainIn(uint32_t root) const {
    return cheapestArborescence(numRanks_, bySource_, root);
  }

  /// Runs Dijkstra's algorithm; `prices` has the form [at * numRanks + next].
  double distances(const std::vector<double> &prices, uint32_t root) const {
    std::vector<double> distance(numRanks_, infinity);
    std::vector<uint8_t> settled(numRanks_, 0);
    distance[root] = 0;
    double sum = 0;
    for (uint32_t count = 0; count < numRanks_; ++count) {
      uint32_t next = numRanks_;
      for (uint32_t rank = 0; rank < numRanks_; ++rank)
        if (!settled[rank] &&
            (next == numRanks_ || distance[rank] < distance[next]))
          next = rank;
      settled[next] = 1;
      sum += distance[next];
      const double *row = &prices[size_t(next) * numRanks_];
      for (uint32_t rank = 0; rank < numRanks_; ++rank)
        distance[rank] = std::min(distance[rank], distance[next] + row[rank]);
    }
    return sum;
  }

  uint32_t numRanks_;
  std::vector<double> byDestination_; // [to * numRanks + from]
  std::vector<double> bySource_;      // [from * numRanks + to]
  std::vector<StarPrices> stars_;
};

/// Returns the least cost of one GB/s of algbw.
double cheapestRate(const sched::Program &program, const TreePricer &trees,
                    uint32_t numRanks, const std::vector<uint32_t> &roots) {
  switch (program.collective()) {
  case Collective::broadcast:
    return trees.out(program.root());
  case Collective::reduce:
    return trees.in(program.root());
  case Collective::allreduce: {
    double least = infinity;
    for (uint32_t root : roots)
      least = std::min(least, trees.inAndOut(root));
    return least;
  }
  case Collective::allgather:
  case Collective::reducescatter: {
    const bool away = program.collective() == Collective::allgather;
    double sum = 0;
    for (uint32_t root : roots)
      sum += away ? trees.out(root) : trees.in(root);
    return sum / double(roots.size());
  }
  case Collective::gather:
    return trees.distancesTo(program.root()) / numRanks;
  case Collective::scatter:
    return trees.distancesFrom(program.root()) / numRanks;
  case Collective::alltoall: {
    double sum = 0;
    for (uint32_t root : roots)
      sum += trees.distancesFrom(root);
    return sum / double(roots.size());
  }
  case Collective::sendrecv:
    return trees.dearestHop();
  }
  return 0;
}

} // namespace

Failure checkPrices(const TopologyView &machine,
                    const std::vector<double> &prices) {
  if (prices.size() != machine.numLinks())
    return std::to_string(prices.size()) + " prices for " +
           std::to_string(machine.numLinks()) + " links";
  for (uint32_t link = 0; link < machine.numLinks(); ++link) {
    const double price = prices[link];
    const bool isNumber = std::isfinite(price) && price >= 0;
    if (isNumber && (price == 0 || machine.usable(link)))
      continue;
    return "the price of link " + std::to_string(link) + ", " +
           machine.describe(link) + ", is " + std::to_string(price) +
           (isNumber ? "; expected 0, the file's options exclude the link"
                     : "; expected a number >= 0");
  }
  return std::nullopt;
}

bool usesSwitches(const sched::Program &program) {
  for (const sched::Variant *variant : *program.variants())
    if (variant->switches() && variant->switches()->size() > 0)
      return true;
  return false;
}

/// Adds the paths over relays: the algorithm of Floyd and Warshall with only
/// relays as intermediate nodes.
static void closeOverRelays(uint32_t numRanks, uint32_t numPrograms,
                            std::vector<double> &table) {
  for (uint32_t via = numRanks; via < numPrograms; ++via)
    for (uint32_t from = 0; from < numPrograms; ++from) {
      const double toRelay = table[size_t(from) * numPrograms + via];
      for (uint32_t to = 0; to < numPrograms; ++to)
        if (from != to) {
          double &price = table[size_t(from) * numPrograms + to];
          price =
              std::min(price, toRelay + table[size_t(via) * numPrograms + to]);
        }
    }
}

std::vector<double> cheapestPathPrices(const TopologyView &machine,
                                       const std::vector<double> &prices) {
  const size_t numRanks = machine.numRanks();
  const size_t numPrograms = machine.numPrograms();
  std::vector<double> table(numPrograms * numPrograms);
  PathPricer pricer(machine, prices);
  for (uint32_t source = 0; source < numPrograms; ++source)
    pricer.priceFrom(source, &table[source * numPrograms]);
  if (numPrograms == numRanks)
    return table;
  closeOverRelays(machine.numRanks(), machine.numPrograms(), table);
  std::vector<double> ranks;
  for (size_t from = 0; from < numRanks; ++from)
    ranks.insert(ranks.end(), table.begin() + from * numPrograms,
                 table.begin() + from * numPrograms + numRanks);
  return ranks;
}

std::vector<double> cheapestPathPricesFrom(const TopologyView &machine,
                                           const std::vector<double> &prices,
                                           uint32_t source) {
  std::vector<double> row(machine.numPrograms());
  PathPricer(machine, prices).priceFrom(source, row.data());
  return row;
}

Repricing boundOf(const TopologyView &machine,
                  const std::vector<double> &prices, double cost) {
  double sum = 0;
  for (uint32_t link = 0; link < machine.numLinks(); ++link)
    sum += prices[link] * machine.link(link).bandwidth();
  if (!(cost > 0))
    return {0, "the cheapest tree costs nothing at the stated prices, which "
               "therefore bound nothing"};
  if (!std::isfinite(sum / cost))
    return {0, "the stated prices are too large to compute with"};
  return {sum / cost, std::nullopt};
}

Repricing reprice(const TopologyView &machine, const sched::Program &program) {
  const auto &stated = *program.certificate()->prices();
  return reprice(machine, program, {stated.begin(), stated.end()});
}

Repricing reprice(const TopologyView &machine, const sched::Program &program,
                  const std::vector<double> &prices, const TreeCosts &known,
                  const std::vector<uint32_t> &roots) {
  const uint32_t numRanks = machine.numRanks();
  if (Failure problem = checkPrices(machine, prices))
    return {0, problem};
  if (numRanks == 1)
    return {infinity, std::nullopt};
  if (machine.numPrograms() > kMaxPricedRanks)
    return {0, std::to_string(machine.numPrograms()) +
                   " ranks; certificates of more than " +
                   std::to_string(kMaxPricedRanks) +
                   " can be re-priced only in symmetric form, with one price "
                   "for all links that are alike"};

  TreeCosts costs;
  costs.paths = cheapestPathPrices(machine, prices);
  const bool switched = usesSwitches(program);
  std::vector<StarPrices> stars;
  if (switched)
    stars = starPrices(machine, prices);
  std::vector<uint32_t> allRanks(numRanks);
  std::iota(allRanks.begin(), allRanks.end(), 0u);
  costs.cheapest =
      costs.paths == known.paths && !switched
          ? known.cheapest
          : cheapestRate(program,
                         TreePricer(numRanks, costs.paths, std::move(stars)),
                         numRanks, roots.empty() ? allRanks : roots);
  Repricing again = boundOf(machine, prices, costs.cheapest);
  if (!again.problem)
    again.costs = std::move(costs);
  return again;
}

} // namespace blink::verify
