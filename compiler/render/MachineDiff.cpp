//===- MachineDiff.cpp - two machines compared, in words ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/MachineDiff.h"

#include "compiler/render/Json.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

static bool isWorse(const LinkChange &change) {
  return change.after < change.before;
}

/// Returns "switch that multicasts and reduces".
static std::string inWords(const Node &node) {
  std::string text = toString(node.kind).str();
  if (node.multicast || node.reduce)
    text += std::string(" that ") + (node.multicast ? "multicasts" : "") +
            (node.multicast && node.reduce ? " and " : "") +
            (node.reduce ? "reduces" : "");
  return text;
}

bool blink::isWorse(const TopologyDiff &diff) {
  return !diff.gone.empty() ||
         llvm::any_of(
             diff.nodes,
             [](const NodeChange &change) { return change.isWorse(); }) ||
         llvm::any_of(diff.links, [](const LinkChange &change) {
           return ::isWorse(change);
         });
}

std::string blink::toText(const TopologyDiff &diff) {
  if (diff.gone.empty() && diff.added.empty() && diff.nodes.empty() &&
      diff.links.empty())
    return "same nodes and links\n";
  std::string text;
  for (const std::string &id : diff.gone)
    text += id + ": worse: is gone\n";
  for (const NodeChange &change : diff.nodes)
    text += change.id + (change.isWorse() ? ": worse: " : ": better: ") +
            inWords(change.after) + " instead of " + inWords(change.before) +
            "\n";
  for (const LinkChange &change : diff.links) {
    text += change.from + (change.directed ? " -> " : " - ") + change.to +
            ", " + toString(change.kind).str() + ": " +
            (::isWorse(change) ? "worse: " : "better: ");
    if (change.after == 0)
      text += "no link instead of " + readable(change.before) + " GB/s\n";
    else if (change.before == 0)
      text += readable(change.after) + " GB/s instead of no link\n";
    else
      text += readable(change.after) + " instead of " +
              readable(change.before) + " GB/s\n";
  }
  for (const std::string &id : diff.added)
    text += id + ": different: is new\n";
  return text;
}

std::string blink::toJson(const TopologyDiff &diff) {
  nlohmann::ordered_json json;
  json["worse"] = isWorse(diff);
  json["nodes_gone"] = diff.gone;
  json["nodes_new"] = diff.added;
  json["nodes"] = nlohmann::ordered_json::array();
  for (const NodeChange &change : diff.nodes)
    json["nodes"].push_back({{"id", change.id},
                             {"worse", change.isWorse()},
                             {"before", inWords(change.before)},
                             {"after", inWords(change.after)}});
  json["links"] = nlohmann::ordered_json::array();
  for (const LinkChange &change : diff.links)
    json["links"].push_back({{"from", change.from},
                             {"to", change.to},
                             {"kind", toString(change.kind).str()},
                             {"directed", change.directed},
                             {"before_gbps", jsonRate(change.before)},
                             {"after_gbps", jsonRate(change.after)}});
  return dumpReport(json);
}
