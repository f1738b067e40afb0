//===- LinkRatesText.cpp - measured rates in words ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/LinkRates.h"

#include "compiler/support/Error.h"

#include <algorithm>
#include <map>

using namespace blink;

/// Joins both directions of a link that got the same rate.
static LinkRate ofBoth(const LinkRate &there, const LinkRate &back) {
  LinkRate both = there;
  both.alone = std::min(there.alone, back.alone);
  both.together = std::min(there.together, back.together);
  both.spread = std::max(there.spread, back.spread);
  return both;
}

/// "alone 22.1, together 20.4"
static std::string seenText(const LinkRate &rate) {
  std::string text;
  if (rate.alone > 0)
    text += llvm::formatv("alone {0:F1}", rate.alone);
  if (rate.together > 0)
    text += llvm::formatv("{0}together {1:F1}", text.empty() ? "" : ", ",
                          rate.together);
  return text;
}

std::vector<std::string> blink::describe(const Topology &topology,
                                         llvm::ArrayRef<LinkRate> rates) {
  std::vector<std::string> lines, others;
  std::map<LinkKind, int> uncrossed;
  const auto index = topology.linkIndices();
  std::vector<bool> told(rates.size());
  for (size_t i = 0; i < rates.size(); ++i) {
    const Link &link = topology.links[i];
    LinkRate rate = rates[i];
    if (rate.source == LinkRate::notMeasured)
      ++uncrossed[link.kind];
    if (rate.source == LinkRate::notMeasured || told[i])
      continue;
    const char *arrow = " -> ";
    if (auto back = index.find({link.to, link.from, link.kind});
        back != index.end() && rates[back->second].source == rate.source &&
        rates[back->second].bandwidth == rate.bandwidth) {
      told[back->second] = true;
      arrow = " - ";
      rate = ofBoth(rate, rates[back->second]);
    }
    std::string text = topology.nodes[link.from].id + arrow +
                       topology.nodes[link.to].id + ", " +
                       toString(link.kind).str() + ": ";
    if (rate.source == LinkRate::atLeast) {
      others.push_back(text + "nominal " + readable(link.bandwidth) +
                       "; what leads there carries no more than " +
                       seenText(rate));
      continue;
    }
    bool isHeldBack = rate.source == LinkRate::heldBack;
    lines.push_back(
        text + readable(rate.bandwidth) + " instead of " +
        readable(link.bandwidth) +
        (isHeldBack ? ", when all copy at once; " : "; ") + seenText(rate) +
        llvm::formatv(", spread {0:F1} %", 100 * rate.spread).str());
  }
  lines.insert(lines.end(), others.begin(), others.end());
  for (auto [kind, count] : uncrossed)
    lines.push_back(std::to_string(count) + " directions of kind " +
                    toString(kind).str() +
                    ": nominal; no copy could be made across them");
  return lines;
}
