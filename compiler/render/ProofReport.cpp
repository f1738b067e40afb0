//===- ProofReport.cpp - reports on a proof -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/ProofReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

bool ProvedSchedule::ok() const {
  return llvm::all_of(programs,
                      [](const Program &program) { return program.report.ok; });
}

static std::string toText(const ProvedSchedule::Program &program,
                          const std::vector<LinkEdit> &edits) {
  const VerifyReport &report = program.report;
  std::string text = title(program.summary) + "\n" + linkEditsLine(edits);
  for (const Check &check : report.checks)
    text += llvm::formatv("  {0,-6} {1,-12} {2}\n", check.ok ? "ok" : "FAILED",
                          check.name, check.detail);
  if (!report.ok)
    return text + "  NOT VERIFIED: do not run this schedule\n";
  double percent =
      std::isinf(report.bound) ? 100 : 100 * report.algbw / report.bound;
  return text + llvm::formatv("  verified: {0}, {1:F2} % of the bound, {2}\n",
                              formatRate(report.algbw), percent,
                              formatRate(report.bound))
                    .str();
}

static nlohmann::ordered_json json(const ProvedSchedule::Program &program,
                                   const std::vector<LinkEdit> &edits) {
  const VerifyReport &report = program.report;
  nlohmann::ordered_json json;
  json["ok"] = report.ok;
  json.update(jsonSummary(program.summary));
  addLinkEdits(json, edits);
  // The recomputed values, not those that the file states.
  json["algbw_gbps"] = jsonRate(report.algbw);
  json["links_gbps"] = jsonRate(report.links);
  json["pace"] = report.pace;
  json["bound_gbps"] = jsonRate(report.bound);
  json["order"] = sched::EnumNameReductionOrder(report.order);
  json["order_of_narrow_types"] = report.orderOfNarrow;
  json["times"] = nlohmann::ordered_json::array();
  for (const RangeTime &time : report.times)
    json["times"].push_back({{"bytes", time.bytes},
                             {"pace", time.pace},
                             {"time_us", time.microseconds},
                             {"algbw_gbps", jsonRate(time.rate())}});
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check &check : report.checks)
    json["checks"].push_back(
        {{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
  return json;
}

std::string blink::toText(const ProvedSchedule &schedule) {
  std::string text;
  for (const ProvedSchedule::Program &program : schedule.programs)
    text += ::toText(program, schedule.edits);
  return text;
}

std::string blink::toJson(const ProvedSchedule &schedule) {
  auto programs = nlohmann::ordered_json::array();
  for (const ProvedSchedule::Program &program : schedule.programs)
    programs.push_back(json(program, schedule.edits));
  if (programs.size() == 1)
    return dumpReport(programs[0]);
  return dumpReport({{"ok", schedule.ok()}, {"programs", programs}});
}
