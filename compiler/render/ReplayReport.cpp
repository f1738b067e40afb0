//===- ReplayReport.cpp - reports on a replay -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/ReplayReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

double ReplayedProgram::measuredAlgbw() const {
  return seconds > 0 ? double(bytes) / seconds * 1e-9 : 0;
}

/// "4, depth 2, for messages from 64 KiB".
static std::string describeTrees(const Summary &summary,
                                 const VariantSummary &variant) {
  std::string text =
      summary.isOneHop(variant)
          ? "none, one hop"
          : llvm::formatv("{0}, depth {1}", variant.trees, variant.depth).str();
  if (summary.variants.size() > 1)
    text += ", for messages " + sizeRange(variant);
  return text;
}

static std::string describeRanks(const ReplayedProgram &program) {
  if (program.servers == 0)
    return "host threads";
  return llvm::formatv("a process a rank on {0} servers, over the loopback",
                       program.servers);
}

std::string blink::toText(const ReplayedProgram &program) {
  const Summary &summary = program.summary;
  std::string text =
      title(summary) + ", replayed by " + describeRanks(program) + "\n" +
      llvm::formatv("  rate      {0} on the machine it is for\n"
                    "  bound     {1}\n"
                    "  of bound  {2:F2} %\n"
                    "  trees     {3}\n",
                    formatRate(summary.algbw), formatRate(summary.bound),
                    summary.percentOfBound(),
                    describeTrees(summary, summary.variantFor(program.bytes)))
          .str() +
      llvm::formatv(
          "  data      {0} of {1}, {2} ranks, {3}\n"
          "  checked   {4} elements, {5} wrong\n"
          "  time      {6:F4} s on this machine, {7:F3} GB/s\n",
          formatBytes(program.bytes), program.type, summary.gpus.size(),
          program.inPlace ? "in place" : "out of place", program.checked,
          program.wrong, program.seconds, program.measuredAlgbw())
          .str();
  if (program.wrong)
    text += "  first wrong: " + program.firstWrong + "\n";
  return text;
}

std::string blink::toJson(const ReplayedProgram &program) {
  const VariantSummary &variant = program.summary.variantFor(program.bytes);
  nlohmann::ordered_json json;
  json["ok"] = program.wrong == 0;
  json.update(jsonSummary(program.summary));
  json["backend"] = "host";
  json["servers"] =
      program.servers ? nlohmann::ordered_json(program.servers) : nullptr;
  json["bytes"] = program.bytes;
  json["protocol"] = sched::EnumNameProtocol(variant.protocol);
  json["type"] = program.type;
  json["op"] = program.op;
  json["in_place"] = program.inPlace;
  json["iterations"] = program.iterations;
  json["elements_checked"] = program.checked;
  json["elements_wrong"] = program.wrong;
  json["seconds"] = program.seconds;
  json["measured_algbw_gbps"] = program.measuredAlgbw();
  return dumpReport(json);
}
