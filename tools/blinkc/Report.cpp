//===- Report.cpp - what the reports of commands share --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Report.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

nlohmann::ordered_json blink::jsonRate(double gbps) {
  if (std::isinf(gbps))
    return nullptr;
  return gbps;
}

nlohmann::ordered_json blink::jsonSummary(const Summary &summary) {
  nlohmann::ordered_json json;
  json["topology"] = summary.topology;
  json["collective"] = toString(summary.collective).str();
  json["gpus"] = summary.gpus;
  if (summary.root)
    json["root"] = *summary.root;
  json["ranks"] = summary.gpus.size();
  json["algbw_gbps"] = jsonRate(summary.algbw);
  json["bound_gbps"] = jsonRate(summary.bound);
  json["percent_of_bound"] = summary.percentOfBound();
  json["trees"] = summary.trees;
  json["depth"] = summary.depth;
  json["latency_us"] = summary.latency;
  json["lanes"] = summary.lanes;
  json["variants"] = nlohmann::ordered_json::array();
  for (const VariantSummary &variant : summary.variants) {
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
    json["variants"].push_back(entry);
  }
  return json;
}

std::string blink::linkEditsLine(const std::vector<LinkEdit> &edits) {
  if (edits.empty())
    return "";
  return "  links   " + describeEdits(edits) + "\n";
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

std::string blink::title(const Summary &summary) {
  return llvm::formatv("{0} on {1}, {2} {3}",
                       formatCollective(summary.collective, summary.root),
                       summary.topology,
                       summary.gpus.size() == 1 ? "GPU" : "GPUs",
                       summary.gpuList())
      .str();
}
