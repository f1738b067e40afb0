//===- PageJson.cpp - the data of a page ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/Json.h"
#include "compiler/render/PageReport.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

using namespace blink;
using Json = nlohmann::ordered_json;

namespace {

/// The indices of a machine's nodes and links, by name.
class Places {
public:
  explicit Places(const Topology &topology) : links_(topology.linkIndices()) {
    for (size_t i = 0; i < topology.nodes.size(); ++i)
      nodes_[topology.nodes[i].id] = int(i);
  }

  int node(const std::string &id) const { return nodes_.at(id); }
  int link(const LinkReport &link) const {
    return links_.at({node(link.from), node(link.to), link.kind});
  }

private:
  std::map<std::string, int> nodes_;
  std::map<std::tuple<int, int, LinkKind>, int> links_;
};

} // namespace

/// Rounds to six digits: a page has many numbers, and nobody sees more digits.
/// Null stands for infinity.
static Json number(double value) {
  if (std::isinf(value))
    return nullptr;
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.6g", value);
  const double rounded = std::strtod(digits, nullptr);
  if (rounded == std::floor(rounded) && std::abs(rounded) < 1e9)
    return int64_t(rounded); // without ".0"
  return rounded;
}

static Json numbers(const std::vector<double> &values) {
  Json list = Json::array();
  for (double value : values)
    list.push_back(number(value));
  return list;
}

static Json jsonOf(const PageMachine &machine) {
  const Topology &topology = machine.topology;
  Json json = {{"name", topology.name},  {"description", topology.description},
               {"type", machine.type},   {"gpusOfType", machine.gpusOfType},
               {"nodes", Json::array()}, {"links", Json::array()}};
  for (const Node &node : topology.nodes)
    json["nodes"].push_back({node.id, toString(node.kind).str()});
  for (const Link &link : topology.links)
    json["links"].push_back({link.from, link.to, toString(link.kind).str(),
                             number(link.bandwidth), number(link.latency),
                             link.count});
  return json;
}

static Json jsonOf(const PageHop &hop, Json third) {
  Json entry = {hop.from, hop.to, std::move(third)};
  for (uint32_t link : hop.path)
    entry.push_back(link);
  return entry;
}

static Json jsonOf(const PageForest &forest) {
  Json trees = Json::array();
  for (const PageTree &tree : forest.trees) {
    Json hops = Json::array();
    for (const PageHop &hop : tree.hops)
      hops.push_back(jsonOf(hop, int(hop.up)));
    trees.push_back({{"root", tree.root},
                     {"block", tree.block},
                     {"depth", tree.depth},
                     {"copies", tree.copies.size()},
                     {"share", number(tree.share)},
                     {"hops", std::move(hops)}});
  }
  return {{"trees", std::move(trees)}, {"omitted", forest.omitted}};
}

static Json jsonOf(const PageVariant &variant) {
  const VariantSummary &summary = variant.summary;
  Json json = {{"min", summary.minBytes},
               {"max", nullptr},
               {"protocol", sched::EnumNameProtocol(summary.protocol)},
               {"oneHop", variant.oneHop},
               {"trees", summary.trees},
               {"depth", summary.depth},
               {"hops", summary.hops},
               {"latency", number(summary.latency)},
               {"start", number(summary.start)},
               {"lanes", summary.lanes},
               {"channels", summary.channels},
               {"chunk", summary.chunkBytes},
               {"times", numbers(variant.times)},
               {"forest", jsonOf(variant.forest)}};
  if (summary.hasLimit())
    json["max"] = summary.maxBytes;
  return json;
}

/// Transfers and folds are flat arrays of four and three numbers each: as
/// nested lists they would consist of brackets for the most part.
static Json jsonOf(const PageReplay &replay, const PageForest &forest) {
  std::map<int, size_t> shown; // of the program's trees
  for (size_t i = 0; i < forest.trees.size(); ++i)
    for (int copy : forest.trees[i].copies)
      shown[copy] = i;
  Json lanes = Json::array(), channels = lanes, transfers = lanes,
       folds = lanes;
  for (const LaneTimes &lane : replay.lanes)
    lanes.push_back({lane.rank, lane.lane, number(lane.folds),
                     number(lane.data), number(lane.slots)});
  for (size_t i = 0; i < replay.channels.size(); ++i)
    channels.push_back(jsonOf(replay.channels[i], shown[replay.trees[i]]));
  for (const PageReplay::Transfer &one : replay.transfers) {
    transfers.push_back(one.channel);
    for (uint64_t at : {one.begin, one.end, one.arrival})
      transfers.push_back(at);
  }
  for (const PageReplay::Fold &one : replay.folds) {
    folds.push_back(one.lane);
    for (uint64_t at : {one.begin, one.end})
      folds.push_back(at);
  }
  return {{"bytes", replay.bytes},
          {"us", number(replay.microseconds)},
          {"lanes", std::move(lanes)},
          {"channels", std::move(channels)},
          {"transfers", std::move(transfers)},
          {"folds", std::move(folds)}};
}

static void addLinks(Json &json, const Explanation &explanation,
                     const Places &places) {
  json["links"] = Json::array();
  for (const LinkReport &link : explanation.links)
    json["links"].push_back(
        {places.link(link), number(link.load), number(link.price)});
  json["kinds"] = Json::array();
  for (const KindReport &kind : explanation.kinds)
    json["kinds"].push_back({toString(kind.kind).str(), number(kind.bandwidth),
                             number(kind.load), number(kind.percentOfTraffic)});
}

static Json jsonOf(const PageProgram &program, const Places &places) {
  const Explanation &explanation = program.explanation;
  const Summary &summary = explanation.summary;
  Json json = {{"machine", program.machine},
               {"collective", toString(summary.collective).str()},
               {"root", nullptr},
               {"gpus", summary.gpus},
               {"relays", summary.relays},
               {"bound", number(summary.bound)},
               {"rate", nullptr},
               {"reasons", explanation.reasons},
               {"groups", explanation.groups},
               {"variants", Json::array()},
               {"improvements", Json::array()}};
  if (summary.root)
    json["root"] = *summary.root;
  if (!program.isBound())
    json["rate"] = number(summary.algbw);
  addLinks(json, explanation, places);
  for (const PageVariant &variant : program.variants)
    json["variants"].push_back(jsonOf(variant));
  for (const Improvement &more : program.improvements)
    json["improvements"].push_back(
        {places.node(more.from), places.node(more.to),
         toString(more.kind).str(), number(more.bandwidth),
         number(more.bound)});
  if (!explanation.crossingPoints.empty()) {
    json["crossings"] = Json::array();
    for (const CrossingPoint &point : explanation.crossingPoints)
      json["crossings"].push_back(
          {point.bytes, number(point.after), point.reason});
  }
  if (program.rings)
    json["rings"] = {{"count", program.rings->rings},
                     {"rate", number(program.rings->algbw)},
                     {"times", numbers(program.rings->times)}};
  if (program.replay)
    json["replay"] = jsonOf(*program.replay, program.variants.back().forest);
  return json;
}

std::string blink::toPageJson(const PageData &page) {
  Json json = {{"title", page.title},       {"sizes", PageData::sizes()},
               {"machines", Json::array()}, {"programs", Json::array()},
               {"classes", Json::array()},  {"allocations", Json::array()},
               {"notes", page.notes}};
  std::vector<Places> places;
  for (const PageMachine &machine : page.machines) {
    json["machines"].push_back(jsonOf(machine));
    places.emplace_back(machine.topology);
  }
  for (const PageProgram &program : page.programs)
    json["programs"].push_back(jsonOf(program, places[program.machine]));
  for (const PageClass &one : page.classes)
    json["classes"].push_back(one.programs);
  for (const PageAllocation &one : page.allocations)
    json["allocations"].push_back({one.gpus, one.alike, one.nodes});
  addLinkEdits(json, page.edits);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // In JSON a `<` occurs inside strings only.
  std::string safe;
  for (char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}
