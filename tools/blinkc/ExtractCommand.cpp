//===- ExtractCommand.cpp - blinkc extract --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"

#include "compiler/target/RenameProgram.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/DegradeLinks.h"
#include "schedules/BundleRules.h"
#include "schedules/Provenance.h"
#include "schedules/ScheduleFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <numeric>

using namespace blink;

namespace {
struct ExtractFlags : JobFlags {
  std::string input;
  std::string output;
};

/// The schedule that serves a job, with the names it needs.
struct Chosen {
  const sched::Schedule *piece;
  const sched::Program *program;
  Names names;
  Topology machine; ///< that of the job
};
} // namespace

template <typename... Values>
static llvm::Error refuse(const char *format, Values... values) {
  return llvm::createStringError(std::errc::invalid_argument, format,
                                 values...);
}

static std::string listOf(const std::vector<uint16_t> &gpus) {
  return formatGpus({gpus.begin(), gpus.end()});
}

/// The GPUs of the job, by rank.
static llvm::Expected<std::vector<uint16_t>>
jobOf(const sched::BundleView &bundle, const JobFlags &flags) {
  const int numGpus = static_cast<int>(bundle.index->gpu_nodes()->size());
  std::vector<uint16_t> gpus(flags.gpus.begin(), flags.gpus.end());
  if (gpus.empty()) {
    gpus.resize(numGpus);
    std::iota(gpus.begin(), gpus.end(), uint16_t(0));
  }
  for (int gpu : flags.gpus)
    if (gpu < 0 || gpu >= numGpus)
      return refuse("--gpus: GPU %d does not exist: '%s' has GPUs 0 to %d", gpu,
                    bundle.index->machine()->c_str(), numGpus - 1);
  if (flags.root < 0 || flags.root >= static_cast<int>(gpus.size()))
    return refuse("--root: rank %d does not exist; expected 0 to %zu",
                  flags.root, gpus.size() - 1);
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
  return refuse("the bundle has no %s; it is for %s",
                toString(collective).str().c_str(), names.c_str());
}

/// The number of the condition that `ends` names.
static llvm::Expected<uint16_t> conditionOf(const sched::BundleView &bundle,
                                            const std::string &ends) {
  if (ends.empty())
    return sched::kWholeMachine;
  if (auto condition = sched::findCondition(bundle, ends))
    return *condition;
  const auto &conditions = *bundle.index->conditions();
  if (conditions.size() == 1)
    return refuse("--without-link %s: the bundle has no schedules for the "
                  "failure of a link; compile one with --survive links",
                  ends.c_str());
  constexpr uint32_t kMostListed = 16;
  std::string known;
  for (uint32_t c = 1; c < conditions.size() && c <= kMostListed; ++c)
    known += (known.empty() ? "" : ", ") + conditions.Get(c)->id_a()->str() +
             ":" + conditions.Get(c)->id_b()->str();
  if (conditions.size() > kMostListed + 1)
    known +=
        " and " + std::to_string(conditions.size() - 1 - kMostListed) + " more";
  return refuse("--without-link %s: no such link; '%s' has links between %s",
                ends.c_str(), bundle.index->machine()->c_str(), known.c_str());
}

/// The machine on which `entry`, of the whole machine, is served: less the
/// links of a condition. There are schedules for it.
static llvm::Expected<Topology> machineOf(const sched::BundleView &bundle,
                                          const sched::Entry &entry,
                                          uint32_t collective,
                                          uint16_t condition) {
  std::string error;
  const sched::Schedule *piece =
      sched::openPiece(bundle, entry.class_number(), collective, error);
  if (!piece)
    return refuse("%s", error.c_str());
  Topology machine = topologyOf(*piece);
  const sched::Condition &failed = *bundle.index->conditions()->Get(condition);
  if (condition != sched::kWholeMachine)
    removeLinks(machine, failed.node_a(), failed.node_b());
  return machine;
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
    return refuse(
        "the bundle has no schedules for GPUs %s%s; it was made "
        "with: %s",
        listOf(sorted).c_str(), whole ? failure.c_str() : "",
        sched::toString(sched::settingsOf(*index.provenance())).c_str());
  auto number = numberOf(bundle, collective);
  if (!number)
    return number.takeError();
  std::string error;
  Chosen chosen;
  chosen.piece =
      sched::openPiece(bundle, entry->class_number(), *number, error);
  if (!chosen.piece)
    return refuse(
        "%s",
        error.empty()
            ? ("no path joins the GPUs " + listOf(sorted) + failure).c_str()
            : error.c_str());
  auto machine = machineOf(bundle, *whole, *number, condition);
  if (!machine)
    return machine.takeError();
  chosen.machine = std::move(*machine);

  const uint16_t *map = index.node_maps()->data() + entry->map_begin();
  chosen.names.nodes.assign(map, map + index.num_nodes());
  uint16_t serving = 0;
  std::vector<uint16_t> ranks; // of the program, by rank of the job
  if (sched::isRooted(collective)) {
    const uint16_t there = sched::programRanks(bundle, *entry, gpus)[root];
    ranks = sched::programRanks(bundle, *entry, gpus, root, serving);
    const sched::AllocationClass &one =
        *index.classes()->Get(entry->class_number());
    const uint16_t *symmetry =
        one.root_maps()->data() + uint64_t(there) * index.num_nodes();
    for (uint32_t node = 0; node < index.num_nodes(); ++node)
      chosen.names.nodes[node] = symmetry[node] == sched::kUnmapped
                                     ? sched::kUnmapped
                                     : map[symmetry[node]];
  } else {
    ranks = sched::programRanks(bundle, *entry, gpus);
  }
  chosen.names.gpus = gpus;
  chosen.names.ranks.resize(gpus.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    chosen.names.ranks[ranks[rank]] = static_cast<uint16_t>(rank);
  for (const sched::Program *program : *chosen.piece->programs())
    if (program->root() == serving) {
      chosen.program = program;
      return chosen;
    }
  return refuse("its schedule has no program for root %d; the bundle is not "
                "whole: verify it",
                int(serving));
}

llvm::Expected<InputFile> blink::extractSchedule(const InputFile &input,
                                                 const JobFlags &flags) {
  std::optional<Collective> collective = parseCollective(flags.collective);
  if (!collective)
    return refuse("--collective: no collective '%s'", flags.collective.c_str());
  llvm::Expected<sched::BundleView> bundle = openBundle(input);
  if (!bundle)
    return bundle.takeError();
  auto gpus = jobOf(*bundle, flags);
  if (!gpus)
    return gpus.takeError();

  auto named = [&](llvm::Error error) {
    return refuse("%s: %s", input.path.c_str(),
                  llvm::toString(std::move(error)).c_str());
  };
  auto condition = conditionOf(*bundle, flags.withoutLink);
  if (!condition)
    return named(condition.takeError());
  llvm::Expected<Chosen> chosen =
      choose(*bundle, *gpus, *collective, static_cast<uint16_t>(flags.root),
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
  auto bytes = renameProgram(*chosen->piece, *chosen->program, chosen->names,
                             chosen->machine, settings);
  if (!bytes)
    return named(bytes.takeError());
  return InputFile{input.path, InputKind::schedule, std::move(*bytes)};
}

static int run(const ExtractFlags &flags) {
  llvm::Expected<InputFile> input = readInput(flags.input);
  if (!input)
    return reportError(input.takeError());
  if (input->kind != InputKind::bundle)
    return reportError(refuse("%s: is no bundle; make one with: blinkc compile "
                              "FILE.topo --allocations all -o FILE.sched",
                              input->path.c_str()));
  llvm::Expected<InputFile> one = extractSchedule(*input, flags);
  if (!one)
    return reportError(one.takeError());
  auto file = writeSchedule(flags.output, one->bytes);
  if (!file)
    return reportError(file.takeError());
  if (!*file)
    return kGood;
  Summary summary = summarize(**file, *(*file)->programs()->Get(0));
  llvm::outs() << title(summary) << "\n  rate    " << formatRate(summary.algbw)
               << llvm::formatv(", {0:F2} % of the bound, {1}\n",
                                summary.percentOfBound(),
                                formatRate(summary.bound))
               << "  file    " << flags.output << ", " << one->bytes.size()
               << " bytes\n";
  return kGood;
}

void JobFlags::addTo(CLI::App &command) {
  command
      .add_option("-c,--collective", collective,
                  "Of a bundle: one of those it is for")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("-g,--gpus", gpus,
                  "Of a bundle: the GPUs of the job, in any order; the first "
                  "is rank 0. Default: all of the machine")
      ->delimiter(',')
      ->type_name("LIST");
  command
      .add_option("-r,--root", root,
                  "Of a bundle: root of a broadcast, reduce, gather or "
                  "scatter: a rank, 0 to n-1")
      ->type_name("RANK")
      ->capture_default_str();
}

void blink::addExtractCommand(CLI::App &app, int &exitCode) {
  auto flags = std::make_shared<ExtractFlags>();
  CLI::App *command = app.add_subcommand(
      "extract", "Take the schedule for one allocation out of a bundle");
  command->add_option("input", flags->input, "A bundle (.sched)")->required();
  command
      ->add_option("-o,--output", flags->output,
                   "The file to write; - is standard output")
      ->required()
      ->check([](const std::string &path) {
        return std::string(path.empty() ? "expected a file" : "");
      })
      ->type_name("FILE");
  flags->addTo(*command);
  command
      ->add_option("--without-link", flags->withoutLink,
                   "The job's machine has lost all links between two nodes: "
                   "the schedule that survives that")
      ->type_name("A:B");
  command->footer("All other commands work on what it writes; run and explain "
                  "on the bundle,\n"
                  "too, with -g, -c and -r.\n"
                  "Example:\n"
                  "  blinkc extract dgx1.sched -g 1,4,5,6 -c broadcast -r 2 -o "
                  "one.sched");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
