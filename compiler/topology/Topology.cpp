//===- Topology.cpp - the graph of a machine ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The words of the vocabulary, sets of link kinds, and the rules for a
// well-formed topology.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/Topology.h"
#include "compiler/support/Error.h"

#include "schedules/Hash.h"
#include "schedules/MachineLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace blink;

llvm::StringRef blink::toString(NodeKind kind) {
  // flatc renames the enumerator because `switch` is a keyword of C++.
  return kind == NodeKind::switch_ ? "switch" : sched::EnumNameNodeKind(kind);
}

llvm::StringRef blink::toString(LinkKind kind) {
  return sched::EnumNameLinkKind(kind);
}

llvm::StringRef blink::toString(Collective collective) {
  return sched::EnumNameCollective(collective);
}

template <typename Enum, size_t N>
static std::optional<Enum> parseWord(llvm::StringRef word,
                                     const Enum (&values)[N]) {
  for (Enum value : values)
    if (toString(value) == word)
      return value;
  return std::nullopt;
}

std::optional<NodeKind> blink::parseNodeKind(llvm::StringRef word) {
  return parseWord(word, sched::EnumValuesNodeKind());
}

std::optional<LinkKind> blink::parseLinkKind(llvm::StringRef word) {
  return parseWord(word, sched::EnumValuesLinkKind());
}

std::optional<Collective> blink::parseCollective(llvm::StringRef word) {
  return parseWord(word, sched::EnumValuesCollective());
}

static std::string toStringOfEach(LinkKindSet kinds) {
  std::string words;
  for (LinkKind kind : sched::EnumValuesLinkKind())
    if (kinds.contains(kind))
      words += (words.empty() ? "" : ",") + toString(kind).str();
  return words;
}

llvm::Expected<LinkKindSet> blink::parseLinkKinds(llvm::StringRef words) {
  if (words == "all")
    return LinkKindSet::all();
  LinkKindSet kinds;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  words.split(parts, ',');
  for (llvm::StringRef part : parts) {
    std::optional<LinkKind> kind = parseLinkKind(part);
    if (!kind)
      return makeError("no link kind '" + part +
                       "': expected all, or a comma separated list of " +
                       toStringOfEach(LinkKindSet::all()));
    kinds.insert(*kind);
  }
  return kinds;
}

std::string blink::toString(LinkKindSet kinds) {
  return kinds == LinkKindSet::all() ? "all" : toStringOfEach(kinds);
}

std::string blink::describeKinds(LinkKindSet kinds) {
  return kinds == LinkKindSet::all() ? "any kind" : "kind " + toString(kinds);
}

std::string blink::allowMoreKinds(LinkKindSet kinds,
                                  llvm::StringRef otherwise) {
  return (kinds == LinkKindSet::all() ? "" : "allow more kinds of link or ") +
         otherwise.str();
}

std::vector<int> Topology::gpus() const {
  std::vector<int> result;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == NodeKind::gpu)
      result.push_back(static_cast<int>(i));
  return result;
}

std::map<std::tuple<int, int, LinkKind>, int> Topology::linkIndices() const {
  std::map<std::tuple<int, int, LinkKind>, int> indices;
  for (auto [index, link] : llvm::enumerate(links))
    indices[{link.from, link.to, link.kind}] = static_cast<int>(index);
  return indices;
}

double Topology::bandwidth(int from, int to) const {
  double sum = 0;
  for (const Link &link : links)
    if (link.from == from && link.to == to)
      sum += link.bandwidth;
  return sum;
}

std::string Topology::wrongEndsOf(const Link &link) const {
  const NodeKind from = nodes[link.from].kind, to = nodes[link.to].kind;
  if (link.kind != LinkKind::network || from == NodeKind::nic ||
      to == NodeKind::nic ||
      (from == NodeKind::switch_ && to == NodeKind::switch_))
    return {};
  return "a network link joins '" + nodes[link.from].id + "' to '" +
         nodes[link.to].id +
         "', and none of them is a nic; a server's way into a network is a "
         "node of kind nic between them";
}

llvm::Error Topology::check() const {
  if (nodes.size() > sched::kMostNodes)
    return makeError("{0} nodes; a machine has at most {1}", nodes.size(),
                     sched::kMostNodes);
  if (links.size() > sched::kMostLinks)
    return makeError("{0} links; a machine has at most {1}", links.size(),
                     sched::kMostLinks);
  llvm::StringSet<> ids;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &node = nodes[i];
    std::string place = "nodes[" + std::to_string(i) + "]";
    if (node.id.empty())
      return makeError(place + ": empty id; give the node a name");
    if (!ids.insert(node.id).second)
      return makeError(place + ": a second node with the id '" + node.id +
                       "'; ids must differ");
    if (node.kind > NodeKind::MAX)
      return makeError(place + ": unknown kind of node");
    if ((node.multicast || node.reduce) && node.kind != NodeKind::switch_)
      return makeError(place + ": only a switch can multicast or reduce, '" +
                       node.id + "' is a " + toString(node.kind));
    if (!node.device.empty() && node.kind != NodeKind::nic)
      return makeError(place + ": only a nic has a device, '" + node.id +
                       "' is a " + toString(node.kind));
  }

  std::map<std::tuple<int, int, LinkKind>, size_t> seen;
  int numNodes = static_cast<int>(nodes.size());
  for (size_t i = 0; i < links.size(); ++i) {
    const Link &link = links[i];
    std::string place = "links[" + std::to_string(i) + "]";
    for (int end : {link.from, link.to})
      if (end < 0 || end >= numNodes)
        return makeError(place + ": node " + llvm::Twine(end) +
                         " does not exist, there are " + llvm::Twine(numNodes) +
                         " nodes");
    if (link.from == link.to)
      return makeError(place + ": joins '" + nodes[link.from].id +
                       "' to itself; a link needs two different ends");
    if (link.kind > LinkKind::MAX)
      return makeError(place + ": unknown kind of link");
    if (std::string wrong = wrongEndsOf(link); !wrong.empty())
      return makeError(place + ": " + wrong);
    if (!sched::isBandwidth(link.bandwidth))
      return makeError(place + ": bandwidth must be " + sched::kBandwidthRange);
    if (!sched::isLatency(link.latency))
      return makeError(place + ": latency must be " + sched::kLatencyRange);
    auto [it, inserted] = seen.try_emplace({link.from, link.to, link.kind}, i);
    if (!inserted)
      return makeError(place + ": joins the same nodes as links[" +
                       llvm::Twine(it->second) +
                       "] in the same direction with the same kind; add them "
                       "up to one link");
  }
  return llvm::Error::success();
}

// Hashes every field in a fixed order, strings with their length in front, so
// that no two topologies feed the hash the same bytes.
uint64_t Topology::fingerprint() const {
  std::string bytes;
  auto addInteger = [&](uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes += static_cast<char>(value >> shift);
  };
  auto addDouble = [&](double value) {
    uint64_t bits;
    value += 0.0; // turns -0.0 into 0.0
    std::memcpy(&bits, &value, sizeof(bits));
    addInteger(bits);
  };

  addInteger(nodes.size());
  for (const Node &node : nodes) {
    addInteger(node.id.size());
    bytes += node.id;
    addInteger(static_cast<uint64_t>(node.kind) |
               uint64_t(node.multicast) << 8 | uint64_t(node.reduce) << 9);
  }
  addInteger(links.size());
  for (const Link &link : links) {
    addInteger(link.from);
    addInteger(link.to);
    addInteger(static_cast<uint64_t>(link.kind));
    addDouble(link.bandwidth);
    addDouble(link.latency);
  }
  return sched::hash64(bytes.data(), bytes.size());
}
