//===- FindingJson.cpp - findings in JSON reports -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/FindingJson.h"

using namespace blink;

static nlohmann::ordered_json jsonValue(const FindingValue &value) {
  if (const auto *integer = std::get_if<uint64_t>(&value))
    return *integer;
  if (const auto *real = std::get_if<double>(&value))
    return *real;
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  return nullptr;
}

nlohmann::ordered_json blink::jsonFinding(const Finding &finding) {
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
  if (finding.minBytes)
    json["min_bytes"] = *finding.minBytes;
  return json;
}
