//===- SwitchRules.cpp - the rules of SwitchUse ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/SwitchRules.h"

#include "schedules/CheckRules.h"
#include "schedules/Collectives.h"
#include "schedules/Text.h"

#include <vector>

namespace blink::sched {
namespace {

/// A star of channels between the root of a tree and all other ranks.
class StarCheck {
public:
  StarCheck(const Topology &topology, const Program &program,
            const Variant &variant, const SwitchUse &use)
      : topology_(topology), program_(program), variant_(variant), use_(use),
        root_(variant.trees()->Get(use.tree())->root()) {}

  std::string run() const {
    const auto &links = *topology_.links();
    for (uint32_t link : {use_.to_switch(), use_.from_switch()})
      if (link >= links.size())
        return outOf("link", link, links.size());
    const Link &to = *links[use_.to_switch()];
    const Link &from = *links[use_.from_switch()];
    if (to.from() != nodeOf(root_) || from.to() != to.from() ||
        from.from() != to.to())
      return "links " + std::to_string(use_.to_switch()) + " and " +
             std::to_string(use_.from_switch()) +
             " do not join the root with one switch, there and back";
    const Node &node = *topology_.nodes()->Get(to.to());
    if (use_.reduces() && !node.reduce())
      return node.id()->str() + " cannot reduce";
    if (use_.multicasts() && !node.multicast())
      return node.id()->str() + " cannot multicast";
    if (use_.reduces())
      if (std::string wrong = checkStar(to.to(), /*up=*/true); !wrong.empty())
        return wrong;
    return use_.multicasts() ? checkStar(to.to(), /*up=*/false) : "";
  }

private:
  /// The node of a rank's GPU.
  uint32_t nodeOf(uint32_t rank) const {
    uint32_t gpu = program_.allocation()->Get(rank);
    for (uint32_t node = 0;; ++node)
      if (topology_.nodes()->Get(node)->kind() == NodeKind::gpu && gpu-- == 0)
        return node;
  }

  std::string checkStar(uint32_t node, bool up) const {
    std::vector<bool> seen(program_.allocation()->size());
    size_t found = 0;
    for (const Channel *channel : *variant_.channels()) {
      if (channel->tree() != use_.tree() ||
          (up ? channel->destination() : channel->source()) != root_)
        continue;
      const uint32_t other = up ? channel->source() : channel->destination();
      const auto link = [&](uint32_t hop) {
        return topology_.links()->Get(
            variant_.paths()->Get(channel->path_begin() + hop));
      };
      if (channel->path_count() != 2 || link(0)->to() != node ||
          link(1)->from() != node)
        return textOf("a channel between rank ", other, " and the root, rank ",
                      root_, ", is not one link to the switch and one from it");
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

  const Topology &topology_;
  const Program &program_;
  const Variant &variant_;
  const SwitchUse &use_;
  uint32_t root_;
};

} // namespace

std::string checkSwitchUse(const Topology &topology, const Program &program,
                           const Variant &variant, const SwitchUse &use) {
  const CollectiveTraits &traits = traitsOf(program.collective());
  if (use.tree() >= variant.trees()->size())
    return outOf("tree", use.tree(), variant.trees()->size());
  if (!use.reduces() && !use.multicasts())
    return "does nothing, expected to reduce, to multicast or both";
  if (use.reduces() && !traits.reduces)
    return textOf("reduces, but ", EnumNameCollective(program.collective()),
                  " adds nothing");
  if (use.multicasts() && (!traits.down || traits.routed))
    return textOf("multicasts, but ", EnumNameCollective(program.collective()),
                  " copies nothing");
  if (program.relays() && program.relays()->size() > 0)
    return "switches work for no tree where relays forward";
  return StarCheck(topology, program, variant, use).run();
}

} // namespace blink::sched
