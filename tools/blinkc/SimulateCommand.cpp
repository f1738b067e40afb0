//===- SimulateCommand.cpp - blinkc simulate ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Progress.h"
#include "tools/manual/Checks.h"

#include "compiler/driver/OutputFile.h"
#include "compiler/render/SimulationReport.h"
#include "compiler/report/PredictedTime.h"
#include "compiler/simulate/HostSimulation.h"
#include "compiler/simulate/SimulationTrace.h"
#include "compiler/support/Decimal.h"
#include "compiler/support/Error.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/DegradeLinks.h"
#include "schedules/trace/PerfettoTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace blink;

namespace {
struct SimulateFlags {
  std::string input;
  JobFlags job;
  uint64_t bytes = 0;
  std::string shares = "fair";
  std::string costs;
  std::vector<std::string> slow, limitLinks;
  SimulationOptions options;
  bool json = false;
  std::string trace;

  /// Returns true if ranks of a symmetric schedule may differ in their speed,
  /// or in what is reported on them.
  bool distinguishesRanks() const {
    return options.details || !trace.empty() || !slow.empty() ||
           !limitLinks.empty();
  }
};

/// Limit of a trace: more events take over 200 MB.
constexpr uint64_t kMostEvents = 1000000;

} // namespace

/// Returns the variant of `program` for messages of `bytes`.
static const sched::Variant &variantFor(const sched::Program &program,
                                        uint64_t bytes) {
  const auto &variants = *program.variants();
  return **std::find_if(
      variants.begin(), variants.end() - 1,
      [&](const sched::Variant *v) { return bytes < v->max_bytes(); });
}

static std::string nameOf(const sched::Topology &topology, size_t number) {
  const sched::Link &link = *topology.links()->Get(unsigned(number));
  const auto &nodes = *topology.nodes();
  return nodes[link.from()]->id()->str() + " -> " +
         nodes[link.to()]->id()->str() + " (" +
         sched::EnumNameLinkKind(link.kind()) + ")";
}

/// Returns the ids and nodes of the GPUs of ranks and relays.
static std::vector<std::pair<std::string, int>>
nodesOfRanks(const Topology &topology, const sched::Program &program) {
  const std::vector<int> gpus = topology.gpus();
  std::vector<std::pair<std::string, int>> nodes;
  const ProgramKey key = ProgramKey::of(program);
  for (const std::vector<int> &numbers : {key.gpus, key.relays})
    for (int gpu : numbers)
      nodes.emplace_back(topology.nodes[size_t(gpus[size_t(gpu)])].id,
                         gpus[size_t(gpu)]);
  return nodes;
}

/// Applies --limit-link and --slow: lower bandwidths and slower folds.
static llvm::Error slowDown(const Topology &whole,
                            const sched::Program &program,
                            const SimulateFlags &flags,
                            SimulationOptions &options) {
  std::vector<LinkEdit> edits;
  if (llvm::Error error = readLimitLinks(flags.limitLinks, edits))
    return error;
  llvm::Expected<DegradedTopology> degraded = degradeLinks(whole, edits);
  if (!degraded)
    return degraded.takeError();
  for (const Link &link : degraded->topology.links)
    options.bandwidths.push_back(link.bandwidth);
  const auto nodes = nodesOfRanks(whole, program);
  options.slowness.assign(nodes.size(), 1);
  for (const std::string &text : flags.slow) {
    const auto [id, number] = llvm::StringRef(text).rsplit('=');
    double factor = 0;
    if (!parseDecimal(number, factor) || !(factor >= 1 && factor <= 1e6))
      return makeError("--slow {0}: expected GPU=FACTOR, a factor of 1 to 1e6, "
                       "such as gpu3=2",
                       text);
    const auto node = llvm::find_if(
        nodes, [&, gpu = id](const auto &of) { return of.first == gpu; });
    if (node == nodes.end())
      return makeError(
          "--slow {0}: '{1}' is no GPU of this job; write the name "
          "of a GPU in the topology, such as {2}",
          text, id, nodes.front().first);
    options.slowness[size_t(node - nodes.begin())] *= factor;
    for (size_t link = 0; link < whole.links.size(); ++link)
      if (whole.links[link].from == node->second ||
          whole.links[link].to == node->second)
        options.bandwidths[link] /= factor;
  }
  return llvm::Error::success();
}

static llvm::Expected<SimulationOptions>
optionsFor(const sched::Schedule &file, const sched::Program &program,
           const SimulateFlags &flags) {
  SimulationOptions options = flags.options;
  if (!flags.trace.empty())
    options.mostEvents = kMostEvents;
  options.plannedShares = flags.shares == "planned";
  if (!flags.slow.empty() || !flags.limitLinks.empty())
    if (llvm::Error error = slowDown(topologyOf(file), program, flags, options))
      return error;
  return options;
}

/// Reads the costs of the flags. On a host, other flags have no meaning.
static llvm::Error readCosts(const SimulateFlags &flags, DeviceCosts &costs) {
  if (flags.costs.empty()) {
    costs.simple = costs.lowLatency = {{}};
    costs.network = 0;
    return llvm::Error::success();
  }
  llvm::Expected<DeviceCosts> read = costsAt(flags.costs);
  if (!read)
    return read.takeError();
  costs = std::move(*read);
  if (costs.host && (flags.shares == "planned" || flags.options.details ||
                     flags.options.stepCost > 0 || !flags.trace.empty() ||
                     !flags.slow.empty() || !flags.limitLinks.empty()))
    return makeError(
        "--costs {0}: costs of a host, which has no links and no lanes "
        "of their own; --shares planned, --step-us, --slow, "
        "--limit-link, --details and --trace are for GPUs",
        flags.costs);
  return llvm::Error::success();
}

/// Writes the events of a simulated program, and warns if it had more than are
/// kept.
static llvm::Error writeTrace(const SimulatedProgram &simulated,
                              const sched::Schedule &file,
                              const sched::Program &program,
                              const std::string &path) {
  const sched::Variant &variant = variantFor(program, simulated.bytes);
  const FoldProgram folds = readProgram(file, program, variant);
  const SimulatedEvents &events = simulated.simulation.events;
  if (std::max(events.folds.size(), events.transfers.size()) == kMostEvents)
    llvm::errs() << path << ": note: the first " << kMostEvents
                 << " folds and transfers; there are "
                 << simulated.simulation.folds << " folds\n";
  const std::string name = (sched::EnumNameCollective(folds.collective) +
                            llvm::Twine(", chunks of ") +
                            llvm::Twine(variant.chunk_bytes()) + " bytes")
                               .str();
  std::vector<std::string> ranks;
  for (const std::string &id : simulated.ranks)
    ranks.push_back(
        llvm::formatv("{0} {1} ({2})",
                      ranks.size() < size_t(folds.numRanks) ? "rank" : "relay",
                      ranks.size(), id));
  return writeFile(path, sched::toPerfetto(traceOf(folds, events, name, ranks,
                                                   simulated.links)));
}

static llvm::Expected<SimulatedProgram>
simulateProgram(const sched::Schedule &file, const sched::Program &program,
                uint64_t bytes, const DeviceCosts &costs,
                SimulationOptions options) {
  const sched::Variant &variant = variantFor(program, bytes);
  llvm::Expected<FoldProgram> read = readProgramAsItIs(file, program, variant);
  if (!read)
    return read.takeError();
  const FoldProgram &folds = *read;
  costs.addTo(options, folds, variant.protocol(), bytes);
  Progress progress;
  options.watcher =
      progress.part(llvm::formatv("simulating {0}",
                                  sched::EnumNameCollective(folds.collective))
                        .str());
  llvm::Expected<Simulation> simulation =
      costs.host ? simulateHost(folds, sched::chunksOf(variant), bytes,
                                costs.of(variant.protocol(), bytes),
                                *costs.host, options.watcher)
                 : simulate(folds, variant.protocol(), sched::chunksOf(variant),
                            bytes, options);
  progress.end();
  options.watcher = nullptr;
  if (!simulation)
    return simulation.takeError();
  SimulatedProgram result;
  result.summary = summarize(file, program);
  result.options = std::move(options);
  result.bytes = bytes;
  result.simulation = std::move(*simulation);
  result.estimate = predictTime(file, program, variant, bytes);
  for (size_t link = 0; link < folds.links.size(); ++link)
    result.links.push_back(nameOf(*file.topology(), link));
  for (const auto &[id, node] : nodesOfRanks(topologyOf(file), program))
    result.ranks.push_back(id);
  for (const FoldProgram::Channel &channel : folds.channels)
    result.channels.emplace_back(channel.source, channel.destination);
  return result;
}

static int run(const SimulateFlags &flags) {
  if (llvm::Error error = readsOnce({flags.input, flags.costs}))
    return reportError(std::move(error));
  for (const std::string &input : {flags.input, flags.costs})
    if (llvm::Error error = checkOutput(input, flags.trace))
      return reportError(std::move(error));
  DeviceCosts costs;
  if (llvm::Error error = readCosts(flags, costs))
    return reportError(std::move(error));
  llvm::Expected<InputFile> input = flags.job.readSchedule(
      flags.input, /*inFull=*/costs.host || flags.distinguishesRanks());
  if (!input)
    return reportError(input.takeError());
  llvm::Expected<const sched::Schedule *> file = openAnySchedule(*input);
  if (!file)
    return reportError(file.takeError());
  if (!flags.trace.empty() && (*file)->programs()->size() > 1)
    return reportError(
        makeError("--trace records one program, but {0} has {1}; compile one "
                  "collective and root only",
                  flags.input, (*file)->programs()->size()));
  for (const sched::Program *program : *(*file)->programs()) {
    llvm::Expected<SimulationOptions> options =
        optionsFor(**file, *program, flags);
    if (!options)
      return reportError(options.takeError());
    llvm::Expected<SimulatedProgram> simulated = simulateProgram(
        **file, *program, flags.bytes, costs, std::move(*options));
    if (!simulated) {
      reportError(simulated.takeError());
      return kBadAnswer;
    }
    if (!flags.trace.empty())
      if (llvm::Error error =
              writeTrace(*simulated, **file, *program, flags.trace))
        return reportError(std::move(error));
    if (!isStandardOutput(flags.trace)) // which would have the trace
      llvm::outs() << (flags.json ? toJson(*simulated) : toText(*simulated));
  }
  return kGood;
}

void blink::addSimulateCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<SimulateFlags>(
      app, exitCode, "simulate",
      "Simulate the time of a schedule on its machine's links, event by event",
      run);
  addInput(command, flags.input);
  flags.job.addTo(command);
  addBytes(command, flags.bytes, 1);
  command
      .add_option("--shares", flags.shares,
                  "How links are shared: fair (max-min fairly among all chunks "
                  "in flight) or planned (each channel gets the rate that is "
                  "planned for its tree's share)")
      ->check(CLI::IsMember({"fair", "planned"}))
      ->capture_default_str();
  command
      .add_option("--step-us", flags.options.stepCost,
                  "Microseconds for which each fold occupies its lane")
      ->check(manual::RealRange(0.0, 1e6))
      ->type_name("NUMBER")
      ->capture_default_str();
  addCosts(command, flags.costs);
  command
      .add_option("--slow", flags.slow,
                  "Make a GPU a straggler: its folds, and transfers over its "
                  "links, take FACTOR times as long. May be repeated")
      ->allow_extra_args(false)
      ->type_name("GPU=FACTOR");
  addLimitLink(command, flags.limitLinks);
  command.add_flag("--details", flags.options.details,
                   "Also report what the last fold waited for, step by step, "
                   "what lanes waited for, and the use of links over time");
  command
      .add_option("--trace", flags.trace,
                  "Also write a trace of all lanes, chunks and links for "
                  "Perfetto (ui.perfetto.dev)")
      ->type_name("FILE");
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer("Lanes, slots, chunks, links and latencies are those of the "
                 "file. Moving and\n"
                 "adding data takes lanes no time, except with --step-us or "
                 "--costs. The machine\n"
                 "is not needed.\n"
                 "Exit code 1 if the schedule stops.\n"
                 "Example:\n"
                 "  blinkc simulate allreduce.sched --bytes 256M\n"
                 "  blinkc simulate allreduce.sched --slow gpu3=2 --details");
}
