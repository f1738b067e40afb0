//===- Rings.cpp - rings on the same links, for comparison ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/Rings.h"

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/support/Infinity.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

namespace {

/// Finds rings one after the other and keeps what they leave of the links.
class RingSearch {
public:
  /// `whole`: a ring takes all that is left of its narrowest link. Otherwise it
  /// takes at most the bandwidth of the narrowest link of all, and prefers hops
  /// with much bandwidth left.
  RingSearch(const RankTopology &rankTopology, bool peerLinksAlone, bool whole)
      : ranks_(rankTopology), whole_(whole),
        left_(rankTopology.topology().links.size()) {
    const std::vector<Link> &links = rankTopology.topology().links;
    for (size_t i = 0; i < links.size(); ++i)
      if (rankTopology.usable(int(i)) &&
          (!peerLinksAlone || isPeerLink(links[i].kind))) {
        left_[i] = links[i].bandwidth;
        if (!whole)
          most_ = std::min(most_, left_[i]);
      }
  }

  /// Adds the widest ring that the links still allow; false if there is none.
  bool add(PageRings &rings);

private:
  static constexpr int kMostSearched = 16;  ///< ranks
  static constexpr uint64_t kSteps = 50000; ///< for each width that is tried
  static constexpr double kUsedUp = 1e9;    ///< a price above all others

  void findPaths();
  double width(int from, int to) const {
    return widths_[size_t(from) * size_t(ranks_.numRanks()) + size_t(to)];
  }
  bool close(std::vector<int> &ring, std::vector<bool> &seen, double least,
             uint64_t &steps) const;
  std::vector<int> widest() const;

  const RankTopology &ranks_;
  const bool whole_;
  double most_ = kInfinity;  ///< GB/s that a ring takes at most
  std::vector<double> left_; ///< GB/s, by link
  PathTable paths_;
  std::vector<double> widths_; ///< GB/s of paths, [from * ranks + to]
};

} // namespace

void RingSearch::findPaths() {
  std::vector<double> prices;
  for (double left : left_)
    prices.push_back(left > 1e-6 ? 1 / left : kUsedUp);
  paths_ = ranks_.cheapestPaths(prices);
  const int n = ranks_.numRanks();
  widths_.assign(size_t(n) * size_t(n), 0);
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) {
      if (from == to || paths_.cost(from, to) >= kUsedUp)
        continue;
      double least = kInfinity;
      for (int link : paths_.path(from, to))
        least = std::min(least, left_[size_t(link)]);
      widths_[size_t(from) * size_t(n) + size_t(to)] = least;
    }
}

/// Extends a path of ranks to a ring whose hops have width `least` or more.
bool RingSearch::close(std::vector<int> &ring, std::vector<bool> &seen,
                       double least, uint64_t &steps) const {
  const int n = ranks_.numRanks();
  if (int(ring.size()) == n)
    return width(ring.back(), ring.front()) >= least;
  std::vector<int> nexts = firstNumbers(size_t(n));
  if (!whole_)
    llvm::stable_sort(nexts, [&](int a, int b) {
      return width(ring.back(), a) > width(ring.back(), b);
    });
  for (int next : nexts) {
    if (seen[size_t(next)] || width(ring.back(), next) < least)
      continue;
    if (steps == 0)
      return false;
    --steps;
    ring.push_back(next);
    seen[size_t(next)] = true;
    if (close(ring, seen, least, steps))
      return true;
    seen[size_t(next)] = false;
    ring.pop_back();
  }
  return false;
}

std::vector<int> RingSearch::widest() const {
  const int n = ranks_.numRanks();
  std::vector<double> levels(widths_);
  llvm::sort(levels, std::greater<double>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (n > kMostSearched) {
    std::vector<int> ring = firstNumbers(size_t(n));
    for (int rank = 0; rank < n; ++rank)
      if (width(rank, (rank + 1) % n) < levels.front())
        return {};
    return ring;
  }
  for (double least : levels) {
    if (least <= 0)
      break;
    std::vector<int> ring{0};
    std::vector<bool> seen(static_cast<size_t>(n));
    seen[0] = true;
    uint64_t steps = kSteps;
    if (close(ring, seen, least, steps))
      return ring;
  }
  return {};
}

bool RingSearch::add(PageRings &rings) {
  findPaths();
  const std::vector<int> ring = widest();
  if (ring.empty())
    return false;
  std::vector<int> uses(left_.size());
  for (size_t i = 0; i < ring.size(); ++i) {
    double latency = 0;
    for (int link : paths_.path(ring[i], ring[(i + 1) % ring.size()])) {
      ++uses[size_t(link)];
      latency += ranks_.topology().links[size_t(link)].latency;
    }
    rings.latency = std::max(rings.latency, latency);
  }
  double rate = most_;
  for (size_t link = 0; link < uses.size(); ++link)
    if (uses[link] > 0)
      rate = std::min(rate, left_[link] / uses[link]);
  for (size_t link = 0; link < uses.size(); ++link)
    left_[link] -= rate * uses[link];
  rings.rate += rate;
  ++rings.rings;
  return true;
}

/// Returns the number of sequential hops of a small message, and the bytes that
/// the links of a ring carry per byte of the message.
static std::optional<std::pair<int, double>> stepsOf(Collective collective,
                                                     int n) {
  const double part = double(n - 1) / n;
  switch (collective) {
  case Collective::allreduce:
    return {{2 * (n - 1), 2 * part}};
  case Collective::allgather:
  case Collective::reducescatter:
    return {{n - 1, part}};
  case Collective::broadcast:
  case Collective::reduce:
    return {{n - 1, 1}};
  default:
    return std::nullopt;
  }
}

std::optional<PageRings> blink::findRings(const RankTopology &rankTopology,
                                          Collective collective,
                                          const std::vector<uint64_t> &sizes) {
  const int n = rankTopology.numRanks();
  const auto steps = stepsOf(collective, n);
  if (n < 2 || !steps)
    return std::nullopt;
  PageRings rings;
  for (bool peerLinksAlone : {true, false})
    for (bool whole : {true, false}) {
      if (rings.rings > 0 && !peerLinksAlone)
        break;
      constexpr int kMostRings = 64;
      PageRings found;
      RingSearch search(rankTopology, peerLinksAlone, whole);
      while (found.rings < kMostRings && search.add(found))
        ;
      if (found.rate > rings.rate * (1 + 1e-9))
        rings = found;
    }
  if (rings.rings == 0)
    return std::nullopt;
  const auto [hops, carried] = *steps;
  rings.algbw = rings.rate / carried;
  for (uint64_t bytes : sizes) {
    double best = kInfinity;
    for (Protocol protocol : {Protocol::simple, Protocol::low_latency}) {
      const ProtocolCosts costs = costsOf(protocol);
      best = std::min(best, hops * (rings.latency + costs.overhead) +
                                double(bytes) * costs.wireBytes * carried /
                                    (rings.rate * kBytesPerMicrosecond));
    }
    rings.times.push_back(best);
  }
  return rings;
}
