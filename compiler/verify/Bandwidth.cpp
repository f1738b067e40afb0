//===- Bandwidth.cpp - how fast the links let a schedule go ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Adds up what every link carries.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Bandwidth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace blink::verify {

Bandwidth sustainedRate(const TopologyView &machine, const Semantics &semantics,
                        const sched::Variant &variant) {
  return rateOf(machine, linkLoads(machine, semantics, variant));
}

std::vector<double> linkLoads(const TopologyView &machine,
                              const Semantics &semantics,
                              const sched::Variant &variant) {
  std::vector<double> loads(machine.numLinks(), 0);
  for (const sched::Channel *channel : *variant.channels()) {
    const sched::Tree &tree = *variant.trees()->Get(channel->tree());
    const double load =
        static_cast<double>(tree.numerator()) /
        (static_cast<double>(tree.denominator()) * semantics.numBlocks());
    for (uint32_t hop = 0; hop < channel->path_count(); ++hop)
      loads[variant.paths()->Get(channel->path_begin() + hop)] += load;
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
