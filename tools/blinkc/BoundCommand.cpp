//===- BoundCommand.cpp - blinkc bound ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/InputFile.h"
#include "compiler/packing/FewPeers.h"
#include "compiler/packing/order/PackInOrder.h"
#include "compiler/render/ExplanationReport.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct BoundFlags {
  std::string input;
  RequestFlags request;
  bool json = false;
};
} // namespace

static int run(const BoundFlags &flags) {
  Stopwatch watch;
  llvm::Expected<CompileOptions> options = flags.request.options();
  if (!options)
    return reportError(options.takeError());
  llvm::Expected<InputFile> file = readInput(flags.input);
  if (!file)
    return reportError(file.takeError());
  llvm::Expected<Topology> topology = openTopology(*file);
  if (!topology)
    return reportError(topology.takeError());
  auto inFile = [&](llvm::Error error) {
    return reportError(
        makeError("{0}: {1}", file->path, llvm::toString(std::move(error))));
  };
  Progress progress;
  progress.begin(file->path, file->bytes.size());
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(std::move(*topology), options->linkEdits);
  if (!degraded)
    return inFile(degraded.takeError());
  llvm::Expected<RankTopology> rankTopology =
      RankTopology::create(degraded->topology, options->gpus, options->links,
                           options->relayGpus(degraded->topology));
  if (!rankTopology)
    return inFile(rankTopology.takeError());
  PackingProblem problem{&*rankTopology, options->collective, options->root};
  llvm::Expected<PackedTrees> packed =
      packManyRanks(problem, progress.watcher(), kMostSlack);
  if (!packed)
    return inFile(packed.takeError());
  const double ofLinks = packed->certificate.bound;
  if (options->inSwitch) {
    if (options->order != ReductionOrder::none)
      return reportError(
          makeError("--in-switch cannot be combined with --order: a "
                    "switch adds in an order of its own; leave "
                    "one of them out"));
    if (!isRouted(problem.collective))
      problem.switches = switchStars(*rankTopology);
    auto switched = packWithSwitches(problem, *packed, progress.watcher());
    if (!switched)
      return inFile(switched.takeError());
    if (*switched)
      packed = std::move(**switched);
    else
      problem.switches.clear();
  }
  ExplainedBound bound{explainBound(problem, packed->certificate),
                       options->links,
                       options->linkEdits,
                       0,
                       options->order,
                       0,
                       ofLinks,
                       packed->packing.algbw};
  if (options->order != ReductionOrder::none) {
    llvm::Expected<OrderedPacking> ordered =
        packInOrder(problem, *packed, options->order, progress.watcher());
    if (!ordered)
      return inFile(ordered.takeError());
    bound.ofOrder = ordered->packed.certificate.bound;
  }
  bound.seconds = watch.seconds();
  llvm::outs() << (flags.json ? toJson(bound) : toText(bound));
  return kGood;
}

void blink::addBoundCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<BoundFlags>(
      app, exitCode, "bound",
      "Print the highest possible rate of a collective on a topology", run);
  command
      .add_option("input", flags.input,
                  "Topology: a .topo file, or a name from blinkc topo list")
      ->type_name("FILE|MACHINE")
      ->required();
  flags.request.addTo(command);
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer(
      "The rate is algbw: buffer size over time, as in nccl-tests. If the "
      "ranks'\n"
      "blocks differ, the size is that of the whole gathered or scattered "
      "buffer.\n"
      "Example:\n"
      "  blinkc bound dgx1.topo -c allreduce -g 0,1,2,3,7 -l nvlink");
}
