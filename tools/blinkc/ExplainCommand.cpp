//===- ExplainCommand.cpp - blinkc explain --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Report.h"

#include "compiler/report/Dot.h"
#include "compiler/report/RecordedEdits.h"
#include "compiler/report/WhatIf.h"
#include "compiler/target/ScheduleTopology.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace blink;

namespace {
struct ExplainFlags {
  std::string input;
  RequestFlags request;
  bool json = false;
  bool dot = false;
  size_t whatIf = 0;
};
} // namespace

static nlohmann::ordered_json
jsonReport(const Explanation &explanation, const std::vector<LinkEdit> &edits,
           const std::vector<Improvement> &improvements) {
  nlohmann::ordered_json json = jsonSummary(explanation.summary);
  addLinkEdits(json, edits);
  json["crossing_points"] = nlohmann::ordered_json::array();
  for (const CrossingPoint &point : explanation.crossingPoints)
    json["crossing_points"].push_back({{"bytes", point.bytes},
                                       {"us_before", point.before},
                                       {"us_after", point.after}});
  json["reasons"] = explanation.reasons;
  json["groups"] = explanation.groups;
  json["scarce_gbps"] = explanation.scarceBandwidth;
  json["crossings"] = explanation.crossings;
  json["kinds"] = nlohmann::ordered_json::array();
  for (const KindReport &kind : explanation.kinds)
    json["kinds"].push_back({{"kind", toString(kind.kind).str()},
                             {"bandwidth_gbps", kind.bandwidth},
                             {"load_gbps", kind.load},
                             {"percent_of_traffic", kind.percentOfTraffic}});
  json["links"] = nlohmann::ordered_json::array();
  for (const LinkReport &link : explanation.links)
    json["links"].push_back({{"from", link.from},
                             {"to", link.to},
                             {"kind", toString(link.kind).str()},
                             {"bandwidth_gbps", link.bandwidth},
                             {"load_gbps", link.load},
                             {"price", link.price}});
  json["one_more_link"] = nlohmann::ordered_json::array();
  for (const Improvement &better : improvements)
    json["one_more_link"].push_back({{"from", better.from},
                                     {"to", better.to},
                                     {"kind", toString(better.kind).str()},
                                     {"bandwidth_gbps", better.bandwidth},
                                     {"bound_gbps", better.bound}});
  return json;
}

/// How messages of each size go, where that differs.
static void printVariants(const Explanation &explanation) {
  const Summary &summary = explanation.summary;
  if (summary.variants.size() < 2)
    return;
  llvm::outs() << "How messages go         protocol     trees  depth  hops  us "
                  "on links  us with steps\n";
  for (const VariantSummary &variant : summary.variants) {
    bool oneHop = summary.isOneHop(variant);
    llvm::outs() << llvm::formatv(
        "  {0,-20}  {1,-11} {2,6} {3,6} {4,5} {5,12:F1} {6,14:F1}\n",
        sizeRange(variant), sched::EnumNameProtocol(variant.protocol),
        oneHop ? "none" : std::to_string(variant.trees),
        oneHop ? "" : std::to_string(variant.depth), variant.hops,
        variant.latency, variant.start);
  }
  llvm::outs() << "\nWhere the next takes over, by the model of time\n";
  for (const CrossingPoint &point : explanation.crossingPoints)
    llvm::outs() << "  " << point.reason << "\n";
  llvm::outs() << "\n";
}

static void printReport(const Explanation &explanation,
                        const std::vector<LinkEdit> &edits) {
  const Summary &summary = explanation.summary;
  llvm::raw_ostream &out = llvm::outs();
  out << title(summary) << "\n"
      << linkEditsLine(edits) << "\n"
      << llvm::formatv("The schedule runs at {0}, {1:F2} % of the bound, {2}, "
                       "with {3} {5} of depth {4} at most.\n\n",
                       formatRate(summary.algbw), summary.percentOfBound(),
                       formatRate(summary.bound), summary.trees, summary.depth,
                       summary.trees == 1 ? "tree" : "trees");
  printVariants(explanation);
  out << "What holds it back\n";
  for (const std::string &reason : explanation.reasons)
    out << "  " << reason << "\n";
  if (!explanation.kinds.empty())
    out << "\nWhat carries it (GB/s)\n";
  for (const KindReport &kind : explanation.kinds)
    out << llvm::formatv("  {0,-8} {1,9:F2} of {2,9:F2}, {3,5:F1} % of the "
                         "traffic\n",
                         toString(kind.kind), kind.load, kind.bandwidth,
                         kind.percentOfTraffic);
  if (explanation.links.empty())
    return;
  size_t width = 4;
  for (const LinkReport &link : explanation.links)
    width = std::max(width, link.from.size() + link.to.size() + 4);
  out << "\nLinks (GB/s)" << std::string(width - 4, ' ')
      << "kind      bandwidth      load\n";
  for (const LinkReport &link : explanation.links) {
    std::string ends = link.from + " -> " + link.to;
    ends.resize(width, ' ');
    out << llvm::formatv("  {0}  {1,-8} {2,10:F2} {3,9:F2} {4,5:F1} %{5}\n",
                         ends, toString(link.kind), link.bandwidth, link.load,
                         link.percent(), link.price > 0 ? "  scarce" : "");
  }
}

/// What more links would bring to a program of `file`.
static llvm::Expected<std::vector<Improvement>>
improvementsOf(const sched::Schedule &file, const sched::Program &program,
               size_t most) {
  if (most == 0)
    return std::vector<Improvement>();
  std::vector<int> relays;
  if (program.relays())
    relays.assign(program.relays()->begin(), program.relays()->end());
  llvm::Expected<Fabric> fabric = Fabric::create(
      topologyOf(file),
      {program.allocation()->begin(), program.allocation()->end()},
      LinkKindSet(file.link_kinds()), relays);
  if (!fabric)
    return fabric.takeError();
  const auto &prices = *program.certificate()->prices();
  return tryMoreLinks(
      {&*fabric, program.collective(), program.root()},
      {{prices.begin(), prices.end()}, program.certificate()->bound()}, most);
}

static void printImprovements(const std::vector<Improvement> &improvements,
                              double bound) {
  llvm::outs() << "\nWhat one more link would bring\n";
  for (const Improvement &better : improvements)
    llvm::outs() << llvm::formatv(
        "  {0} <-> {1}, {2} of {3}: bound {4}, {5:F2} % more\n", better.from,
        better.to, toString(better.kind), formatRate(better.bandwidth),
        formatRate(better.bound), 100 * (better.bound / bound - 1));
  if (improvements.empty())
    llvm::outs() << "  Nothing: no link is scarce.\n";
  else if (improvements.front().bound <= bound * (1 + 1e-9))
    llvm::outs() << "  Each alone brings nothing: other links are as scarce.\n";
}

static int run(const ExplainFlags &flags) {
  llvm::Expected<CompileOptions> options = flags.request.options();
  if (!options)
    return reportError(options.takeError());
  llvm::Expected<InputFile> input = readOrCompile(flags.input, *options);
  if (!input)
    return reportError(input.takeError());
  llvm::Expected<const sched::Schedule *> file = openSchedule(*input);
  if (!file)
    return reportError(file.takeError());
  const std::vector<LinkEdit> edits = recordedEdits(**file);
  for (const sched::Program *program : *(*file)->programs()) {
    Explanation explanation = explainProgram(**file, *program);
    llvm::Expected<std::vector<Improvement>> improvements =
        improvementsOf(**file, *program, flags.dot ? 0 : flags.whatIf);
    if (!improvements)
      return reportError(improvements.takeError());
    if (flags.dot) {
      llvm::outs() << toDot(explanation);
    } else if (flags.json) {
      llvm::outs() << jsonReport(explanation, edits, *improvements).dump(2)
                   << "\n";
    } else {
      printReport(explanation, edits);
      if (flags.whatIf > 0)
        printImprovements(*improvements, explanation.summary.bound);
    }
  }
  return kGood;
}

void blink::addExplainCommand(CLI::App &app, int &exitCode) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App *command = app.add_subcommand(
      "explain", "Say in words which links hold a schedule back");
  command
      ->add_option(
          "input", flags->input,
          "A schedule or a bundle (.sched), or a topology or IR to compile "
          "first")
      ->required();
  flags->request.addTo(*command);
  command->add_flag("--json", flags->json, "Report as JSON (docs/cli.md)");
  command
      ->add_flag("--dot", flags->dot,
                 "Draw the links and their loads, for graphviz: ... --dot | "
                 "dot -Tsvg")
      ->excludes("--json");
  command
      ->add_option("--what-if", flags->whatIf,
                   "Solve again with one more link, for this many of the "
                   "scarcest")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->footer(
      "Scarce links are those with a price in the certificate: only more\n"
      "bandwidth there could make any schedule faster.\n"
      "Example:\n"
      "  blinkc explain allreduce.sched\n"
      "  blinkc explain dgx1.topo -c broadcast -g 0,1,2 -l nvlink\n"
      "  blinkc explain dgx1.sched -c broadcast -g 1,4,5,6 -r 2");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
