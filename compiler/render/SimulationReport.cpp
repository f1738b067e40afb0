//===- SimulationReport.cpp - what is said of a simulation ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/SimulationReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

double SimulatedProgram::algbw() const {
  return simulation.microseconds > 0
             ? double(bytes) / simulation.microseconds * 1e-3
             : 0;
}

/// Percent of the stated rate; 100 for one rank.
static double percentOfRate(const SimulatedProgram &program) {
  return std::isinf(program.summary.algbw)
             ? 100
             : 100 * program.algbw() / program.summary.algbw;
}

static const char *nameOf(bool plannedShares) {
  return plannedShares ? "planned" : "fair";
}

std::string blink::toText(const SimulatedProgram &program) {
  const Summary &summary = program.summary;
  std::string text =
      title(summary) + ", simulated\n" +
      llvm::formatv("  data    {0}, {1} chunks over channels, {2} folds\n"
                    "  time    {3:F1} us; {4:F1} us by the model of time\n"
                    "  rate    {5:F3} GB/s, {6:F2} % of {7}\n",
                    formatBytes(program.bytes), program.simulation.chunks,
                    program.simulation.folds, program.simulation.microseconds,
                    program.modelMicroseconds, program.algbw(),
                    percentOfRate(program), formatRate(summary.algbw))
          .str();
  if (!program.busiestLink.empty())
    text += llvm::formatv("  links   {0} shares; the busiest, {1}, used {2:F2} "
                          "% of its bandwidth\n",
                          nameOf(program.options.plannedShares),
                          program.busiestLink, 100 * program.busiestUse)
                .str();
  return text;
}

std::string blink::toJson(const SimulatedProgram &program) {
  const Summary &summary = program.summary;
  nlohmann::ordered_json json = jsonSubject(summary);
  json["ranks"] = summary.gpus.size();
  json["bytes"] = program.bytes;
  json["protocol"] =
      sched::EnumNameProtocol(summary.variantFor(program.bytes).protocol);
  json["shares"] = nameOf(program.options.plannedShares);
  json["step_us"] = program.options.stepCost;
  json["time_us"] = program.simulation.microseconds;
  json["model_us"] = program.modelMicroseconds;
  json["algbw_gbps"] = program.algbw();
  json["stated_gbps"] = jsonRate(summary.algbw);
  json["percent_of_stated"] = percentOfRate(program);
  json["chunks"] = program.simulation.chunks;
  json["folds"] = program.simulation.folds;
  json["busiest_link"] = nullptr;
  if (!program.busiestLink.empty())
    json["busiest_link"] = {{"ends", program.busiestLink},
                            {"use", program.busiestUse}};
  return dumpReport(json);
}
