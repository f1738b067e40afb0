//===- VerifyBundle.cpp - blinkc verify of a bundle -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Bundles.h"
#include "tools/blinkc/Command.h"
#include "tools/blinkc/Progress.h"

#include "compiler/topology/AllocationList.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
/// What a bundle holds, counted.
struct Contents {
  explicit Contents(const sched::Bundle &index);

  /// An allocation that cannot communicate.
  struct Apart {
    std::vector<int> gpus;
    std::string failure; ///< "gpu0:gpu3"; empty on the whole machine
  };
  std::vector<Apart> unreachable; ///< on the whole machine
  std::vector<Apart> cutOff;      ///< by a failure
  size_t classes = 0, survivorClasses = 0;
  size_t failures, survivors = 0;
};
} // namespace

Contents::Contents(const sched::Bundle &index)
    : failures(index.conditions()->size() - 1) {
  for (const sched::AllocationClass *one : *index.classes())
    ++(one->condition() == sched::kWholeMachine ? classes : survivorClasses);
  const auto add = [&](const sched::Entry &entry, std::vector<Apart> &list,
                       const std::string &failure) {
    const auto &pieces = *index.classes()->Get(entry.class_number())->pieces();
    const uint16_t *gpus = index.gpus()->data() + entry.gpus_begin();
    if (pieces.Get(0)->size() == 0)
      list.push_back({{gpus, gpus + entry.gpus_count()}, failure});
  };
  for (const sched::Entry *entry : *index.entries())
    add(*entry, unreachable, "");
  if (!index.survivors())
    return;
  for (const sched::Survivor *one : *index.survivors()) {
    if (one->entry().class_number() == sched::kNoClass)
      continue;
    const sched::Condition &failed = *index.conditions()->Get(one->condition());
    add(one->entry(), cutOff,
        failed.id_a()->str() + ":" + failed.id_b()->str());
    ++survivors;
  }
}

static std::string counted(size_t count, const char *one, const char *several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

/// "0,5 / 0,6 and 7 more"
static std::string listOf(llvm::ArrayRef<Contents::Apart> list) {
  constexpr size_t kMostListed = 8;
  std::string text;
  for (const Contents::Apart &one : list.take_front(kMostListed))
    text += (text.empty() ? "" : " / ") + formatGpus(one.gpus) +
            (one.failure.empty() ? "" : " without " + one.failure);
  if (list.size() > kMostListed)
    text += llvm::formatv(" and {0} more", list.size() - kMostListed).str();
  return text;
}

static std::string describeUnreachable(const Contents &contents) {
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

std::string blink::bundleTitle(const sched::BundleView &bundle) {
  const sched::Bundle &index = *bundle.index;
  const Contents contents(index);
  std::string text =
      "bundle for " + index.machine()->str() + ", " +
      counted(index.entries()->size(), "allocation", "allocations") + " in " +
      counted(contents.classes, "class", "classes");
  if (contents.failures > 0)
    text += "\n  survivors    " + std::to_string(contents.survivors) + " for " +
            counted(contents.failures, "link", "links") +
            " that may fail, in " +
            counted(contents.survivorClasses, "class", "classes") + " more";
  return text;
}

static double percent(double ratio) { return 100 * ratio; }

void blink::printBundle(const sched::BundleView &bundle,
                        const BundleProof &proof) {
  std::string names;
  for (auto collective : *bundle.index->collectives())
    names += (names.empty() ? "" : ", ") +
             toString(static_cast<Collective>(collective)).str();
  llvm::outs() << describeUnreachable(Contents(*bundle.index))
               << "  collectives  " << names << "\n"
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
  const Contents contents(*bundle.index);
  nlohmann::ordered_json json;
  json["topology"] = bundle.index->machine()->str();
  json["allocations"] = bundle.index->entries()->size();
  json["classes"] = contents.classes;
  json["unreachable"] = nlohmann::ordered_json::array();
  for (const Contents::Apart &one : contents.unreachable)
    json["unreachable"].push_back(one.gpus);
  json["failures"] = contents.failures;
  json["survivors"] = contents.survivors;
  json["survivor_classes"] = contents.survivorClasses;
  json["cut_off"] = nlohmann::ordered_json::array();
  for (const Contents::Apart &one : contents.cutOff)
    json["cut_off"].push_back(
        {{"gpus", one.gpus}, {"without_link", one.failure}});
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
