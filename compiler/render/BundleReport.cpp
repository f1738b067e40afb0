//===- BundleReport.cpp - reports on a bundle -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/BundleReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"
#include "compiler/topology/AllocationList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace blink;

/// "0,5 / 0,6 and 7 more"
static std::string listOf(llvm::ArrayRef<BundleContents::Apart> list) {
  constexpr size_t kMostListed = 8;
  std::string text;
  for (const BundleContents::Apart &one : list.take_front(kMostListed))
    text += (text.empty() ? "" : " / ") + formatGpus(one.gpus) +
            (one.failure.empty() ? "" : " without " + one.failure);
  if (list.size() > kMostListed)
    text += llvm::formatv(" and {0} more", list.size() - kMostListed);
  return text;
}

static std::string describeUnreachable(const BundleContents &contents) {
  std::string text;
  if (!contents.unreachable.empty())
    text += "  unreachable  " +
            counted(contents.unreachable.size(), "allocation", "allocations") +
            " whose GPUs no path joins: " + listOf(contents.unreachable) + "\n";
  if (!contents.cutOff.empty())
    text += "  cut off      " +
            counted(contents.cutOff.size(), "time", "times") +
            " no path is left: " + listOf(contents.cutOff) + "\n";
  return text;
}

static std::string titleOf(const BundleContents &contents) {
  std::string text = "bundle for " + contents.machine + ", ";
  if (contents.boxes > 0)
    text += counted(contents.classes, "placement", "placements") + " on " +
            std::to_string(contents.boxes) + " boxes";
  else
    text += counted(contents.allocations, "allocation", "allocations") +
            " in " + counted(contents.classes, "class", "classes");
  if (contents.failures > 0)
    text += "\n  survivors    " + std::to_string(contents.survivors) + " for " +
            counted(contents.failures, "link", "links") +
            " that may fail, in " +
            counted(contents.survivorClasses, "class", "classes") + " more";
  return text + "\n";
}

static double percent(double ratio) { return 100 * ratio; }

/// Returns the percentage of the bound, averaged over programs. There is at
/// least one program.
static double meanPercent(const BundleProof &proof) {
  return percent(proof.sumOfRatios / double(proof.programs));
}

static std::string describe(const ProvedBundle &bundle) {
  const BundleProof &proof = bundle.proof;
  std::string text =
      describeUnreachable(bundle.contents) +
      llvm::formatv("  collectives  {0}\n  programs     {1} in {2} schedules\n",
                    llvm::join(bundle.contents.collectives, ", "),
                    proof.programs, proof.members)
          .str();
  if (proof.programs > 0)
    text += llvm::formatv("  rates        {0:F2} % of the bound on average, "
                          "{1:F2} % at the least: {2}\n",
                          meanPercent(proof), percent(proof.worstRatio),
                          proof.worst);
  return text;
}

std::string blink::toText(const ProvedBundle &bundle) {
  const BundleProof &proof = bundle.proof;
  std::string text = titleOf(bundle.contents) + describe(bundle);
  for (const std::string &problem : proof.problems)
    text += "  FAILED       " + problem + "\n";
  if (proof.numProblems > proof.problems.size())
    text += "  FAILED       " +
            std::to_string(proof.numProblems - proof.problems.size()) +
            " more\n";
  if (!proof.ok())
    return text + "  NOT VERIFIED: do not run this bundle\n";
  return text +
         llvm::formatv("  verified: {0} programs; again on each allocation and "
                       "root they serve, link by link: {1}\n",
                       proof.programs, proof.renamed)
             .str();
}

std::string blink::toText(const CompiledBundle &bundle) {
  std::string text = titleOf(bundle.contents);
  if (!bundle.edits.empty())
    text += "  links        " + describeEdits(bundle.edits) + "\n";
  return text + describe(bundle) +
         llvm::formatv(
             "  proof        each: right result, no deadlock, loads within "
             "bandwidth, bound re-priced;\n"
             "               again on each allocation and root it serves: {0} "
             "in all\n"
             "  file         {1}, {2} bytes, {3:F3} s\n",
             bundle.proof.renamed,
             bundle.output.empty() ? "not written: no -o given" : bundle.output,
             bundle.fileBytes, bundle.seconds)
             .str();
}

static nlohmann::ordered_json jsonBundle(const ProvedBundle &bundle) {
  const BundleContents &contents = bundle.contents;
  const BundleProof &proof = bundle.proof;
  nlohmann::ordered_json json;
  json["topology"] = contents.machine;
  json["allocations"] = contents.allocations;
  json["classes"] = contents.classes;
  if (contents.boxes > 0)
    json["boxes"] = contents.boxes;
  json["unreachable"] = nlohmann::ordered_json::array();
  for (const BundleContents::Apart &one : contents.unreachable)
    json["unreachable"].push_back(one.gpus);
  json["failures"] = contents.failures;
  json["survivors"] = contents.survivors;
  json["survivor_classes"] = contents.survivorClasses;
  json["cut_off"] = nlohmann::ordered_json::array();
  for (const BundleContents::Apart &one : contents.cutOff)
    json["cut_off"].push_back(
        {{"gpus", one.gpus}, {"without_link", one.failure}});
  json["collectives"] = contents.collectives;
  json["schedules"] = proof.members;
  json["programs"] = proof.programs;
  json["programs_under_all_names"] = proof.renamed;
  json["worst_percent_of_bound"] = nullptr;
  json["mean_percent_of_bound"] = nullptr;
  if (proof.programs > 0) {
    json["worst_percent_of_bound"] = percent(proof.worstRatio);
    json["mean_percent_of_bound"] = meanPercent(proof);
  }
  json["worst"] = proof.worst;
  return json;
}

std::string blink::toJson(const ProvedBundle &bundle) {
  nlohmann::ordered_json json;
  json["ok"] = bundle.proof.ok();
  json.update(jsonBundle(bundle));
  json["problems"] = bundle.proof.problems;
  json["problems_found"] = bundle.proof.numProblems;
  return dumpReport(json);
}

std::string blink::toJson(const CompiledBundle &bundle) {
  nlohmann::ordered_json json = jsonBundle(bundle);
  addLinkEdits(json, bundle.edits);
  json["file_bytes"] = bundle.fileBytes;
  json["output"] = bundle.output;
  json["seconds"] = bundle.seconds;
  return dumpReport(json);
}
