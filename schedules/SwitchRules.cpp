//===- SwitchRules.cpp - the rules of SwitchUse ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/SwitchRules.h"

#include "schedules/CheckRules.h"
#include "schedules/Collectives.h"
#include "schedules/Text.h"

namespace blink::sched {

SwitchRules::SwitchRules(const Topology &topology,
                         const std::vector<uint32_t> &gpuNodes,
                         const Program &program, const Variant &variant)
    : topology_(topology), gpuNodes_(gpuNodes), program_(program),
      variant_(variant), channelsOf_(variant.trees()->size()) {
  const auto &channels = *variant.channels();
  for (uint32_t c = 0; c < channels.size(); ++c)
    channelsOf_[channels[c]->tree()].push_back(c);
}

std::string SwitchRules::checkLinks(const SwitchUse &use) const {
  const auto &links = *topology_.links();
  for (uint32_t link : {use.to_switch(), use.from_switch()})
    if (link >= links.size())
      return outOf("link", link, links.size());
  const Link &to = *links[use.to_switch()];
  const Link &from = *links[use.from_switch()];
  const uint32_t root = gpuNodes_[program_.allocation()->Get(rootOf(use))];
  if (to.from() != root || from.to() != root || from.from() != to.to())
    return textOf("links ", use.to_switch(), " and ", use.from_switch(),
                  " do not join the root with one switch, there and back");
  const Node &node = *topology_.nodes()->Get(to.to());
  if (use.reduces() && !node.reduce())
    return node.id()->str() + " cannot reduce";
  if (use.multicasts() && !node.multicast())
    return node.id()->str() + " cannot multicast";
  return "";
}

/// Checks the channels between the root of a tree and all other ranks.
std::string SwitchRules::checkStar(const SwitchUse &use, bool up) const {
  const uint32_t root = rootOf(use);
  const uint32_t node = topology_.links()->Get(use.to_switch())->to();
  const auto &channels = *variant_.channels();
  std::vector<bool> seen(program_.allocation()->size());
  size_t found = 0;
  for (uint32_t number : channelsOf_[use.tree()]) {
    const Channel &channel = *channels[number];
    if ((up ? channel.destination() : channel.source()) != root)
      continue;
    const uint32_t other = up ? channel.source() : channel.destination();
    const auto link = [&](uint32_t hop) {
      return topology_.links()->Get(
          variant_.paths()->Get(channel.path_begin() + hop));
    };
    if (channel.path_count() != 2 || link(0)->to() != node ||
        link(1)->from() != node)
      return textOf("a channel between rank ", other, " and the root, rank ",
                    root, ", is not one link to the switch and one from it");
    if (other >= seen.size() || seen[other])
      return textOf("rank ", other, " has a second channel with the root");
    seen[other] = true;
    ++found;
  }
  if (found + 1 != seen.size())
    return textOf(found, " channels ", up ? "to" : "from",
                  " the root, expected one of each other rank, ",
                  seen.size() - 1);
  return "";
}

std::string SwitchRules::check(const SwitchUse &use) const {
  const CollectiveTraits &traits = traitsOf(program_.collective());
  if (use.tree() >= variant_.trees()->size())
    return outOf("tree", use.tree(), variant_.trees()->size());
  if (!use.reduces() && !use.multicasts())
    return "does nothing, expected to reduce, to multicast or both";
  if (use.reduces() && !traits.reduces)
    return textOf("reduces, but ", EnumNameCollective(program_.collective()),
                  " adds nothing");
  if (use.multicasts() && (!traits.down || traits.routed))
    return textOf("multicasts, but ", EnumNameCollective(program_.collective()),
                  " copies nothing");
  if (program_.relays() && program_.relays()->size() > 0)
    return "switches work for no tree where relays forward";
  std::string wrong = checkLinks(use);
  if (wrong.empty() && use.reduces())
    wrong = checkStar(use, /*up=*/true);
  if (wrong.empty() && use.multicasts())
    wrong = checkStar(use, /*up=*/false);
  return wrong;
}

} // namespace blink::sched
