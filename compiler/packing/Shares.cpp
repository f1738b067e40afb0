//===- Shares.cpp - weights as exact fractions ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Shares.h"
#include "compiler/support/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace blink;

namespace {

constexpr uint32_t kMaxSmallDenominator = 5000;
constexpr uint32_t kLargeDenominator = 1u << 30;

/// The largest relative distance of a share from the fraction that it is taken
/// for. Solvers are exact to about 1e-12, and the rate loses as much as a share
/// does.
constexpr double kRecognise = 1e-10;

/// Sets `numerators` to the parts times `denominator`. Returns false if the
/// parts are not fractions of that denominator.
bool asFractions(const std::vector<double> &parts, uint32_t denominator,
                 std::vector<uint32_t> &numerators) {
  uint64_t sum = 0;
  numerators.clear();
  for (double part : parts) {
    double scaled = part * denominator, rounded = std::round(scaled);
    if (rounded < 1 || std::abs(scaled - rounded) > kRecognise * rounded)
      return false;
    numerators.push_back(static_cast<uint32_t>(rounded));
    sum += numerators.back();
  }
  return sum == denominator;
}

/// Rounds all parts down and adds the remainder to the largest. A small excess
/// could be large for a slow link, which carries a small part; the largest part
/// hardly changes.
void roundToLargest(const std::vector<double> &parts, uint32_t denominator,
                    std::vector<uint32_t> &numerators) {
  numerators.clear();
  int64_t left = denominator;
  for (double part : parts) {
    numerators.push_back(static_cast<uint32_t>(part * denominator));
    left -= numerators.back();
  }
  size_t largest = std::max_element(numerators.begin(), numerators.end()) -
                   numerators.begin();
  numerators[largest] += static_cast<int32_t>(left);
}

} // namespace

llvm::Expected<Shares> blink::exactShares(const PackingProblem &problem,
                                          const Packing &packing) {
  int blocks = numBlocks(problem.collective, problem.rankTopology->numRanks());
  Shares shares;
  shares.numerators.resize(packing.trees.size());
  shares.denominators.resize(packing.trees.size());
  // All images of a tree have equal shares of the part of the block that they
  // carry together.
  const Symmetry *symmetry = packing.symmetry.get();
  const auto images = uint32_t(blocks == 1 && symmetry ? symmetry->order() : 1);
  for (int block = 0; block < blocks; ++block) {
    if (blocks > 1 && symmetry && symmetry->elementTo(block) != 0)
      continue; // its trees are images of the representatives' trees
    std::vector<size_t> members;
    std::vector<double> parts;
    double sum = 0;
    for (size_t tree = 0; tree < packing.trees.size(); ++tree)
      if (blocks == 1 || packing.trees[tree].root == block) {
        members.push_back(tree);
        sum += packing.trees[tree].weight;
      }
    // A single tree carries everything, whatever its weight (with one rank:
    // none).
    for (size_t tree : members)
      parts.push_back(members.size() == 1 ? 1
                                          : packing.trees[tree].weight / sum);
    std::vector<uint32_t> numerators;
    uint32_t denominator = 1;
    while (denominator <= kMaxSmallDenominator &&
           !asFractions(parts, denominator, numerators))
      ++denominator;
    if (denominator > kMaxSmallDenominator) {
      denominator = kLargeDenominator / images;
      roundToLargest(parts, denominator, numerators);
    }
    for (size_t member = 0; member < members.size(); ++member) {
      if (numerators[member] == 0)
        return makeError("tree {0} carries {1} of its block, less than a share "
                         "can say (2^-30); drop it, or allow more slack",
                         members[member], parts[member] / images);
      shares.numerators[members[member]] = numerators[member];
      shares.denominators[members[member]] = denominator * images;
    }
  }
  return shares;
}

double blink::rateOfShares(const PackingProblem &problem,
                           const Packing &packing, const Shares &shares) {
  const std::vector<Link> &links = problem.rankTopology->topology().links;
  Packing perUnit = packing;
  int blocks =
      blocksOfBuffer(problem.collective, problem.rankTopology->numRanks());
  for (size_t tree = 0; tree < packing.trees.size(); ++tree)
    perUnit.trees[tree].weight =
        double(shares.numerators[tree]) / shares.denominators[tree] / blocks;
  std::vector<double> loads = problem.linkLoads(perUnit);
  double rate = std::numeric_limits<double>::infinity();
  for (size_t link = 0; link < links.size(); ++link)
    if (loads[link] > 0)
      rate = std::min(rate, links[link].bandwidth / loads[link]);
  return rate;
}
