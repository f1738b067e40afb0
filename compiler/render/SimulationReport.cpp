//===- SimulationReport.cpp - reports on a simulation ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/SimulationReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

double SimulatedProgram::algbw() const {
  return simulation.microseconds > 0
             ? double(bytes) / simulation.microseconds * 1e-3
             : 0;
}

/// Returns the percentage of the stated rate; 100 for a single rank.
static double percentOfRate(const SimulatedProgram &program) {
  return std::isinf(program.summary.algbw)
             ? 100
             : 100 * program.algbw() / program.summary.algbw;
}

std::optional<size_t> SimulatedProgram::busiestLink() const {
  const auto busiest = llvm::max_element(simulation.linkUse);
  if (busiest == simulation.linkUse.end() || *busiest == 0)
    return std::nullopt;
  return size_t(busiest - simulation.linkUse.begin());
}

/// "gpu0 -> gpu3"
static std::string endsOf(const SimulatedProgram &program, uint32_t channel) {
  const auto [from, to] = program.channels[channel];
  return program.ranks[size_t(from)] + " -> " + program.ranks[size_t(to)];
}

/// "for slots of gpu0 -> gpu3"
static std::string wordsOf(const SimulatedProgram &program, WaitCause cause) {
  switch (cause.kind) {
  case WaitKind::lane:
    return "in lanes";
  case WaitKind::data:
    return "for data of " + endsOf(program, cause.channel);
  case WaitKind::slot:
    return "for slots of " + endsOf(program, cause.channel);
  }
  llvm_unreachable("enum outside its cases");
}

/// Lists the lanes that waited longest, the waits that delayed the last fold,
/// and the links with the highest use.
static std::string detailsText(const SimulatedProgram &program) {
  constexpr size_t kLines = 8; // of each table
  const SimulationDetails &details = program.simulation.details;
  const double all = std::max(program.simulation.microseconds, 1e-300);
  auto percent = [&](double microseconds) { return 100 * microseconds / all; };
  std::string text = "\nWhy it ended no sooner: the last fold waited, step by "
                     "step back to the first\n";
  for (const CriticalPart &part :
       llvm::ArrayRef(details.path).take_front(kLines))
    text += llvm::formatv("  {0,10:F1} us {1,6:F1} %  {2}, {3} folds\n",
                          part.microseconds, percent(part.microseconds),
                          wordsOf(program, part.cause), part.folds);
  std::vector<LaneTimes> lanes = details.lanes;
  llvm::stable_sort(lanes, [](const LaneTimes &a, const LaneTimes &b) {
    return a.data + a.slots > b.data + b.slots;
  });
  text +=
      "\nLanes that waited most           data   slots   folds   most for\n";
  for (const LaneTimes &lane : llvm::ArrayRef(lanes).take_front(kLines)) {
    const std::string name =
        program.ranks[lane.rank] + " lane " + std::to_string(lane.lane);
    text += llvm::formatv(
        "  {0,-24} {1,7:F1}% {2,6:F1}% {3,6:F1}%   {4}\n", name,
        percent(lane.data), percent(lane.slots), percent(lane.folds),
        lane.data + lane.slots > 0 ? endsOf(program, lane.channel) : "");
  }
  std::vector<size_t> links;
  for (size_t link = 0; link < program.links.size(); ++link)
    if (program.simulation.linkUse[link] > 0)
      links.push_back(link);
  llvm::stable_sort(links, [&](size_t a, size_t b) {
    return program.simulation.linkUse[a] > program.simulation.linkUse[b];
  });
  text += "\nLinks, % of bandwidth       all   in each tenth of the time\n";
  for (size_t link : llvm::ArrayRef(links).take_front(kLines)) {
    text += llvm::formatv("  {0,-22} {1,6:F1}  ", program.links[link],
                          100 * program.simulation.linkUse[link]);
    for (double use : details.linkUse[link])
      text += llvm::formatv(" {0,3:F0}", 100 * use);
    text += "\n";
  }
  return text;
}

static void addDetails(nlohmann::ordered_json &json,
                       const SimulatedProgram &program) {
  const SimulationDetails &details = program.simulation.details;
  auto ends = [&](uint32_t channel) {
    const auto [from, to] = program.channels[channel];
    return nlohmann::ordered_json::array(
        {program.ranks[size_t(from)], program.ranks[size_t(to)]});
  };
  const char *const kinds[] = {"lane", "data", "slot"};
  json["critical_path"] = nlohmann::ordered_json::array();
  for (const CriticalPart &part : details.path) {
    nlohmann::ordered_json entry = {{"for", kinds[int(part.cause.kind)]},
                                    {"us", part.microseconds},
                                    {"folds", part.folds}};
    if (part.cause.kind != WaitKind::lane)
      entry["channel"] = ends(part.cause.channel);
    json["critical_path"].push_back(std::move(entry));
  }
  json["lanes"] = nlohmann::ordered_json::array();
  for (const LaneTimes &lane : details.lanes) {
    nlohmann::ordered_json entry = {{"gpu", program.ranks[lane.rank]},
                                    {"lane", lane.lane},
                                    {"folds_us", lane.folds},
                                    {"data_us", lane.data},
                                    {"slots_us", lane.slots}};
    if (lane.data + lane.slots > 0)
      entry["most_for"] = ends(lane.channel);
    json["lanes"].push_back(std::move(entry));
  }
  json["links"] = nlohmann::ordered_json::array();
  for (size_t link = 0; link < program.links.size(); ++link)
    json["links"].push_back({{"ends", program.links[link]},
                             {"use", program.simulation.linkUse[link]},
                             {"over_time", details.linkUse[link]}});
}

static const char *nameOf(bool plannedShares) {
  return plannedShares ? "planned" : "fair";
}

std::string blink::toText(const SimulatedProgram &program) {
  const Summary &summary = program.summary;
  std::string text =
      title(summary) + ", simulated\n" +
      llvm::formatv(
          "  data    {0}, {1} chunks over channels, {2} folds\n"
          "  time    {3:F1} us; the estimate of the model, with costs of "
          "lanes, is {4:F1} us\n"
          "  rate    {5:F3} GB/s, {6:F2} % of {7}\n",
          formatBytes(program.bytes), program.simulation.chunks,
          program.simulation.folds, program.simulation.microseconds,
          program.estimate, program.algbw(), percentOfRate(program),
          formatRate(summary.algbw))
          .str();
  if (const std::optional<size_t> busiest = program.busiestLink())
    text += llvm::formatv("  links   {0} shares; the busiest, {1}, used {2:F2} "
                          "% of its bandwidth\n",
                          nameOf(program.options.plannedShares),
                          program.links[*busiest],
                          100 * program.simulation.linkUse[*busiest]);
  if (program.options.details)
    text += detailsText(program);
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
  json["lane_gbps"] = program.options.laneRate;
  json["time_us"] = program.simulation.microseconds;
  json["model_us"] = program.estimate;
  json["algbw_gbps"] = program.algbw();
  json["stated_gbps"] = jsonRate(summary.algbw);
  json["percent_of_stated"] = percentOfRate(program);
  json["chunks"] = program.simulation.chunks;
  json["folds"] = program.simulation.folds;
  json["busiest_link"] = nullptr;
  if (const std::optional<size_t> busiest = program.busiestLink())
    json["busiest_link"] = {{"ends", program.links[*busiest]},
                            {"use", program.simulation.linkUse[*busiest]}};
  if (program.options.details)
    addDetails(json, program);
  return dumpReport(json);
}
