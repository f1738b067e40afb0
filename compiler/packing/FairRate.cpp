//===- FairRate.cpp - trees on links that share themselves fairly ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FairRate.h"

#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;

namespace {

/// Some equal trees, flowing.
struct Flow {
  double weight; ///< of one
  unsigned parts;
  std::vector<std::pair<int, int>> uses; ///< links, and how often
  double left;                           ///< of its weight, of a second's
  double rate = 0;                       ///< of one
  bool flows = true;
};

class Fluid {
public:
  Fluid(const PackingProblem &problem, const Packing &packing,
        const std::vector<unsigned> &parts);
  /// Seconds until all have moved what weights move in one.
  double run();

private:
  void divide();

  const std::vector<Link> &links_;
  std::vector<Flow> flows_;
  std::vector<double> free_;
  std::vector<double> open_; ///< uses of each link by trees without a rate
};

} // namespace

Fluid::Fluid(const PackingProblem &problem, const Packing &packing,
             const std::vector<unsigned> &parts)
    : links_(problem.rankTopology->topology().links), free_(links_.size()),
      open_(links_.size()) {
  for (size_t t = 0; t < parts.size(); ++t) {
    const Tree &tree = packing.trees[t];
    std::map<int, int> uses;
    for (const auto *edges : {&tree.up, &tree.down})
      for (const TreeEdge &edge : *edges)
        for (int link : edge.path)
          ++uses[link];
    const double weight = tree.weight / parts[t];
    flows_.push_back({weight, parts[t], {uses.begin(), uses.end()}, weight});
  }
}

/// Progressive filling of all links.
void Fluid::divide() {
  constexpr double kRounding = 1 + 1e-12;
  std::fill(open_.begin(), open_.end(), 0.0);
  std::vector<Flow *> unset;
  for (Flow &flow : flows_)
    if (flow.flows) {
      unset.push_back(&flow);
      for (auto [link, times] : flow.uses)
        open_[link] += double(times) * flow.parts;
    }
  for (size_t link = 0; link < links_.size(); ++link)
    free_[link] = links_[link].bandwidth;
  while (!unset.empty()) {
    double least = kInfinity;
    for (size_t link = 0; link < links_.size(); ++link)
      if (open_[link] > 0)
        least = std::min(least, free_[link] / open_[link]);
    std::vector<char> full(links_.size());
    for (size_t link = 0; link < links_.size(); ++link)
      full[link] =
          open_[link] > 0 && free_[link] <= least * kRounding * open_[link];
    std::vector<Flow *> rest;
    for (Flow *flow : unset) {
      if (std::none_of(flow->uses.begin(), flow->uses.end(),
                       [&](auto use) { return full[use.first]; })) {
        rest.push_back(flow);
        continue;
      }
      flow->rate = least;
      for (auto [link, times] : flow->uses) {
        free_[link] = std::max(0.0, free_[link] - least * times * flow->parts);
        open_[link] -= double(times) * flow->parts;
      }
    }
    unset.swap(rest);
  }
}

double Fluid::run() {
  // What is left of a tree when it is through.
  constexpr double kNothing = 1e-9;
  double time = 0;
  for (size_t flowing = flows_.size(); flowing > 0;) {
    divide();
    double step = kInfinity;
    for (const Flow &flow : flows_)
      if (flow.flows)
        step = std::min(step, flow.left / flow.rate);
    time += step;
    for (Flow &flow : flows_)
      if (flow.flows) {
        flow.left -= flow.rate * step;
        flow.flows = flow.left > kNothing * flow.weight;
        flowing -= !flow.flows;
      }
  }
  return time;
}

double blink::fairRate(const PackingProblem &problem, const Packing &packing,
                       const std::vector<unsigned> &parts) {
  if (problem.rankTopology->numRanks() == 1)
    return packing.algbw;
  return packing.algbw / std::max(1.0, Fluid(problem, packing, parts).run());
}

static bool isFair(const PackingProblem &problem, const Packing &packing,
                   const std::vector<unsigned> &parts) {
  constexpr double kFair = 0.99;
  return isRouted(problem.collective) ||
         fairRate(problem, packing, parts) >= kFair * packing.algbw;
}

std::vector<unsigned> blink::evenParts(const PackingProblem &problem,
                                       const Packing &packing) {
  constexpr unsigned kMostDivisions = 4; // of the smallest weight
  constexpr double kMostParts = 64;
  constexpr double kRounding = 1e-6;
  std::vector<unsigned> parts(packing.trees.size(), 1);
  if (::isFair(problem, packing, parts))
    return parts;
  double sum = 0, least = kInfinity;
  for (const Tree &tree : packing.trees) {
    sum += tree.weight;
    least = std::min(least, tree.weight);
  }
  for (unsigned divisions = 1; divisions <= kMostDivisions; ++divisions) {
    const double unit = least / divisions;
    if (!(sum / unit <= kMostParts))
      break;
    bool even = true;
    for (size_t t = 0; t < parts.size() && even; ++t) {
      const double units = packing.trees[t].weight / unit;
      parts[t] = unsigned(std::lround(units));
      even = std::abs(units - parts[t]) <= kRounding * units;
    }
    if (even)
      return parts;
  }
  std::fill(parts.begin(), parts.end(), 1);
  return parts;
}

bool blink::isFair(const PackingProblem &problem, const Packing &packing) {
  return ::isFair(problem, packing, evenParts(problem, packing));
}
