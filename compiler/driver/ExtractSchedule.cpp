//===- ExtractSchedule.cpp - a job's schedule from a bundle ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ExtractSchedule.h"

#include "compiler/support/Error.h"
#include "compiler/target/RenameProgram.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/DegradeLinks.h"
#include "schedules/BundleRules.h"
#include "schedules/Provenance.h"
#include "schedules/ScheduleFile.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <set>

using namespace blink;

namespace {
/// The schedule that serves a job, and the names under which it does.
struct Chosen {
  const sched::Schedule *schedule;
  const sched::Program *program;
  Names names;
  Topology machine; ///< The machine of the job.
};
} // namespace

static std::string listOf(const std::vector<uint16_t> &gpus) {
  return formatGpus({gpus.begin(), gpus.end()});
}

/// Returns the GPUs of the job, by rank.
static llvm::Expected<std::vector<uint16_t>>
gpusOf(const sched::BundleView &bundle, const BundleJob &job) {
  const int numGpus = static_cast<int>(bundle.index->gpu_nodes()->size());
  std::vector<uint16_t> gpus(job.gpus.begin(), job.gpus.end());
  if (gpus.empty()) {
    gpus.resize(numGpus);
    std::iota(gpus.begin(), gpus.end(), uint16_t(0));
  }
  for (int gpu : job.gpus)
    if (gpu < 0 || gpu >= numGpus)
      return makeError(
          "--gpus: GPU {0} does not exist: '{1}' has GPUs 0 to {2}", gpu,
          bundle.index->machine()->str(), numGpus - 1);
  std::set<int> distinct;
  for (int gpu : job.gpus)
    if (!distinct.insert(gpu).second)
      return makeError("--gpus: GPU {0} is listed twice; each rank needs its "
                       "own GPU",
                       gpu);
  if (job.root < 0 || job.root >= static_cast<int>(gpus.size()))
    return makeError("--root: rank {0} does not exist; expected 0 to {1}",
                     job.root, gpus.size() - 1);
  return gpus;
}

static llvm::Expected<uint32_t> numberOf(const sched::BundleView &bundle,
                                         Collective collective) {
  const auto &collectives = *bundle.index->collectives();
  std::string names;
  for (uint32_t i = 0; i < collectives.size(); ++i) {
    if (collectives.Get(i) == collective)
      return i;
    names += (i ? ", " : "") + toString(collectives.Get(i)).str();
  }
  return makeError("the bundle has no {0}; it is for {1}", toString(collective),
                   names);
}

/// Returns the number of the condition that `ends` names.
static llvm::Expected<uint16_t> conditionOf(const sched::BundleView &bundle,
                                            const std::string &ends) {
  if (ends.empty())
    return sched::kWholeMachine;
  if (auto condition = sched::findCondition(bundle, ends))
    return *condition;
  const auto &conditions = *bundle.index->conditions();
  if (conditions.size() == 1)
    return makeError("--without-link {0}: the bundle has no schedules for the "
                     "failure of a link; compile one with --survive links",
                     ends);
  constexpr uint32_t kMostListed = 16;
  std::string known;
  for (uint32_t c = 1; c < conditions.size() && c <= kMostListed; ++c)
    known += (known.empty() ? "" : ", ") + conditions.Get(c)->id_a()->str() +
             ":" + conditions.Get(c)->id_b()->str();
  if (conditions.size() > kMostListed + 1)
    known +=
        " and " + std::to_string(conditions.size() - 1 - kMostListed) + " more";
  return makeError(
      "--without-link {0}: no such link; '{1}' has links between {2}", ends,
      bundle.index->machine()->str(), known);
}

/// Returns the machine that serves `entry` (an entry of the whole machine)
/// under a condition: the machine of its schedules without the condition's
/// links.
static llvm::Expected<Topology> machineOf(const sched::BundleView &bundle,
                                          const sched::Entry &entry,
                                          uint32_t collective,
                                          uint16_t condition) {
  std::string error;
  const sched::Schedule *schedule =
      sched::openPiece(bundle, entry.class_number(), collective, error);
  if (!schedule)
    return makeError(error);
  Topology machine = topologyOf(*schedule);
  const sched::Condition &failed = *bundle.index->conditions()->Get(condition);
  if (condition != sched::kWholeMachine)
    removeLinks(machine, failed.node_a(), failed.node_b());
  return machine;
}

/// Sets the names of a job on a cluster. Only ranks are renamed, because the
/// schedule's machine is the part that the representing placement uses.
static uint16_t nameOnPart(const sched::BundleView &bundle,
                           const sched::Entry &entry,
                           const std::vector<uint16_t> &gpus,
                           Collective collective, uint16_t root, Names &names) {
  const auto &own = *bundle.index->classes()->Get(entry.class_number())->gpus();
  const std::vector<uint16_t> part =
      bundle.cluster->partNumbers({own.begin(), own.end()});
  uint16_t serving = 0;
  std::vector<uint16_t> ranks = sched::programRanks(bundle, entry, gpus);
  if (sched::isRooted(collective))
    ranks = sched::turnToRoot(bundle, entry, ranks, root, serving);
  names.ranks.resize(gpus.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    names.gpus.push_back(part[ranks[rank]]);
    names.ranks[ranks[rank]] = static_cast<uint16_t>(rank);
  }
  return serving;
}

/// Sets the names of the job's ranks, GPUs and nodes. Returns the root of the
/// program to be renamed.
static uint16_t nameJob(const sched::BundleView &bundle,
                        const sched::Entry &entry,
                        const std::vector<uint16_t> &gpus,
                        Collective collective, uint16_t root, Names &names) {
  const sched::Bundle &index = *bundle.index;
  if (bundle.cluster)
    return nameOnPart(bundle, entry, gpus, collective, root, names);
  const uint16_t *map = index.node_maps()->data() + entry.map_begin();
  names.nodes.assign(map, map + index.num_nodes());
  uint16_t serving = 0;
  std::vector<uint16_t> ranks; // by rank of the job: rank of the program
  if (sched::isRooted(collective)) {
    const uint16_t there = sched::programRanks(bundle, entry, gpus)[root];
    ranks = sched::programRanks(bundle, entry, gpus, root, serving);
    const sched::AllocationClass &one =
        *index.classes()->Get(entry.class_number());
    const uint16_t *symmetry =
        one.root_maps()->data() + uint64_t(there) * index.num_nodes();
    for (uint32_t node = 0; node < index.num_nodes(); ++node)
      names.nodes[node] = symmetry[node] == sched::kUnmapped
                              ? sched::kUnmapped
                              : map[symmetry[node]];
  } else {
    ranks = sched::programRanks(bundle, entry, gpus);
  }
  names.gpus = gpus;
  names.ranks.resize(gpus.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    names.ranks[ranks[rank]] = static_cast<uint16_t>(rank);
  return serving;
}

static llvm::Expected<Chosen> choose(const sched::BundleView &bundle,
                                     const std::vector<uint16_t> &gpus,
                                     Collective collective, uint16_t root,
                                     uint16_t condition) {
  const sched::Bundle &index = *bundle.index;
  std::vector<uint16_t> sorted = gpus;
  llvm::sort(sorted);
  const std::string failure =
      condition == sched::kWholeMachine
          ? ""
          : " " + index.conditions()->Get(condition)->description()->str();
  const sched::Entry *whole =
      sched::findEntry(bundle, sched::kWholeMachine, sorted);
  const sched::Entry *entry = sched::findEntry(bundle, condition, sorted);
  if (!whole || !entry)
    return makeError("the bundle has no schedules for GPUs {0}{1}; it was made "
                     "with: {2}",
                     listOf(sorted), whole ? failure : "",
                     sched::toString(sched::settingsOf(*index.provenance())));
  auto number = numberOf(bundle, collective);
  if (!number)
    return number.takeError();
  std::string error;
  Chosen chosen;
  chosen.schedule =
      sched::openPiece(bundle, entry->class_number(), *number, error);
  if (!chosen.schedule) {
    const char *missing = isPairwise(collective)
                              ? "no paths of their own join the GPUs "
                              : "no path joins the GPUs ";
    return makeError(error.empty() ? missing + listOf(sorted) + failure
                                   : error);
  }
  auto machine = machineOf(bundle, *whole, *number, condition);
  if (!machine)
    return machine.takeError();
  chosen.machine = std::move(*machine);

  const uint16_t serving =
      nameJob(bundle, *entry, gpus, collective, root, chosen.names);
  if (bundle.cluster) {
    chosen.names.nodes.resize(chosen.machine.nodes.size());
    std::iota(chosen.names.nodes.begin(), chosen.names.nodes.end(),
              uint16_t(0));
  }
  for (const sched::Program *program : *chosen.schedule->programs())
    if (program->root() == serving) {
      chosen.program = program;
      return chosen;
    }
  return makeError(
      "its schedule has no program for root {0}; the bundle is not "
      "whole: verify it",
      int(serving));
}

llvm::Expected<InputFile> blink::extractSchedule(const InputFile &input,
                                                 const BundleJob &job) {
  llvm::Expected<sched::BundleView> bundle = openBundle(input);
  if (!bundle)
    return bundle.takeError();
  auto gpus = gpusOf(*bundle, job);
  if (!gpus)
    return gpus.takeError();

  auto named = [&](llvm::Error error) {
    return makeError("{0}: {1}", input.path, llvm::toString(std::move(error)));
  };
  auto condition = conditionOf(*bundle, job.withoutLink);
  if (!condition)
    return named(condition.takeError());
  llvm::Expected<Chosen> chosen =
      choose(*bundle, *gpus, job.collective, static_cast<uint16_t>(job.root),
             *condition);
  if (!chosen)
    return named(chosen.takeError());
  sched::Settings settings = sched::settingsOf(*bundle->index->provenance());
  settings.insert(settings.begin(),
                  {"extracted-from", bundle->index->machine()->str()});
  if (*condition != sched::kWholeMachine)
    settings.push_back(
        {"without-link",
         sched::namedEnds(*bundle->index->conditions()->Get(*condition))});
  auto bytes = renameProgram(*chosen->schedule, *chosen->program, chosen->names,
                             chosen->machine, settings);
  if (!bytes)
    return named(bytes.takeError());
  return InputFile{input.path, InputKind::schedule, std::move(*bytes)};
}
