//===- Json.cpp - results as JSON -----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// JSON has no infinity: numbers that are not finite become null.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Json.h"

#include "tools/replay/Samples.h"

#include "nlohmann/json.hpp"

namespace blink::perf {
namespace {

using Json = nlohmann::ordered_json;

/// Strings may contain file names, in any encoding.
std::string dump(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json numbersOrNull(const std::vector<int> &numbers) {
  return numbers.empty() ? Json() : Json(numbers);
}

Json jsonMeasure(const Options &options, const Case &c,
                 const Measure &measure) {
  Json json{{"time_us", measure.seconds * 1e6},
            {"algbw_gbps", measure.algbw(c)},
            {"busbw_gbps", measure.busbw(c)},
            {"wrong", options.check ? Json(measure.wrong) : Json()}};
  if (options.rank != -1)
    json["cpu_us"] = measure.cpuSeconds * 1e6;
  return json;
}

Json jsonRow(const Options &options, const Row &row) {
  const Case &c = row.c;
  Json json{
      {"collective", sched::EnumNameCollective(c.collective)},
      {"bytes", c.bytes()},
      {"count", c.count},
      {"type", blink::nameOf(c.type)},
      {"op", c.reduces() ? blink::nameOf(c.op) : "none"},
      {"root", c.hasRoot() ? c.root : -1},
      {"out_of_place", jsonMeasure(options, c, row.out)},
      {"in_place", c.hasInPlace() ? jsonMeasure(options, c, row.in) : Json()}};
  if (options.selfTest) {
    json["channels"] = c.channels;
    json["channels_with_data"] = c.carrying;
  }
  json["bound_gbps"] = c.bound;
  json["percent_of_bound"] =
      std::isfinite(c.bound) ? Json(row.percentOfBound()) : Json();
  return json;
}

Json jsonTuning(const sched::VariantTuning &tuning) {
  return {{"min_bytes", tuning.minBytes}, {"chunk_bytes", tuning.chunkBytes}};
}

Json jsonProgram(const ProgramReport &program) {
  const Case &c = program.c;
  Json json{{"collective", sched::EnumNameCollective(c.collective)},
            {"root", c.hasRoot() ? c.root : -1},
            {"ranks", program.numPrograms}};
  for (size_t v = 0; v < program.before.size(); ++v)
    json["variants"].push_back({{"protocol", program.protocols[v]},
                                {"before", jsonTuning(program.before[v])},
                                {"after", jsonTuning(program.after[v])}});
  for (const Candidate &candidate : program.candidates)
    json["candidates"].push_back({{"variant", candidate.variant},
                                  {"chunk_bytes", candidate.chunkBytes}});
  for (size_t s = 0; s < program.sizes.size(); ++s) {
    Json times = Json::array();
    for (const std::vector<double> &seconds : program.seconds)
      times.push_back(seconds[s] * 1e6);
    json["sizes"].push_back({{"bytes", program.sizes[s]},
                             {"time_us", times},
                             {"before", program.serving(program.before, s)},
                             {"after", program.serving(program.after, s)}});
  }
  json["gain_percent"] = program.gainPercent();
  return json;
}

} // namespace

std::string formatJson(const Options &options, const Plan &plan,
                       const Summary &summary) {
  Json json{{"version", BLINK_VERSION_STRING},
            {"backend", nameOf(options.backend)},
            {"mode", nameOf(options.mode)},
            {"ranks", plan.numPrograms},
            {"gpus", numbersOrNull(plan.gpus)},
            {"self_test", options.selfTest},
            {"iterations", options.iterations},
            {"graph_launches", options.graphLaunches},
            {"local_register", options.registers},
            {"join_seconds", summary.joinSeconds},
            {"results", Json::array()}};
  for (const Row &row : summary.rows)
    json["results"].push_back(jsonRow(options, row));
  json["wrong"] = summary.wrong();
  if (options.selfTest) {
    json["channels"] = plan.numChannels;
    json["channels_with_data"] = summary.carryingChannels();
    json["seconds"] = summary.seconds;
  }
  json["ok"] = summary.ok();
  if (!summary.error.empty())
    json["error"] = summary.error;
  return dump(json);
}

std::string formatTuneJson(const Options &options, const TuneSummary &summary) {
  Json json{{"version", BLINK_VERSION_STRING},
            {"backend", nameOf(options.backend)},
            {"mode", nameOf(options.mode)},
            {"type", blink::nameOf(options.types[0])},
            {"op", blink::nameOf(options.ops[0])},
            {"rounds", kTuneRounds},
            {"iterations", options.iterations},
            {"graph_launches", options.graphLaunches},
            {"gpus", numbersOrNull(summary.gpus)},
            {"allocations",
             summary.allocations.empty() ? Json() : Json(summary.allocations)},
            {"programs", Json::array()}};
  for (const ProgramReport &program : summary.programs)
    json["programs"].push_back(jsonProgram(program));
  json["changed"] = summary.changed;
  json["channels"] = summary.channels;
  json["channels_with_data"] = summary.carrying;
  json["wrong"] = summary.wrong;
  json["ok"] = summary.ok();
  if (!summary.ok())
    json["error"] = summary.error;
  return dump(json);
}

} // namespace blink::perf
