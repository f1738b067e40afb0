//===- SpreadTrees.cpp - fast trees over several lanes --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SpreadTrees.h"

#include "compiler/packing/FoldLoads.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace blink;

double blink::busiestFold(const PackingProblem &problem, const Tree &tree) {
  double most = 0;
  for (const TreeFold &fold : foldsOf(problem, tree))
    most = std::max(most, fold.moves());
  return most * tree.weight;
}

/// The fewest parts that leave none above `level`.
static unsigned partsOf(double load, double level) {
  constexpr double kRounding = 1e-9;
  return std::max(1u, unsigned(std::ceil(load / level * (1 - kRounding))));
}

std::vector<unsigned> blink::spreadTrees(const PackingProblem &problem,
                                         const Packing &packing,
                                         ForestTraits traits, size_t maxTrees) {
  // What is rounding is not worth more trees. Nor is what makes pipelines
  // shorter but no lane lighter, which is not what this is for.
  constexpr double kFaster = 1 - 1e-6;
  double limit = costsOf(traits.protocol).lane;
  std::vector<double> loads;
  for (const Tree &tree : packing.trees)
    loads.push_back(busiestFold(problem, tree));
  double most = *std::max_element(loads.begin(), loads.end());
  std::vector<unsigned> best;
  if (partsOf(most, limit) == 1)
    return best;
  MessageTime least = timeOf(problem, packing, traits);
  for (unsigned split = 2; split <= partsOf(most, limit); ++split) {
    double level = std::max(limit, most / split);
    std::vector<unsigned> parts;
    for (double load : loads)
      parts.push_back(partsOf(load, level));
    if (maxTrees > 0 &&
        std::accumulate(parts.begin(), parts.end(), size_t(0)) > maxTrees)
      break;
    MessageTime time = timeOf(problem, packing, traits, parts);
    if (time.perByte < least.perByte * kFaster &&
        time.at(kReferenceBytes) < least.at(kReferenceBytes) * kFaster) {
      least = std::move(time);
      best = std::move(parts);
    }
  }
  return best;
}

SpreadShares blink::spreadShares(const std::vector<uint32_t> &numerators,
                                 uint32_t denominator,
                                 const std::vector<unsigned> &parts) {
  // The least factor that lets all numerators be divided.
  uint64_t factor = 1;
  for (size_t t = 0; t < parts.size() && factor * denominator <= UINT32_MAX;
       ++t)
    factor = std::lcm(factor,
                      uint64_t(parts[t] / std::gcd(parts[t], numerators[t])));
  if (factor * denominator > UINT32_MAX)
    factor = 1;
  SpreadShares shares;
  shares.denominator = uint32_t(denominator * factor);
  for (size_t t = 0; t < parts.size(); ++t) {
    auto whole = uint32_t(numerators[t] * factor);
    uint32_t count = std::clamp<uint32_t>(whole, 1, parts[t]);
    std::vector<uint32_t> &list = shares.numerators.emplace_back();
    for (uint32_t part = 0; part < count; ++part)
      list.push_back(whole / count + (part < whole % count));
  }
  return shares;
}
