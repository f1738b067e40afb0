//===- ScheduleReport.cpp - reports on a compiled schedule ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/ScheduleReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

/// "1 tree, depth 2".
static std::string describeTrees(const VariantSummary &variant) {
  return llvm::formatv("{0} {1}, depth {2}", variant.trees,
                       variant.trees == 1 ? "tree" : "trees", variant.depth);
}

/// Returns a line on the network peers and connections of a job across servers.
static std::string networkLine(const Summary &summary) {
  if (summary.connections == 0)
    return "";
  return llvm::formatv(
      "  network {0} {1} a rank at most, {2} {3}\n", summary.networkPeers,
      summary.networkPeers == 1 ? "peer" : "peers", summary.connections,
      summary.connections == 1 ? "connection" : "connections");
}

static std::string switchLine(const CompiledProgram &program) {
  if (program.summary.inSwitch)
    return "  switch  reduces and multicasts for trees, in an order of its "
           "own; "
           "without, no schedule exceeds " +
           formatRate(program.linksBound) + "\n";
  return program.whyNoSwitch.empty()
             ? ""
             : "  switch  not used: " + program.whyNoSwitch + "\n";
}

static std::string orderLine(const Summary &summary) {
  switch (summary.order) {
  case sched::ReductionOrder::none:
    return "";
  case sched::ReductionOrder::invariant:
    return "  order   every element is added up in one order\n";
  case sched::ReductionOrder::rank:
    return "  order   every element is added up in the order of ranks\n";
  }
  return "";
}

/// Returns a line on what it costs to round sums of narrow types once.
static std::string accumulateLine(const Summary &summary) {
  if (summary.accumulate == sched::Accumulation::none)
    return "";
  return llvm::formatv("  sums    of 16 and 8 bits are rounded once: partial "
                       "sums go as float32, so the links\n"
                       "          sustain {0} of 16 bits, {1} of 8 bits, and "
                       "{2} of all others\n",
                       formatRate(summary.links16), formatRate(summary.links8),
                       formatRate(summary.links));
}

/// Returns a line for each variant but the last, which the rest of the report
/// is about.
static std::string smallVariants(const Summary &summary) {
  std::string lines;
  for (const VariantSummary &variant :
       llvm::ArrayRef(summary.variants).drop_back())
    lines += llvm::formatv(
        "  small   {0}: {1}, {2}, {3:F1} us of link "
        "latency, {4} channels\n",
        sizeRange(variant), sched::EnumNameProtocol(variant.protocol),
        summary.isOneHop(variant) ? "one hop" : describeTrees(variant),
        variant.latency, variant.channels);
  return lines;
}

static std::string symmetricLines(const CompiledProgram &program) {
  if (!program.symmetricVariants)
    return "";
  std::string lines = llvm::formatv(
      "  form    symmetric: {0} of {1} variants\n", *program.symmetricVariants,
      program.summary.variants.size());
  for (const std::string &why : program.notSymmetric)
    lines += "          in full: " + why + "\n";
  return lines;
}

std::string blink::toText(const CompiledProgram &program) {
  const Summary &summary = program.summary;
  return title(summary) + "\n" + linkEditsLine(program.edits) +
         llvm::formatv(
             "  rate    {0}, {1:F2} % of the bound, {2}\n"
             "  trees   {3}, depth {4}, {5:F1} us of link latency end to end\n"
             "  lanes   {6} a rank, {7} channels, chunks of {8}\n",
             formatRate(summary.algbw), summary.percentOfBound(),
             formatRate(summary.bound), summary.trees, summary.depth,
             summary.latency, summary.lanes, summary.channels,
             formatBytes(summary.chunkBytes))
             .str() +
         switchLine(program) + orderLine(summary) + accumulateLine(summary) +
         networkLine(summary) + smallVariants(summary) +
         symmetricLines(program) +
         llvm::formatv(
             "  proof   right result, no deadlock, loads within bandwidth, "
             "bound re-priced\n"
             "  file    {0}, {1} bytes, {2:F3} s\n",
             program.output.empty() ? "not written: no -o given"
                                    : program.output,
             program.fileBytes, program.seconds)
             .str();
}

std::string blink::toJson(const CompiledProgram &program) {
  nlohmann::ordered_json json = jsonSummary(program.summary);
  addLinkEdits(json, program.edits);
  json["bound_links_gbps"] = jsonRate(program.linksBound);
  json["channels"] = program.summary.channels;
  json["chunk_bytes"] = program.summary.chunkBytes;
  json["file_bytes"] = program.fileBytes;
  json["output"] = program.output;
  json["seconds"] = program.seconds;
  json["symmetric_variants"] = program.symmetricVariants.value_or(0);
  return dumpReport(json);
}

std::string blink::toText(const ExtractedProgram &program) {
  const Summary &summary = program.summary;
  return title(summary) +
         llvm::formatv("\n  rate    {0}, {1:F2} % of the bound, {2}\n"
                       "  file    {3}, {4} bytes\n",
                       formatRate(summary.algbw), summary.percentOfBound(),
                       formatRate(summary.bound), program.output,
                       program.fileBytes)
             .str();
}
