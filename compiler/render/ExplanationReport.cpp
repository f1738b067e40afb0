//===- ExplanationReport.cpp - reports that explain a rate ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/ExplanationReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace blink;

/// Adds a table of the variants if there are several.
static void addVariants(llvm::raw_ostream &out,
                        const Explanation &explanation) {
  const Summary &summary = explanation.summary;
  if (summary.variants.size() < 2)
    return;
  out << "How messages go         protocol     trees  depth  hops  us "
         "on links  us with steps\n";
  for (const VariantSummary &variant : summary.variants) {
    bool oneHop = summary.isOneHop(variant);
    out << llvm::formatv(
        "  {0,-20}  {1,-11} {2,6} {3,6} {4,5} {5,12:F1} {6,14:F1}\n",
        sizeRange(variant), sched::EnumNameProtocol(variant.protocol),
        oneHop ? "none" : std::to_string(variant.trees),
        oneHop ? "" : std::to_string(variant.depth), variant.hops,
        variant.latency, variant.start);
  }
  out << "\nWhere the next takes over, simulated with the costs of the model "
         "of time\n";
  for (const CrossingPoint &point : explanation.crossingPoints)
    out << "  " << point.reason << "\n";
  out << "\n";
}

static void addLinks(llvm::raw_ostream &out, const Explanation &explanation) {
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

static void addImprovements(llvm::raw_ostream &out,
                            const std::vector<Improvement> &improvements,
                            double bound) {
  out << "\nWhat one more link would bring\n";
  for (const Improvement &better : improvements)
    out << llvm::formatv(
        "  {0} <-> {1}, {2} of {3}: bound {4}, {5:F2} % more\n", better.from,
        better.to, toString(better.kind), formatRate(better.bandwidth),
        formatRate(better.bound), 100 * (better.bound / bound - 1));
  if (improvements.empty())
    out << "  Nothing: no link that could be wider is scarce.\n";
  else if (improvements.front().bound <= bound * (1 + 1e-9))
    out << "  Each alone brings nothing: other links are as scarce.\n";
}

/// Says which of the two has the better rate, and by how much.
static std::string compareRates(const Summary &all, const Summary &phases) {
  constexpr double kAlike = 1e-3;
  const double less = 1 - phases.algbw / all.algbw;
  if (less > kAlike)
    return llvm::formatv("Without phases is better: phases cost {0:F2} % of "
                         "the rate.",
                         100 * less);
  if (less < -kAlike)
    return llvm::formatv("Phases are better here, by {0:F2} % of the rate: "
                         "--slack or the search for few trees left as much.",
                         -100 * less);
  if (phases.depth != all.depth)
    return llvm::formatv("Rates are alike; {0} has the lower trees.",
                         phases.depth < all.depth ? "three phases"
                                                  : "without phases");
  if (phases.connections == all.connections)
    return "Rates, depths and connections are alike.";
  return llvm::formatv("Rates and depths are alike; three phases have {0} "
                       "connections instead of {1}.",
                       phases.connections, all.connections);
}

static void addPhases(llvm::raw_ostream &out, const Summary &all,
                      const Summary &phases) {
  out << "\nAcross servers    rate (GB/s)   bound  trees  depth  peers  "
         "connections\n";
  for (auto [name, summary] :
       {std::pair("without phases", &all), std::pair("three phases", &phases)})
    out << llvm::formatv(
        "  {0,-15} {1,11} {2,5:F1} % {3,6} {4,6} {5,6} "
        "{6,12}\n",
        name, llvm::formatv("{0}", llvm::format("%.4g", summary->algbw)).str(),
        summary->percentOfBound(), summary->trees, summary->depth,
        summary->networkPeers, summary->connections);
  out << "  " << compareRates(all, phases) << "\n";
}

std::string blink::toText(const ExplainedProgram &program) {
  const Explanation &explanation = program.explanation;
  const Summary &summary = explanation.summary;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << title(summary) << "\n"
      << linkEditsLine(program.edits) << "\n"
      << llvm::formatv("The schedule runs at {0}, {1:F2} % of the bound, {2}, "
                       "with {3} {5} of depth {4} at most.\n\n",
                       formatRate(summary.algbw), summary.percentOfBound(),
                       formatRate(summary.bound), summary.trees, summary.depth,
                       summary.trees == 1 ? "tree" : "trees");
  addVariants(out, explanation);
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
  addLinks(out, explanation);
  if (program.phases)
    addPhases(out, summary, *program.phases);
  if (program.improvements)
    addImprovements(out, *program.improvements, summary.bound);
  return text;
}

std::string blink::toJson(const ExplainedProgram &program) {
  const Explanation &explanation = program.explanation;
  nlohmann::ordered_json json = jsonSummary(explanation.summary);
  addLinkEdits(json, program.edits);
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
  if (program.phases)
    json["phases"] = {{"algbw_gbps", program.phases->algbw},
                      {"trees", program.phases->trees},
                      {"depth", program.phases->depth},
                      {"network_peers", program.phases->networkPeers},
                      {"connections", program.phases->connections}};
  json["one_more_link"] = nlohmann::ordered_json::array();
  for (const Improvement &better :
       program.improvements.value_or(std::vector<Improvement>()))
    json["one_more_link"].push_back({{"from", better.from},
                                     {"to", better.to},
                                     {"kind", toString(better.kind).str()},
                                     {"bandwidth_gbps", better.bandwidth},
                                     {"bound_gbps", better.bound}});
  return dumpReport(json);
}

/// Describes what a packing of trees reaches of the bound: packTrees may give
/// up to kMostSlack of it.
static std::string reachedText(double reached, double bound) {
  constexpr double kSame = 1 - 1e-5; // packTrees meets its bound within 1e-6
  if (!(reached < bound * kSame))
    return "reached by an optimal packing of trees";
  return llvm::formatv("of which a packing of trees reaches {0}, {1:F2} %",
                       formatRate(reached), 100 * reached / bound);
}

std::string blink::toText(const ExplainedBound &bound) {
  const Summary &summary = bound.explanation.summary;
  std::string text = title(summary) + "\n" + linkEditsLine(bound.edits) +
                     "  bound   " + formatRate(summary.bound) + ", " +
                     reachedText(bound.reached, summary.bound) + "\n";
  for (const std::string &reason : bound.explanation.reasons)
    text += "  " + reason + "\n";
  if (bound.ofLinks != summary.bound)
    text += "  links   " + formatRate(bound.ofLinks) +
            " where no switch reduces or multicasts\n";
  if (bound.order != sched::ReductionOrder::none)
    text += llvm::formatv(
        "  order   {0}: {1}, {2:F2} % of the bound, reached "
        "by an optimal packing of trees that add so\n",
        sched::EnumNameReductionOrder(bound.order), formatRate(bound.ofOrder),
        std::isinf(summary.bound) ? 100 : 100 * bound.ofOrder / summary.bound);
  return text;
}

std::string blink::toJson(const ExplainedBound &bound) {
  const Summary &summary = bound.explanation.summary;
  nlohmann::ordered_json json = jsonSubject(summary);
  json["links"] = toString(bound.links);
  addLinkEdits(json, bound.edits);
  json["bound_gbps"] = jsonRate(summary.bound);
  json["bound_links_gbps"] = jsonRate(bound.ofLinks);
  json["reached_gbps"] = jsonRate(bound.reached);
  json["order"] = sched::EnumNameReductionOrder(bound.order);
  if (bound.order != sched::ReductionOrder::none)
    json["order_bound_gbps"] = jsonRate(bound.ofOrder);
  json["reasons"] = bound.explanation.reasons;
  json["seconds"] = bound.seconds;
  return dumpReport(json);
}
