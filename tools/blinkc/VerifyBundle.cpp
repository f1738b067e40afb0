//===- VerifyBundle.cpp - blinkc verify of a bundle -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Bundles.h"
#include "tools/blinkc/Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

/// The GPUs of the allocations that cannot communicate.
static std::vector<std::vector<int>>
unreachable(const sched::BundleView &bundle) {
  std::vector<std::vector<int>> found;
  const sched::Bundle &index = *bundle.index;
  for (const sched::Entry *entry : *index.entries())
    if (index.classes()->Get(entry->class_number())->pieces()->Get(0)->size() ==
        0) {
      const uint16_t *gpus = index.gpus()->data() + entry->gpus_begin();
      found.emplace_back(gpus, gpus + entry->gpus_count());
    }
  return found;
}

static std::string describeUnreachable(const sched::BundleView &bundle) {
  constexpr size_t kMostListed = 8;
  std::vector<std::vector<int>> sets = unreachable(bundle);
  if (sets.empty())
    return "";
  std::string text = "  unreachable  " + std::to_string(sets.size()) +
                     (sets.size() == 1 ? " allocation" : " allocations") +
                     " whose GPUs no path joins: ";
  for (size_t i = 0; i < std::min(sets.size(), kMostListed); ++i)
    text += (i == 0 ? "" : " / ") + formatGpus(sets[i]);
  if (sets.size() > kMostListed)
    text += llvm::formatv(" and {0} more", sets.size() - kMostListed).str();
  return text + "\n";
}

std::string blink::bundleTitle(const sched::BundleView &bundle) {
  const sched::Bundle &index = *bundle.index;
  const size_t allocations = index.entries()->size();
  const size_t classes = index.classes()->size();
  return llvm::formatv("bundle for {0}, {1} {2} in {3} {4}",
                       index.machine()->str(), allocations,
                       allocations == 1 ? "allocation" : "allocations", classes,
                       classes == 1 ? "class" : "classes")
      .str();
}

static double percent(double ratio) { return 100 * ratio; }

void blink::printBundle(const sched::BundleView &bundle,
                        const BundleProof &proof) {
  std::string names;
  for (auto collective : *bundle.index->collectives())
    names += (names.empty() ? "" : ", ") +
             toString(static_cast<Collective>(collective)).str();
  llvm::outs() << describeUnreachable(bundle) << "  collectives  " << names
               << "\n"
               << "  programs     " << proof.programs << " in " << proof.pieces
               << " schedules\n";
  if (proof.programs > 0)
    llvm::outs() << llvm::formatv(
        "  rates        {0:F2} % of the bound on average, {1:F2} % at the "
        "least: {2}\n",
        percent(proof.sumOfRatios / double(proof.programs)),
        percent(proof.worstRatio), proof.worst);
}

nlohmann::ordered_json blink::jsonBundle(const sched::BundleView &bundle,
                                         const BundleProof &proof) {
  nlohmann::ordered_json json;
  json["topology"] = bundle.index->machine()->str();
  json["allocations"] = bundle.index->entries()->size();
  json["classes"] = bundle.index->classes()->size();
  json["unreachable"] = unreachable(bundle);
  json["collectives"] = nlohmann::ordered_json::array();
  for (auto collective : *bundle.index->collectives())
    json["collectives"].push_back(
        toString(static_cast<Collective>(collective)).str());
  json["schedules"] = proof.pieces;
  json["programs"] = proof.programs;
  json["programs_under_all_names"] = proof.renamed;
  json["worst_percent_of_bound"] = nullptr;
  json["mean_percent_of_bound"] = nullptr;
  if (proof.programs > 0) {
    json["worst_percent_of_bound"] = percent(proof.worstRatio);
    json["mean_percent_of_bound"] =
        percent(proof.sumOfRatios / double(proof.programs));
  }
  json["worst"] = proof.worst;
  return json;
}

static void printReport(const sched::BundleView &bundle,
                        const BundleProof &proof) {
  llvm::outs() << bundleTitle(bundle) << "\n";
  printBundle(bundle, proof);
  for (const std::string &problem : proof.problems)
    llvm::outs() << "  FAILED       " << problem << "\n";
  if (proof.numProblems > proof.problems.size())
    llvm::outs() << "  FAILED       "
                 << proof.numProblems - proof.problems.size() << " more\n";
  if (!proof.ok()) {
    llvm::outs() << "  NOT VERIFIED: do not run this bundle\n";
    return;
  }
  llvm::outs()
      << "  verified: " << proof.programs
      << " programs; again on each allocation and root they serve, link by "
         "link: "
      << proof.renamed << "\n";
}

int blink::verifyBundleFile(const InputFile &file, unsigned jobs, bool json) {
  llvm::Expected<sched::BundleView> bundle = openBundle(file);
  if (!bundle)
    return reportError(bundle.takeError());
  Progress progress;
  BundleProof proof = proveBundle(*bundle, jobs, [&](size_t done, size_t all) {
    progress.say(
        llvm::formatv("verifying: {0} of {1} classes", done, all).str());
  });
  progress.say("");
  if (json) {
    nlohmann::ordered_json report;
    report["ok"] = proof.ok();
    report.update(jsonBundle(*bundle, proof));
    report["problems"] = proof.problems;
    report["problems_found"] = proof.numProblems;
    llvm::outs() << report.dump(2) << "\n";
  } else {
    printReport(*bundle, proof);
  }
  return proof.ok() ? kGood : kBadAnswer;
}
