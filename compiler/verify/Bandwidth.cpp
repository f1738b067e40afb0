//===- Bandwidth.cpp - the rate that the links allow ----------------------===//
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
#include <set>
#include <utility>

namespace blink::verify {

namespace {

/// What switches do for the trees of a variant. Of the channels that such a
/// switch joins, each link is used once, and so are the root's links with the
/// switch.
class SwitchedLinks {
public:
  explicit SwitchedLinks(const sched::Variant &variant) : variant_(variant) {
    if (variant.switches())
      for (const sched::SwitchUse *use : *variant.switches())
        uses_[use->tree()] = use;
  }

  /// Returns true if a switch joins this channel with others, and then records
  /// its links.
  bool take(const sched::Channel &channel) {
    const auto found = uses_.find(channel.tree());
    if (found == uses_.end())
      return false;
    const sched::SwitchUse &use = *found->second;
    const uint32_t root = variant_.trees()->Get(channel.tree())->root();
    const bool up = channel.destination() == root;
    if (!(up ? use.reduces() : channel.source() == root && use.multicasts()))
      return false;
    std::set<uint32_t> &links = links_[{channel.tree(), up}];
    links.insert({use.to_switch(), use.from_switch()});
    for (uint32_t hop = 0; hop < channel.path_count(); ++hop)
      links.insert(variant_.paths()->Get(channel.path_begin() + hop));
    return true;
  }

  /// Returns the links of each tree and direction, each link once.
  const std::map<std::pair<uint32_t, bool>, std::set<uint32_t>> &links() const {
    return links_;
  }

private:
  const sched::Variant &variant_;
  std::map<uint32_t, const sched::SwitchUse *> uses_; // by tree
  std::map<std::pair<uint32_t, bool>, std::set<uint32_t>> links_;
};

} // namespace

std::vector<double> linkLoads(const TopologyView &machine,
                              const Semantics &semantics,
                              const sched::Variant &variant,
                              double partialSums) {
  std::vector<double> loads(machine.numLinks(), 0);
  std::vector<bool> partial;
  if (partialSums != 1)
    partial = sched::partialSums(variant);
  // In calls with wider partial sums switches do not work.
  const bool widened =
      std::find(partial.begin(), partial.end(), true) != partial.end();
  const auto numberOf = [&](const sched::Channel &channel) {
    return size_t(&channel - variant.channels()->Get(0));
  };
  const auto shareOf = [&](uint32_t number) {
    const sched::Tree &tree = *variant.trees()->Get(number);
    return static_cast<double>(tree.numerator()) /
           (static_cast<double>(tree.denominator()) * semantics.numBlocks());
  };
  const auto addTo = [&](std::vector<double> &sums,
                         const sched::Channel &channel) {
    double load = shareOf(channel.tree());
    if (widened && partial[numberOf(channel)])
      load *= partialSums;
    for (uint32_t hop = 0; hop < channel.path_count(); ++hop)
      sums[variant.paths()->Get(channel.path_begin() + hop)] += load;
  };
  if (!semantics.isPairwise()) {
    SwitchedLinks switched(variant);
    for (const sched::Channel *channel : *variant.channels())
      if (widened || !switched.take(*channel))
        addTo(loads, *channel);
    for (const auto &[part, links] : switched.links())
      for (uint32_t link : links)
        loads[link] += shareOf(part.first);
    return loads;
  }
  // One block moves at a time, so each link counts the most that any block
  // brings.
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
