//===- SimulateCommand.cpp - blinkc simulate ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Flags.h"

#include "compiler/plan/TimeModel.h"
#include "compiler/render/SimulationReport.h"
#include "compiler/target/FoldProgramFile.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <memory>

using namespace blink;

namespace {
struct SimulateFlags {
  std::string input;
  JobFlags job;
  uint64_t bytes = 0;
  std::string shares = "fair";
  SimulationOptions options;
  bool json = false;
};
} // namespace

/// The variant of `program` for messages of `bytes`.
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

static llvm::Expected<SimulatedProgram>
simulateProgram(const sched::Schedule &file, const sched::Program &program,
                const SimulateFlags &flags) {
  const sched::Variant &variant = variantFor(program, flags.bytes);
  const FoldProgram folds = readProgram(file, program, variant);
  llvm::Expected<Simulation> simulation =
      simulate(folds, variant.protocol(), variant.chunk_bytes(), flags.bytes,
               flags.options);
  if (!simulation)
    return simulation.takeError();
  SimulatedProgram result{
      summarize(file, program),
      flags.options,
      flags.bytes,
      std::move(*simulation),
      timeOf(folds, variant.protocol(), variant.chunk_bytes()).at(flags.bytes),
      /*busiestLink=*/"",
      /*busiestUse=*/0};
  const std::vector<double> &use = result.simulation.linkUse;
  const auto busiest = std::max_element(use.begin(), use.end());
  if (busiest != use.end() && *busiest > 0) {
    result.busiestLink =
        nameOf(*file.topology(), size_t(busiest - use.begin()));
    result.busiestUse = *busiest;
  }
  return result;
}

static int run(SimulateFlags &flags) {
  flags.options.plannedShares = flags.shares == "planned";
  llvm::Expected<InputFile> input = flags.job.readSchedule(flags.input);
  if (!input)
    return reportError(input.takeError());
  llvm::Expected<const sched::Schedule *> file = openSchedule(*input);
  if (!file)
    return reportError(file.takeError());
  for (const sched::Program *program : *(*file)->programs()) {
    llvm::Expected<SimulatedProgram> simulated =
        simulateProgram(**file, *program, flags);
    if (!simulated) {
      reportError(simulated.takeError());
      return kBadAnswer;
    }
    llvm::outs() << (flags.json ? toJson(*simulated) : toText(*simulated));
  }
  return kGood;
}

void blink::addSimulateCommand(CLI::App &app, int &exitCode) {
  auto flags = std::make_shared<SimulateFlags>();
  CLI::App *command = app.add_subcommand(
      "simulate", "Time a schedule on its machine's links, event by event");
  addInput(*command, flags->input);
  flags->job.addTo(*command);
  addBytes(*command, flags->bytes, 1);
  command
      ->add_option("--shares", flags->shares,
                   "Who gets how much of a link. fair: chunks on their way "
                   "share it max-min fairly; planned: each channel has what "
                   "its tree's share plans for it")
      ->check(CLI::IsMember({"fair", "planned"}))
      ->capture_default_str();
  command
      ->add_option("--step-us", flags->options.stepCost,
                   "Microseconds of its lane that each fold takes")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Report as JSON (docs/cli.md)");
  command->footer("Lanes, slots, chunks, links and their latencies are as the "
                  "file has them;\n"
                  "what moves and adds the data costs nothing but --step-us. "
                  "No machine is needed.\n"
                  "Exit code 1 if the schedule stops.\n"
                  "Example:\n"
                  "  blinkc simulate allreduce.sched --bytes 256M");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
