//===- CompileCommand.cpp - blinkc compile --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/CompileBundle.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Stopwatch.h"
#include "tools/manual/Checks.h"

#include "compiler/driver/InputModule.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/render/ScheduleReport.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/target/SymmetricSchedule.h"
#include "schedules/PackedSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace blink;

namespace {

struct CompileFlags {
  std::string input;
  std::string output;
  RequestFlags request;
  std::string accumulate = "none";
  std::string variants = "all";
  std::string emit = "sched";
  std::string dumpDirectory;
  std::string trees;
  bool symmetric = false;
  bool json = false;
  std::string allocations; ///< not empty: compile a bundle
  std::string collectives = "all";
  std::optional<std::string> survive;
  unsigned jobs = 0;
  /// Options that only a single schedule can have, or only a bundle.
  std::vector<CLI::Option *> notForBundles, forBundles;
  /// Options whose values the input may already contain: the request, trees,
  /// lanes, chunk sizes.
  std::vector<CLI::Option *> requestOptions, treeOptions, laneOptions,
      chunkOptions;
};

} // namespace

/// Says why no switch of `machine` is used although --in-switch was given.
static const char *whyNoSwitch(const sched::Topology &machine) {
  const bool hasAny = llvm::any_of(*machine.nodes(), [](const auto *node) {
    return node->reduce() || node->multicast();
  });
  return hasAny ? "no switch that reduces or multicasts is linked with all "
                  "ranks and makes this job faster"
                : "no switch of this machine reduces or multicasts";
}

/// Writes and reports a finished schedule.
static int finish(const CompileFlags &flags, const CompileOptions &options,
                  mlir::ModuleOp module, const Stopwatch &watch) {
  auto bytes = flags.symmetric ? exportAsIs(module) : exportSchedule(module);
  if (failed(bytes))
    return kBadCall;
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(bytes->data(), bytes->size(), error);
  if (!file)
    return reportError(makeError(error));
  // Variants that the passes have left in full may be symmetric, too.
  std::optional<sched::SymmetricFile> form;
  if (flags.symmetric) {
    llvm::Expected<sched::SymmetricFile> found = symmetricSchedule(*file);
    if (!found)
      return reportError(found.takeError());
    form = std::move(*found);
    const sched::Schedule *plain =
        sched::openAnySchedule(form->bytes.data(), form->bytes.size(), error);
    if (!plain)
      return reportError(makeError(error));
    // What was proved is the plain file.
    std::vector<uint8_t> packed = sched::packSchedule(*plain);
    if (sched::unpackSchedule(packed.data(), packed.size(), error) ==
        form->bytes)
      form->bytes = std::move(packed);
  }
  const std::vector<uint8_t> &written = form ? form->bytes : *bytes;
  if (!flags.output.empty())
    if (llvm::Error failure =
            writeFile(flags.output, llvm::toStringRef(written)))
      return reportError(std::move(failure));
  if (isStandardOutput(flags.output))
    return kGood;
  for (uint32_t i = 0; i < file->programs()->size(); ++i) {
    const sched::Program &program = *file->programs()->Get(i);
    CompiledProgram report{summarize(*file, program), options.linkEdits,
                           written.size(), flags.output};
    if (form) {
      report.notSymmetric = form->inFull[i];
      report.symmetricVariants =
          program.variants()->size() - form->inFull[i].size();
    }
    report.linksBound = report.summary.bound;
    if (report.summary.inSwitch) {
      llvm::Expected<double> bound = boundOfLinks(*file, program);
      if (!bound)
        return reportError(bound.takeError());
      report.linksBound = *bound;
    }
    if (options.inSwitch && !report.summary.inSwitch)
      report.whyNoSwitch = whyNoSwitch(*file->topology());
    report.seconds = watch.seconds();
    llvm::outs() << (flags.json ? toJson(report) : toText(report));
  }
  return kGood;
}

static llvm::Error refuse(const CLI::Option *option, const char *reason) {
  return makeError("{0}: {1}", option->get_name(), reason);
}

/// Checks that the options fit together, as far as bundles are concerned.
static llvm::Error checkBundleFlags(const CompileFlags &flags) {
  if (flags.allocations.empty()) {
    for (const CLI::Option *option : flags.forBundles)
      if (option->count() > 0)
        return refuse(option, "is for bundles: it goes with --allocations");
    return llvm::Error::success();
  }
  for (const CLI::Option *option : flags.notForBundles)
    if (option->count() > 0)
      return refuse(option,
                    "cannot be combined with --allocations, which writes a "
                    "bundle of schedules for many allocations");
  if (flags.request.order == "rank")
    return makeError("--order rank: cannot be combined with --allocations: one "
                     "schedule of a bundle serves several orders of GPUs; ask "
                     "for invariant");
  return llvm::Error::success();
}

/// Refuses options for what `module`, which was read from `path`, has already:
/// without an error they would seem to have had an effect.
static llvm::Error checkOpenChoices(const CompileFlags &flags,
                                    llvm::StringRef path,
                                    mlir::ModuleOp module) {
  const OpenChoices open = openChoices(module);
  struct {
    bool isOpen;
    const std::vector<CLI::Option *> &options;
    const char *what, *before;
  } const choices[] = {
      {open.trees, flags.treeOptions, "trees", "--emit=request"},
      {open.lanes, flags.laneOptions, "lanes", "--emit=folds"},
      {open.chunks, flags.chunkOptions, "chunk sizes", "--emit=folds"},
  };
  for (const auto &choice : choices)
    for (const CLI::Option *option : choice.options)
      if (!choice.isOpen && option->count() > 0)
        return makeError("{0}: {1} already has {2}; give the topology, or IR "
                         "without them ({3})",
                         option->get_name(), path, choice.what, choice.before);
  return llvm::Error::success();
}

static int run(const CompileFlags &flags) {
  Stopwatch watch;
  if (llvm::Error error = checkBundleFlags(flags))
    return reportError(std::move(error));
  llvm::Expected<CompileOptions> options = flags.request.options();
  if (!options)
    return reportError(options.takeError());
  options->smallVariant = flags.variants == "all";
  if (flags.accumulate == "f32")
    options->accumulate = sched::Accumulation::f32;
  Phase last = *parsePhase(flags.emit);

  if (llvm::Error error = readsOnce({flags.input, flags.trees}))
    return reportError(std::move(error));
  llvm::Expected<InputFile> file = readInput(flags.input);
  if (!file)
    return reportError(file.takeError());
  // A schedule may be replaced by a schedule, as it stays what it is.
  const bool stays = file->kind == InputKind::schedule && last == Phase::sched;
  for (const std::string &input : {stays ? "-" : flags.input, flags.trees})
    if (llvm::Error error = checkOutput(input, flags.output))
      return reportError(std::move(error));
  if (!flags.allocations.empty())
    return compileBundleFile({*file, flags.output, *options, flags.allocations,
                              flags.collectives, flags.survive, flags.jobs,
                              flags.json},
                             watch);
  if (isPairwise(options->collective) && options->maxTrees != 0)
    return reportError(makeError("--max-trees: a sendrecv has a tree for each "
                                 "path between two ranks; leave --max-trees "
                                 "out"));
  if (file->kind != InputKind::topology)
    if (llvm::Error error = refuseChosen(flags.requestOptions, *file))
      return reportError(std::move(error));

  if (!flags.trees.empty()) {
    llvm::Expected<InputFile> text = readInput(flags.trees);
    if (!text)
      return reportError(text.takeError());
    llvm::Expected<ForeignForest> trees =
        readForestColl(text->text(), text->path);
    if (!trees)
      return reportError(trees.takeError());
    options->trees = std::make_shared<ForeignForest>(std::move(*trees));
  }

  std::unique_ptr<mlir::MLIRContext> context = createContext();
  auto module = compileInput(context.get(), *file, *options, last,
                             flags.dumpDirectory, [&](mlir::ModuleOp read) {
                               return checkOpenChoices(flags, file->path, read);
                             });
  if (!module)
    return kBadCall;
  if (last == Phase::sched)
    return finish(flags, *options, *module, watch);
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  if (llvm::Error error =
          writeFile(flags.output.empty() ? "-" : flags.output, text))
    return reportError(std::move(error));
  return kGood;
}

void blink::addCompileCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<CompileFlags>(
      app, exitCode, "compile",
      "Compile a topology to a schedule, and verify it before writing it", run);
  command
      .add_option(
          "input", flags.input,
          "Topology (.topo, or a name from blinkc topo list), IR of any level "
          "(.mlir), or schedule (.sched, to print its IR); - is standard "
          "input")
      ->type_name("FILE|MACHINE")
      ->required();
  command
      .add_option("-o,--output", flags.output,
                  "Output file, written completely or not at all; - is "
                  "standard output. By default, only the report is printed")
      ->type_name("FILE");
  flags.request.addTo(command);
  command
      .add_option(
          "--accumulate", flags.accumulate,
          "Type in which partial sums are sent if elements have 8 or 16 "
          "bits: f32 (rounds only once, but sends two or four times as "
          "many bytes) or none (rounds to the elements' type after "
          "each step)")
      ->check(CLI::IsMember({"none", "f32"}))
      ->type_name("TYPE")
      ->capture_default_str();
  for (const char *name :
       {"--collective", "--gpus", "--root", "--links", "--relays", "--order",
        "--in-switch", "--accumulate", "--without-link", "--limit-link"})
    flags.requestOptions.push_back(command.get_option(name));
  command
      .add_option(
          "--slack", flags.request.rest.slack,
          "Largest fraction of the optimal rate that may be lost for fewer and "
          "lower trees. If links that are shared fairly would not sustain the "
          "rate of these trees, up to 0.05 may be lost for trees whose rate "
          "they sustain, and up to 0.2 for trees that cross to each server "
          "once if messages are faster. A broadcast or reduce over more than "
          "128 ranks may lose more: the optimum can take minutes. With 0, no "
          "rate is lost")
      ->check(manual::RealRange(0.0, 0.99))
      ->capture_default_str();
  command
      .add_option("--max-trees", flags.request.rest.maxTrees,
                  "Maximum number of trees; the best rate found with that many "
                  "is used (0: no limit)")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command
      .add_option(
          "--max-peers", flags.request.rest.maxPeers,
          "Maximum number of ranks of other servers to which a rank has "
          "channels (0: no limit). Default: for jobs of more than 64 "
          "ranks, a limit of 8 or more that does not reduce the rate; for up "
          "to 16 ranks over TCP, 2, 3, 4 or 8 for large messages of an "
          "allreduce, allgather or reducescatter if the model of time predicts "
          "a gain; otherwise no limit")
      ->check(CLI::Range(0, 4096))
      ->type_name("N");
  command.add_flag("--phases", flags.request.rest.phases,
                   "Compile in three phases: each tree enters and leaves a "
                   "server through one rank. This needs fewer connections, but "
                   "is never faster for large messages");
  command
      .add_option(
          "--max-lanes", flags.request.rest.maxLanes,
          "Maximum number of lanes (thread blocks) of a rank. Default: 16, or "
          "32 if over nvlink, xgmi and c2c a GPU of the job has more than 500 "
          "GB/s to the others. A sendrecv has a lane for each rank that it "
          "sends to or receives from, even if there are more")
      ->check(CLI::Range(1, 1024));
  command
      .add_option(
          "--chunk-bytes", flags.request.rest.chunkBytes,
          "Size of a pipelined chunk, a multiple of 16, with K or M (0: "
          "chosen by the model of time)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(0), uint64_t(64) << 20))
      ->check([](const std::string &bytes) -> std::string {
        return std::stoull(bytes) % 16 == 0
                   ? ""
                   : bytes + " is not a multiple of 16";
      })
      ->type_name("SIZE")
      ->capture_default_str();
  command
      .add_option("--variants", flags.variants,
                  "Variants to compile: all (with variants for small messages, "
                  "if there are any) or bandwidth (one for all sizes)")
      ->check(CLI::IsMember({"all", "bandwidth"}))
      ->type_name("WHICH")
      ->capture_default_str();
  command
      .add_option("--time-limit", flags.request.rest.timeLimit,
                  "Seconds after which the search for trees ends with the best "
                  "trees found so far (0: no limit)")
      ->check(manual::RealRange(0.0, 1e9))
      ->capture_default_str();
  CLI::Option *trees =
      command
          .add_option(
              "--trees", flags.trees,
              "Use the trees of this file (ForestColl's XML) instead of "
              "computing trees; the schedule is verified, and the "
              "bound computed, as usual")
          ->type_name("FILE");
  for (const char *name :
       {"--slack", "--max-trees", "--max-peers", "--phases", "--order",
        "--accumulate", "--relays", "--time-limit"})
    trees->excludes(command.get_option(name));
  for (const char *name : {"--max-peers", "--phases", "--trees"})
    flags.requestOptions.push_back(command.get_option(name));
  for (const char *name :
       {"--slack", "--max-trees", "--variants", "--time-limit"})
    flags.treeOptions.push_back(command.get_option(name));
  flags.laneOptions.push_back(command.get_option("--max-lanes"));
  flags.chunkOptions.push_back(command.get_option("--chunk-bytes"));
  command
      .add_option(
          "--emit", flags.emit,
          "Stop at a level: request, forest, folds, lanes (IR, to -o or "
          "standard output) or sched")
      ->check(CLI::IsMember({"request", "forest", "folds", "lanes", "sched"}))
      ->type_name("LEVEL")
      ->capture_default_str();
  command
      .add_option("--dump-phases-to", flags.dumpDirectory,
                  "Also write the IR of each level to this folder")
      ->type_name("DIR");
  command
      .add_option(
          "--allocations", flags.allocations,
          "Write a bundle with schedules for these allocations: all (those of "
          "two or more GPUs), numbers of GPUs such as 2-4, or a list such as "
          "0,1/4,5,6,7. For a cluster, numbers of GPUs on each box, such as "
          "3+5/4x8")
      ->type_name("SETS");
  command
      .add_option("--collectives", flags.collectives,
                  "Collectives of a bundle: all (all except sendrecv), or a "
                  "list such as all,sendrecv. Rooted collectives are compiled "
                  "for every root")
      ->type_name("LIST")
      ->capture_default_str();
  command
      .add_option("--survive", flags.survive,
                  "Failures for which a bundle has spare schedules: links (all "
                  "links between two nodes fail), gpus (a job loses one GPU) "
                  "or links,gpus")
      ->type_name("WHAT");
  addJobs(command, flags.jobs,
          "Number of threads that compile a bundle (0: one per processor). "
          "The output does not depend on it");
  command.add_flag("--symmetric", flags.symmetric,
                   "If the ranks are symmetric, write the program of only one "
                   "rank of each orbit; blinkc expand writes those of all "
                   "ranks");
  for (const char *name :
       {"--collective", "--gpus", "--root", "--relays", "--time-limit",
        "--emit", "--dump-phases-to", "--phases", "--trees", "--symmetric"})
    flags.notForBundles.push_back(command.get_option(name));
  for (const char *name : {"--collectives", "--survive", "--jobs"})
    flags.forBundles.push_back(command.get_option(name));
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer(
      "Examples:\n"
      "  blinkc compile dgx1.topo -o allreduce.sched\n"
      "  blinkc compile dgx1.topo -c broadcast -r 2 -g 1,4,5,6 -l nvlink -o "
      "b.sched\n"
      "  blinkc compile dgx1.topo --allocations all -o dgx1.sched  # a bundle\n"
      "  blinkc compile dgx1.topo --emit=forest          # the trees, as IR\n"
      "  blinkc compile my-algorithm.mlir -o mine.sched  # written by hand");
}
