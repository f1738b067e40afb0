//===- TopologyWriter.cpp - writing .topo files ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/TopologyWriter.h"

#include "llvm/ADT/StringExtras.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <map>
#include <tuple>

using namespace blink;

static std::string quote(llvm::StringRef text) {
  // Ids and names were read from JSON or made by Blink, so they are UTF-8.
  return nlohmann::json(text.str())
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the shortest text that reads back as the same number.
static std::string jsonNumber(double value) {
  return nlohmann::json(value).dump();
}

static std::string nodeText(const Node &node) {
  std::string text = "{\"id\": " + quote(node.id) + ", \"kind\": \"" +
                     toString(node.kind).str() + "\"";
  if (node.multicast)
    text += ", \"multicast\": true";
  if (node.reduce)
    text += ", \"reduce\": true";
  if (!node.device.empty())
    text += ", \"device\": " + quote(node.device);
  return text + "}";
}

static std::string linkText(const Topology &topology, const Link &link,
                            bool directed) {
  return "{\"from\": " + quote(topology.nodes[link.from].id) +
         ", \"to\": " + quote(topology.nodes[link.to].id) +
         ", \"bandwidth\": " + jsonNumber(link.bandwidth) +
         ", \"latency\": " + jsonNumber(link.latency) + ", \"kind\": \"" +
         toString(link.kind).str() + "\"" +
         (directed ? ", \"directed\": true}" : "}");
}

std::string blink::writeTopology(const Topology &topology,
                                 llvm::StringRef comment) {
  std::string text;
  for (llvm::StringRef line : llvm::split(comment, '\n')) {
    text += ("// " + line).str() + "\n";
    // A comment also ends at a carriage return.
    std::replace(text.end() - ptrdiff_t(line.size()) - 1, text.end(), '\r',
                 ' ');
  }
  text += "{\n";
  text += "  \"format\": \"blink-topology\",\n  \"version\": 1,\n";
  text += "  \"name\": " + quote(topology.name) + ",\n";
  text += "  \"description\": " + quote(topology.description) + ",\n";
  auto list = [&](const char *key, const std::vector<std::string> &lines) {
    text += "\n  \"" + std::string(key) + "\": [";
    for (size_t i = 0; i < lines.size(); ++i)
      text += (i ? ",\n    " : "\n    ") + lines[i];
    text += "\n  ]";
  };
  std::vector<std::string> nodes, links;
  for (const Node &node : topology.nodes)
    nodes.push_back(nodeText(node));

  const auto index = topology.linkIndices();
  std::vector<bool> written(topology.links.size(), false);
  for (size_t i = 0; i < topology.links.size(); ++i) {
    if (written[i])
      continue;
    const Link &link = topology.links[i];
    auto back = index.find({link.to, link.from, link.kind});
    bool paired = back != index.end() && !written[back->second] &&
                  topology.links[back->second].bandwidth == link.bandwidth &&
                  topology.links[back->second].latency == link.latency;
    if (paired)
      written[back->second] = true;
    links.push_back(linkText(topology, link, !paired));
  }
  list("nodes", nodes);
  text += ",\n";
  list("links", links);
  return text + "\n}\n";
}
