//===- ExtractCommand.cpp - blinkc extract --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"

#include "compiler/target/RenameProgram.h"
#include "schedules/ScheduleFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <numeric>

using namespace blink;

namespace {
struct ExtractFlags {
  std::string input;
  std::string output;
  std::string collective = "allreduce";
  std::vector<int> gpus;
  int root = 0;
};

/// The schedule that serves a job, with the names it needs.
struct Chosen {
  const sched::Schedule *piece;
  const sched::Program *program;
  Names names;
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
jobOf(const sched::BundleView &bundle, const ExtractFlags &flags) {
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

static llvm::Expected<Chosen> choose(const sched::BundleView &bundle,
                                     const std::vector<uint16_t> &gpus,
                                     Collective collective, uint16_t root) {
  const sched::Bundle &index = *bundle.index;
  std::vector<uint16_t> sorted = gpus;
  llvm::sort(sorted);
  const sched::Entry *entry = sched::findEntry(bundle, 0, sorted);
  if (!entry)
    return refuse("the bundle has no schedules for GPUs %s; it was made with: "
                  "%s",
                  listOf(sorted).c_str(), index.options()->c_str());
  auto number = numberOf(bundle, collective);
  if (!number)
    return number.takeError();
  std::string error;
  Chosen chosen;
  chosen.piece =
      sched::openPiece(bundle, entry->class_number(), *number, error);
  if (!chosen.piece)
    return refuse("%s",
                  error.empty()
                      ? ("no path joins the GPUs " + listOf(sorted)).c_str()
                      : error.c_str());

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

static int run(const ExtractFlags &flags) {
  std::optional<Collective> collective = parseCollective(flags.collective);
  if (!collective)
    return reportError(
        refuse("--collective: no collective '%s'", flags.collective.c_str()));
  llvm::Expected<InputFile> input = readInput(flags.input);
  if (!input)
    return reportError(input.takeError());
  if (input->kind != InputKind::bundle)
    return reportError(refuse("%s: is no bundle; make one with: blinkc compile "
                              "FILE.topo --allocations all -o FILE.sched",
                              input->path.c_str()));
  llvm::Expected<sched::BundleView> bundle = openBundle(*input);
  if (!bundle)
    return reportError(bundle.takeError());
  auto gpus = jobOf(*bundle, flags);
  if (!gpus)
    return reportError(gpus.takeError());

  auto named = [&](llvm::Error error) {
    return reportError(refuse("%s: %s", input->path.c_str(),
                              llvm::toString(std::move(error)).c_str()));
  };
  llvm::Expected<Chosen> chosen =
      choose(*bundle, *gpus, *collective, static_cast<uint16_t>(flags.root));
  if (!chosen)
    return named(chosen.takeError());
  std::string options =
      llvm::formatv("extracted from: {0} {1}", bundle->index->options()->str(),
                    "machine=" + bundle->index->machine()->str());
  auto bytes =
      renameProgram(*chosen->piece, *chosen->program, chosen->names, options);
  if (!bytes)
    return named(bytes.takeError());
  auto file = writeSchedule(flags.output, *bytes);
  if (!file)
    return reportError(file.takeError());
  if (!*file)
    return kGood;
  Summary summary = summarize(**file, *(*file)->programs()->Get(0));
  llvm::outs() << title(summary) << "\n  rate    " << formatRate(summary.algbw)
               << llvm::formatv(", {0:F2} % of the bound, {1}\n",
                                summary.percentOfBound(),
                                formatRate(summary.bound))
               << "  file    " << flags.output << ", " << bytes->size()
               << " bytes\n";
  return kGood;
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
  command
      ->add_option("-c,--collective", flags->collective,
                   "One of those the bundle is for")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("-g,--gpus", flags->gpus,
                   "The GPUs of the job, in any order; the first is rank 0. "
                   "Default: all of the machine")
      ->delimiter(',')
      ->type_name("LIST");
  command
      ->add_option("-r,--root", flags->root,
                   "Root of a broadcast, reduce, gather or scatter: a rank, 0 "
                   "to n-1")
      ->type_name("RANK")
      ->capture_default_str();
  command->footer("All other commands work on what it writes.\n"
                  "Example:\n"
                  "  blinkc extract dgx1.sched -g 1,4,5,6 -c broadcast -r 2 -o "
                  "one.sched");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
