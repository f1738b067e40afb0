//===- LinkRates.cpp - from rates of copies to rates of links -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/LinkRates.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;

namespace {

/// Fraction of its rate from which on a link counts as full.
constexpr double kFull = 0.95;
/// Values closer than this, relative, count as equal.
constexpr double kSame = 0.01;

class Finder {
public:
  Finder(const Topology &topology, const MeasurePlan &plan,
         llvm::ArrayRef<RunRates> runs)
      : topology_(topology), plan_(plan), runs_(runs),
        rates_(topology.links.size()) {}

  std::vector<LinkRate> find() {
    for (size_t run = 0; run < runs_.size(); ++run)
      crossings_.push_back(crossingsOf(run));
    takeMost();
    keepNominal();
    for (size_t run = 0; run < runs_.size(); ++run)
      if (plan_.runs[run].routes.size() > 1)
        lowerIn(run);
    alignAlike();
    return std::move(rates_);
  }

private:
  using Crossings = std::vector<double>; // GB/s, by link

  Crossings crossingsOf(size_t run) const {
    Crossings crossings(topology_.links.size());
    for (auto [route, rate] :
         llvm::zip_equal(plan_.runs[run].routes, runs_[run].rates))
      for (int link : plan_.routes[route].links)
        crossings[link] += rate;
    return crossings;
  }
  bool isFull(int link, const Crossings &crossings) const {
    return crossings[link] >= kFull * rates_[link].bandwidth;
  }
  /// Returns the links of a route that were full in a run.
  std::vector<int> fullLinks(size_t run, int route) const;
  void takeMost();
  void keepNominal();
  void lowerIn(size_t run);
  void alignAlike();

  const Topology &topology_;
  const MeasurePlan &plan_;
  llvm::ArrayRef<RunRates> runs_;
  std::vector<Crossings> crossings_; ///< by run
  std::vector<LinkRate> rates_;
};

} // namespace

void Finder::takeMost() {
  for (size_t link = 0; link < rates_.size(); ++link)
    for (size_t run = 0; run < runs_.size(); ++run) {
      LinkRate &rate = rates_[link];
      const double crossing = crossings_[run][link];
      if (crossing == 0)
        continue;
      double &most =
          plan_.runs[run].routes.size() > 1 ? rate.together : rate.alone;
      most = std::max(most, crossing);
      if (crossing > rate.bandwidth) {
        rate.bandwidth = crossing;
        rate.spread = runs_[run].spread;
        rate.source = LinkRate::atLeast;
      }
    }
}

std::vector<int> Finder::fullLinks(size_t run, int route) const {
  std::vector<int> full;
  for (int link : plan_.routes[route].links)
    if (isFull(link, crossings_[run]))
      full.push_back(link);
  return full;
}

/// Separates links that have limited a route from those that only carried it.
void Finder::keepNominal() {
  // If only one link was full, it was the limit.
  std::vector<bool> surely(rates_.size()), perhaps(rates_.size());
  for (size_t run = 0; run < runs_.size(); ++run)
    for (int route : plan_.runs[run].routes)
      if (std::vector<int> full = fullLinks(run, route); full.size() == 1)
        surely[full.front()] = true;
  // If several were full, a link that surely is a limit explains the route; if
  // there is none, the narrowest does.
  for (size_t run = 0; run < runs_.size(); ++run)
    for (int route : plan_.runs[run].routes) {
      auto room = [&](int link) {
        return topology_.links[link].bandwidth / crossings_[run][link];
      };
      std::vector<int> full = fullLinks(run, route);
      if (llvm::any_of(full, [&](int link) { return surely[link]; }))
        continue;
      double least = INFINITY;
      for (int link : full)
        least = std::min(least, room(link));
      for (int link : full)
        if (room(link) <= least * (1 + kSame))
          perhaps[link] = true;
    }
  for (size_t link = 0; link < rates_.size(); ++link) {
    LinkRate &rate = rates_[link];
    const double nominal = topology_.links[link].bandwidth;
    if (surely[link] || perhaps[link] || rate.bandwidth > nominal)
      rate.source = LinkRate::measured;
    else
      rate.bandwidth = nominal;
  }
}

void Finder::lowerIn(size_t run) {
  const Crossings &crossings = crossings_[run];
  std::map<int, double> lower; // applied after all routes have been examined
  for (int route : plan_.runs[run].routes) {
    const std::vector<int> &links = plan_.routes[route].links;
    if (!fullLinks(run, route).empty())
      continue;
    auto fullness = [&](int link) {
      return crossings[link] / rates_[link].bandwidth;
    };
    double most = 0;
    for (int link : links)
      most = std::max(most, fullness(link));
    for (int link : links)
      if (fullness(link) >= most * (1 - kSame))
        lower[link] = crossings[link];
  }
  for (auto [link, bandwidth] : lower) {
    rates_[link].bandwidth = bandwidth;
    rates_[link].source = LinkRate::heldBack;
    rates_[link].spread = runs_[run].spread;
  }
}

/// Rounds to three digits: measurements do not repeat more.
static double rounded(double rate) {
  double unit = std::pow(10, std::floor(std::log10(rate)) - 2);
  return std::round(std::round(rate / unit) * unit * 1e6) / 1e6;
}

void Finder::alignAlike() {
  std::map<std::pair<LinkKind, double>, std::vector<LinkRate *>> kinds;
  for (size_t link = 0; link < rates_.size(); ++link)
    if (rates_[link].source >= LinkRate::measured)
      kinds[{topology_.links[link].kind, topology_.links[link].bandwidth}]
          .push_back(&rates_[link]);
  for (auto &[kind, links] : kinds) {
    llvm::stable_sort(links, [](const LinkRate *a, const LinkRate *b) {
      return a->bandwidth > b->bandwidth;
    });
    for (auto first = links.begin(); first != links.end();) {
      auto end = std::find_if(first, links.end(), [&](const LinkRate *rate) {
        return rate->bandwidth < (*first)->bandwidth * (1 - kAlike);
      });
      const double least = rounded((*std::prev(end))->bandwidth);
      for (; first != end; ++first)
        (*first)->bandwidth = least;
    }
  }
}

std::vector<LinkRate> blink::linkRates(const Topology &topology,
                                       const MeasurePlan &plan,
                                       llvm::ArrayRef<RunRates> runs) {
  return Finder(topology, plan, runs).find();
}
