//===- CheckJson.cpp - results of a check as JSON -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/CheckReport.h"

#include "compiler/render/Json.h"

using namespace blink;

std::string blink::toJson(const std::vector<MachineResult> &results, bool ok,
                          const CheckTolerance &tolerance) {
  nlohmann::ordered_json json;
  json["ok"] = ok;
  json["tolerance"] = tolerance.rate;
  json["time_tolerance"] = tolerance.time;
  json["machines"] = nlohmann::ordered_json::array();
  for (const MachineResult &result : results) {
    nlohmann::ordered_json machine;
    machine["name"] = result.name;
    machine["verdict"] = toString(result.verdict()).lower();
    machine["allocations"] = result.now.allocations;
    machine["classes"] = result.now.classes.size();
    machine["programs"] = result.now.numPrograms();
    machine["worst_percent_of_bound"] = 100 * result.worstRatio;
    machine["worst"] = result.worst;
    machine["bundle_bytes"] = result.now.bundleBytes;
    machine["bundle_sha256"] = result.now.bundleHash;
    machine["seconds"] = result.seconds;
    machine["problems"] = result.problems;
    for (Severity severity :
         {Severity::worse, Severity::better, Severity::different})
      machine[toString(severity).str()] = result.count(severity);
    machine["findings"] = jsonFindings(result.findings);
    json["machines"].push_back(machine);
  }
  return dumpReport(json);
}
