//===- TraceReport.cpp - reports on two traces ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/TraceReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

static std::string inMicroseconds(double value) {
  return llvm::formatv("{0:F2}", value).str();
}

static std::string sumLine(const char *what, const TracedTimes &times) {
  std::string change;
  if (times[0] > 0)
    change = llvm::formatv("{0}{1:F1} %", times[1] >= times[0] ? "+" : "",
                           100 * (times[1] / times[0] - 1));
  return llvm::formatv("{0,-28} {1,12} {2,12} {3,10}\n", what,
                       inMicroseconds(times[0]), inMicroseconds(times[1]),
                       change);
}

std::string blink::toText(const TraceDiff &diff, size_t lines) {
  std::string text = llvm::formatv("{0,-28} {1,12} {2,12}\n", "us of a call",
                                   "before", "after");
  text += llvm::formatv("{0,-28} {1,12} {2,12}\n", "calls", diff.calls[0],
                        diff.calls[1]);
  text += sumLine("from first fold to last", diff.span);
  text += sumLine("in folds, all lanes", diff.folds);
  text += sumLine("waiting, all lanes", diff.waited);
  for (int side : {0, 1})
    if (diff.alone[side] > 0)
      text += llvm::formatv(
          "{0} of lanes only {1}: other schedules, or other variants\n",
          counted(diff.alone[side], "step", "steps"),
          side == 0 ? "before" : "after");
  std::vector<std::vector<std::string>> rows = {
      {"most changed", "folds", "", "waits", "", "together"},
      {"", "before", "after", "before", "after", ""}};
  for (const TraceStepDiff &step : diff.steps) {
    if (rows.size() == lines + 2 || step.change() == 0)
      break;
    rows.push_back(
        {llvm::formatv("{0} lane {1} step {2}", step.rank, step.lane,
                       step.step),
         inMicroseconds(step.folds[0]), inMicroseconds(step.folds[1]),
         inMicroseconds(step.waited[0]), inMicroseconds(step.waited[1]),
         llvm::formatv("{0}{1:F2}", step.change() > 0 ? "+" : "",
                       step.change())});
  }
  if (rows.size() > 2)
    text += "\n" + toTable(rows);
  return text;
}

std::string blink::toJson(const TraceDiff &diff) {
  nlohmann::ordered_json json = {
      {"calls", diff.calls},       {"span_us", diff.span},
      {"folds_us", diff.folds},    {"waited_us", diff.waited},
      {"steps_alone", diff.alone}, {"steps", nlohmann::ordered_json::array()}};
  for (const TraceStepDiff &step : diff.steps)
    json["steps"].push_back({{"rank", step.rank},
                             {"lane", step.lane},
                             {"step", step.step},
                             {"folds_us", step.folds},
                             {"waited_us", step.waited}});
  return dumpReport(json);
}
