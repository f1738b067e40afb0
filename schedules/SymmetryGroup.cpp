//===- SymmetryGroup.cpp - the symmetry group of a program ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Generators are not trusted: it is checked that they change nothing, commute
// and act freely, in time linear in the machine, apart from a logarithm. All
// else relies on the free action: because of it, an element is determined by
// the image of the first rank.
//
//===----------------------------------------------------------------------===//

#include "schedules/SymmetryGroup.h"

#include "schedules/Text.h"

#include <algorithm>
#include <limits>

namespace blink::sched {

namespace {
constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostGenerators = 16; // 2 steps each make 2^16 elements
} // namespace

std::vector<Renaming> renamingsOf(const Program &program) {
  std::vector<Renaming> renamings;
  if (program.symmetry())
    for (const SymmetryGenerator *generator : *program.symmetry())
      renamings.push_back(
          {{generator->nodes()->begin(), generator->nodes()->end()},
           generator->steps()});
  return renamings;
}

std::string SymmetryGroup::create(
    const Topology &topology, const flatbuffers::Vector<uint16_t> &allocation,
    const std::vector<Renaming> &renamings, SymmetryGroup &group) {
  group = SymmetryGroup();
  std::vector<uint32_t> gpus;
  for (uint32_t node = 0; node < topology.nodes()->size(); ++node)
    if (topology.nodes()->Get(node)->kind() == NodeKind::gpu)
      gpus.push_back(node);
  group.rankOf_.assign(topology.nodes()->size(), kNoRank);
  for (uint32_t rank = 0; rank < allocation.size(); ++rank) {
    group.nodeOf_.push_back(gpus[allocation[rank]]);
    group.rankOf_[group.nodeOf_.back()] = rank;
  }
  if (renamings.size() > kMostGenerators)
    return textOf("symmetry: ", renamings.size(),
                  " generators, expected at most ", kMostGenerators);
  std::string wrong = renamings.empty() ? "" : group.readLinks(topology);
  for (size_t i = 0; i < renamings.size() && wrong.empty(); ++i) {
    wrong = group.readGenerator(topology, renamings[i]);
    if (wrong.empty())
      wrong = group.addGenerator(renamings[i].steps);
    if (!wrong.empty())
      return textOf("symmetry[", i, "]: ", wrong);
  }
  if (!wrong.empty())
    return "symmetry: " + wrong;
  if (!group.findOrbits())
    return "symmetry: an element other than the identity leaves a rank in "
           "place";
  return "";
}

std::string SymmetryGroup::readLinks(const Topology &topology) {
  for (const Link *link : *topology.links()) {
    linkAt_.emplace_back(link->from(), link->to(), link->kind(),
                         uint32_t(linkAt_.size()));
    linkEnds_.emplace_back(link->from(), link->to());
    linkKinds_.push_back(link->kind());
  }
  std::sort(linkAt_.begin(), linkAt_.end());
  for (size_t i = 1; i < linkAt_.size(); ++i) {
    const auto &[from, to, kind, number] = linkAt_[i];
    const auto &[from2, to2, kind2, before] = linkAt_[i - 1];
    if (from == from2 && to == to2 && kind == kind2)
      return textOf("links ", before, " and ", number,
                    " are between the same nodes and of one kind");
  }
  return "";
}

/// Checks that a renaming is an automorphism of the machine that keeps the set
/// of ranks. Appends its map to nodes_, as its first power.
std::string SymmetryGroup::readGenerator(const Topology &topology,
                                         const Renaming &renaming) {
  const auto &nodes = *topology.nodes();
  if (renaming.nodes.size() != nodes.size())
    return textOf("renames ", renaming.nodes.size(), " of ", nodes.size(),
                  " nodes");
  if (renaming.steps < 2)
    return textOf(renaming.steps, " steps, expected at least 2");
  std::vector<bool> taken(nodes.size());
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const uint32_t image = renaming.nodes[node];
    if (image >= nodes.size() || taken[image])
      return textOf("node ", node, " becomes ", image,
                    image >= nodes.size() ? ", which is none"
                                          : ", as another one does");
    taken[image] = true;
    const Node &from = *nodes[node], &to = *nodes[image];
    if (from.kind() != to.kind() || from.multicast() != to.multicast() ||
        from.reduce() != to.reduce() ||
        (rankOf_[node] == kNoRank) != (rankOf_[image] == kNoRank))
      return textOf("node ", node, " becomes node ", image,
                    ", which is of another kind");
  }
  nodes_.emplace_back(renaming.nodes.begin(), renaming.nodes.end());
  generators_.push_back({2, uint32_t(nodes_.size()) - 1});
  // Check the new generator's first power, as if it were alone.
  const Map &map = nodes_.back();
  for (uint32_t number = 0; number < linkEnds_.size(); ++number) {
    const auto [from, to] = linkEnds_[number];
    const auto key = std::make_tuple(map[from], map[to], linkKinds_[number]);
    const auto found = std::lower_bound(
        linkAt_.begin(), linkAt_.end(), key, [](const auto &a, const auto &b) {
          return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) < b;
        });
    const Link *image =
        found != linkAt_.end() &&
                std::tie(std::get<0>(*found), std::get<1>(*found),
                         std::get<2>(*found)) == key
            ? topology.links()->Get(std::get<3>(*found))
            : nullptr;
    const Link &link = *topology.links()->Get(number);
    if (!image || image->bandwidth() != link.bandwidth() ||
        image->latency() != link.latency())
      return textOf("link ", number, " has no image that is like it");
  }
  return "";
}

/// Adds the generator read last to the group, with `steps` powers.
std::string SymmetryGroup::addGenerator(uint32_t steps) {
  if (uint64_t(order_) * steps > nodeOf_.size())
    return textOf("makes more elements than there are ranks, ", nodeOf_.size());
  generators_.back().steps = steps;
  const size_t numNodes = rankOf_.size();
  const auto after = [&](const Map &second, const Map &first) {
    Map map(numNodes);
    for (size_t node = 0; node < numNodes; ++node)
      map[node] = second[first[node]];
    return map;
  };
  const size_t first = generators_.back().firstPower;
  for (size_t other = 0; other + 1 < generators_.size(); ++other) {
    const Map &before = nodes_[generators_[other].firstPower];
    if (after(before, nodes_[first]) != after(nodes_[first], before))
      return textOf("does not commute with generator ", other);
  }
  while (steps >> (nodes_.size() - first) != 0)
    nodes_.push_back(after(nodes_.back(), nodes_.back()));
  Map power = elementAsMap(0);
  for (size_t bit = 0; steps >> bit != 0; ++bit)
    if (steps >> bit & 1)
      power = after(nodes_[first + bit], power);
  for (; ranks_.size() < nodes_.size();) {
    const Map &nodes = nodes_[ranks_.size()];
    Map &ranks = ranks_.emplace_back();
    for (uint32_t node : nodeOf_)
      ranks.push_back(rankOf_[nodes[node]]);
  }
  // Find the element of the previous generators that takes rank 0 to the same
  // rank as the power does.
  const uint32_t image = rankOf_[power[nodeOf_.front()]];
  uint32_t element = 0;
  while (element < order_ && map(ranks_, element, 0) != image)
    ++element;
  if (element == order_ || elementAsMap(element) != power)
    return textOf("taken ", steps,
                  " times is not an element of the generators before it");
  order_ *= steps;
  return "";
}

/// Returns false if the action is not free.
bool SymmetryGroup::findOrbits() {
  orbitOf_.assign(nodeOf_.size(), kNoRank);
  elementTo_.assign(nodeOf_.size(), 0);
  for (uint32_t rank = 0; rank < nodeOf_.size(); ++rank) {
    if (orbitOf_[rank] != kNoRank)
      continue;
    for (uint32_t element = 0; element < order_; ++element) {
      const uint32_t image = mapRank(element, rank);
      if (orbitOf_[image] != kNoRank)
        return false;
      orbitOf_[image] = uint32_t(representatives_.size());
      elementTo_[image] = element;
      if (rank == 0)
        imagesOfFirst_.push_back(image);
    }
    representatives_.push_back(rank);
  }
  // Apply the inverse of each element to the first rank. As the action is free,
  // the image identifies the inverse.
  Powers back;
  for (const Map &ranks : ranks_) {
    Map &inverse = back.emplace_back(ranks.size());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      inverse[ranks[rank]] = rank;
  }
  for (uint32_t element = 0; element < order_; ++element)
    inverses_.push_back(elementTo_[map(back, element, 0)]);
  return true;
}

std::vector<uint32_t> SymmetryGroup::generators() const {
  std::vector<uint32_t> elements;
  uint32_t element = 1;
  for (const Generator &generator : generators_) {
    elements.push_back(element);
    element *= generator.steps;
  }
  return elements;
}

uint32_t SymmetryGroup::map(const Powers &powers, uint32_t element,
                            uint32_t what) const {
  for (const Generator &generator : generators_) {
    uint32_t exponent = element % generator.steps;
    element /= generator.steps;
    for (uint32_t at = generator.firstPower; exponent != 0;
         exponent >>= 1, ++at)
      if (exponent & 1)
        what = powers[at][what];
    if (element == 0)
      break;
  }
  return what;
}

SymmetryGroup::Map SymmetryGroup::elementAsMap(uint32_t element) const {
  Map result(rankOf_.size());
  for (uint32_t node = 0; node < result.size(); ++node)
    result[node] = map(nodes_, element, node);
  return result;
}

uint32_t SymmetryGroup::mapLink(uint32_t element, uint32_t link) const {
  if (element == 0)
    return link;
  const auto [from, to] = linkEnds_[link];
  const auto key = std::make_tuple(map(nodes_, element, from),
                                   map(nodes_, element, to), linkKinds_[link]);
  return std::get<3>(*std::lower_bound(
      linkAt_.begin(), linkAt_.end(), key, [](const auto &a, const auto &b) {
        return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) < b;
      }));
}

} // namespace blink::sched
