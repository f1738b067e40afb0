//===- Json.cpp - common parts of JSON reports ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/Json.h"

#include <cmath>

using namespace blink;

std::string blink::dumpReport(const nlohmann::ordered_json &json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

nlohmann::ordered_json blink::jsonRate(double gbps) {
  if (std::isinf(gbps))
    return nullptr;
  return gbps;
}

nlohmann::ordered_json blink::jsonSubject(const Summary &summary) {
  nlohmann::ordered_json json;
  json["topology"] = summary.topology;
  json["collective"] = toString(summary.collective).str();
  json["gpus"] = summary.gpus;
  if (summary.root)
    json["root"] = *summary.root;
  return json;
}

static nlohmann::ordered_json jsonVariant(const VariantSummary &variant) {
  nlohmann::ordered_json entry;
  entry["min_bytes"] = variant.minBytes;
  entry["max_bytes"] = nullptr;
  if (variant.hasLimit())
    entry["max_bytes"] = variant.maxBytes;
  entry["protocol"] = sched::EnumNameProtocol(variant.protocol);
  entry["trees"] = variant.trees;
  entry["depth"] = variant.depth;
  entry["hops"] = variant.hops;
  entry["latency_us"] = variant.latency;
  entry["start_us"] = variant.start;
  entry["lanes"] = variant.lanes;
  entry["channels"] = variant.channels;
  entry["chunk_bytes"] = variant.chunkBytes;
  entry["least_chunk_bytes"] = variant.leastChunkBytes;
  entry["least_chunks"] = variant.leastChunks;
  return entry;
}

nlohmann::ordered_json blink::jsonSummary(const Summary &summary) {
  nlohmann::ordered_json json = jsonSubject(summary);
  json["ranks"] = summary.gpus.size();
  json["algbw_gbps"] = jsonRate(summary.algbw);
  json["links_gbps"] = jsonRate(summary.links);
  json["pace"] = summary.pace;
  json["bound_gbps"] = jsonRate(summary.bound);
  json["percent_of_bound"] = summary.percentOfBound();
  json["order"] = sched::EnumNameReductionOrder(summary.order);
  json["accumulate"] = sched::EnumNameAccumulation(summary.accumulate);
  json["links_16bit_gbps"] = jsonRate(summary.links16);
  json["links_8bit_gbps"] = jsonRate(summary.links8);
  json["in_switch"] = summary.inSwitch;
  json["trees"] = summary.trees;
  json["depth"] = summary.depth;
  json["latency_us"] = summary.latency;
  json["lanes"] = summary.lanes;
  json["network_peers"] = summary.networkPeers;
  json["connections"] = summary.connections;
  json["variants"] = nlohmann::ordered_json::array();
  for (const VariantSummary &variant : summary.variants)
    json["variants"].push_back(jsonVariant(variant));
  return json;
}

void blink::addLinkEdits(nlohmann::ordered_json &json,
                         const std::vector<LinkEdit> &edits) {
  if (edits.empty())
    return;
  auto without = nlohmann::ordered_json::array(), limited = without;
  for (const LinkEdit &edit : edits)
    if (edit.limit)
      limited.push_back({{"ends", edit.ends}, {"limit_gbps", *edit.limit}});
    else
      without.push_back(edit.ends);
  json["without_links"] = without;
  json["limited_links"] = limited;
}

static nlohmann::ordered_json jsonValue(const FindingValue &value) {
  if (const auto *integer = std::get_if<uint64_t>(&value))
    return *integer;
  if (const auto *real = std::get_if<double>(&value))
    return *real;
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  return nullptr;
}

static nlohmann::ordered_json jsonFinding(const Finding &finding) {
  nlohmann::ordered_json json;
  json["severity"] = toString(finding.severity).str();
  json["aspect"] = toString(finding.aspect).str();
  json["subject"] = finding.subject;
  json["words"] = finding.words;
  json["before"] = jsonValue(finding.before);
  json["after"] = jsonValue(finding.after);
  if (!finding.program)
    return json;
  json["collective"] = toString(finding.program->collective).str();
  json["gpus"] = finding.program->gpus;
  if (finding.program->root)
    json["root"] = *finding.program->root;
  json["relays"] = finding.program->relays;
  if (!finding.program->condition.empty())
    json["condition"] = finding.program->condition;
  if (finding.minBytes)
    json["min_bytes"] = *finding.minBytes;
  return json;
}

nlohmann::ordered_json blink::jsonFindings(llvm::ArrayRef<Finding> findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding &finding : findings)
    list.push_back(jsonFinding(finding));
  return list;
}
