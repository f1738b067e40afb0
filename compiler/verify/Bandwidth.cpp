//===- Bandwidth.cpp - how fast the links let a schedule go ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Adds up what every link carries.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Bandwidth.h"

#include "schedules/PartialSums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace blink::verify {

Bandwidth sustainedRate(const TopologyView &machine, const Semantics &semantics,
                        const sched::Variant &variant) {
  return rateOf(machine, linkLoads(machine, semantics, variant));
}

std::vector<double> linkLoads(const TopologyView &machine,
                              const Semantics &semantics,
                              const sched::Variant &variant,
                              double partialSums) {
  std::vector<double> loads(machine.numLinks(), 0);
  std::vector<bool> partial;
  if (partialSums != 1)
    partial = sched::partialSums(variant);
  const auto numberOf = [&](const sched::Channel &channel) {
    return size_t(&channel - variant.channels()->Get(0));
  };
  const auto addTo = [&](std::vector<double> &sums,
                         const sched::Channel &channel) {
    const sched::Tree &tree = *variant.trees()->Get(channel.tree());
    double load =
        static_cast<double>(tree.numerator()) /
        (static_cast<double>(tree.denominator()) * semantics.numBlocks());
    if (!partial.empty() && partial[numberOf(channel)])
      load *= partialSums;
    for (uint32_t hop = 0; hop < channel.path_count(); ++hop)
      sums[variant.paths()->Get(channel.path_begin() + hop)] += load;
  };
  if (!semantics.isPairwise()) {
    for (const sched::Channel *channel : *variant.channels())
      addTo(loads, *channel);
    return loads;
  }
  // One block at a time: of each link the most that any of them brings.
  std::map<uint32_t, std::vector<const sched::Channel *>> byBlock;
  for (const sched::Channel *channel : *variant.channels())
    byBlock[variant.trees()->Get(channel->tree())->block()].push_back(channel);
  std::vector<double> ofBlock(machine.numLinks(), 0);
  for (const auto &[block, channels] : byBlock) {
    for (const sched::Channel *channel : channels)
      addTo(ofBlock, *channel);
    for (const sched::Channel *channel : channels)
      for (uint32_t hop = 0; hop < channel->path_count(); ++hop) {
        double &own =
            ofBlock[variant.paths()->Get(channel->path_begin() + hop)];
        double &most = loads[size_t(&own - ofBlock.data())];
        most = std::max(most, own);
        own = 0;
      }
  }
  return loads;
}

Bandwidth rateOf(const TopologyView &machine,
                 const std::vector<double> &loads) {
  Bandwidth result = {std::numeric_limits<double>::infinity(), 0};
  for (uint32_t link = 0; link < machine.numLinks(); ++link) {
    if (loads[link] == 0)
      continue;
    const double rate = machine.link(link).bandwidth() / loads[link];
    if (rate < result.algbw)
      result = {rate, link};
  }
  return result;
}

bool nearlyEqual(double a, double b) {
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

} // namespace blink::verify
