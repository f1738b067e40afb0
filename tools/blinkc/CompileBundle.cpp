//===- CompileBundle.cpp - blinkc compile --allocations -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/CompileBundle.h"
#include "tools/blinkc/Command.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/ClusterBundle.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/driver/ProveBundle.h"
#include "compiler/render/BundleReport.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/PlacementList.h"
#include "compiler/topology/TopologyReader.h"

#include "schedules/Collectives.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace blink;

static llvm::Expected<std::vector<Collective>>
parseCollectives(llvm::StringRef text) {
  std::set<Collective> found;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    if (word.trim() == "all") {
      found.insert(sched::kJointCollectives.begin(),
                   sched::kJointCollectives.end());
      continue;
    }
    std::optional<Collective> collective = parseCollective(word.trim());
    if (!collective)
      return makeError(
          "--collectives: no collective '{0}'; expected all (all except "
          "sendrecv), or "
          "a list of allreduce, broadcast, reduce, allgather, reducescatter, "
          "gather, scatter, alltoall, sendrecv",
          word.trim());
    found.insert(*collective);
  }
  return std::vector<Collective>(found.begin(), found.end());
}

/// Sets the options that `text`, the argument of --survive, asks for.
static llvm::Error parseSurvive(llvm::StringRef text, BundleOptions &options) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    bool BundleOptions::*survive =
        word.trim() == "links"  ? &BundleOptions::surviveLinks
        : word.trim() == "gpus" ? &BundleOptions::surviveGpus
                                : nullptr;
    if (!survive)
      return makeError(
          "--survive: '{0}' is not a kind of failure; expected links, "
          "gpus or both as links,gpus",
          word.trim());
    options.*survive = true;
  }
  return llvm::Error::success();
}

static llvm::Error refuseInput(const InputFile &file) {
  if (file.kind == InputKind::bundle)
    return refuseBundle(file);
  return makeError(
      "--allocations: {0} is not a topology: it is for one allocation already",
      file.path);
}

/// Opens the result as a user would, and proves it.
static llvm::Expected<BundleProof> prove(const InputFile &made,
                                         sched::BundleView &bundle,
                                         const BundleCall &call,
                                         Progress &progress) {
  llvm::Expected<sched::BundleView> opened = openBundle(made);
  if (!opened)
    return opened.takeError();
  bundle = *opened;
  BundleProof proof =
      proveBundle(bundle, call.jobs, progress.classes("proving"));
  if (proof.ok())
    return proof;
  return makeError(
      "{0}: the bundle cannot be proved and is not written; this is a bug: {1}",
      call.input.path, proof.problems.front());
}

int blink::compileBundleFile(const BundleCall &call, const Stopwatch &watch) {
  if (call.input.kind != InputKind::topology)
    return reportError(refuseInput(call.input));
  llvm::Expected<Topology> topology =
      parseTopology(call.input.text(), call.input.path);
  if (!topology)
    return reportError(topology.takeError());
  auto collectives = parseCollectives(call.collectives);
  if (!collectives)
    return reportError(collectives.takeError());
  BundleOptions options;
  options.each = call.options;
  options.collectives = std::move(*collectives);
  const bool shapes = hasShapes(call.allocations);
  if (!shapes) {
    auto allocations = parseAllocations(
        call.allocations, static_cast<int>(topology->gpus().size()));
    if (!allocations)
      return reportError(makeError("--allocations: {0}",
                                   llvm::toString(allocations.takeError())));
    options.allocations = std::move(*allocations);
  }
  options.jobs = call.jobs;
  if (call.survive)
    if (llvm::Error error = parseSurvive(*call.survive, options))
      return reportError(std::move(error));

  Progress progress;
  auto watcher = progress.classes("compiling");
  auto bytes = shapes ? compileClusterBundle(*topology, options,
                                             call.allocations, watcher)
                      : compileBundle(*topology, options, watcher);
  if (!bytes)
    return reportError(makeError("{0}: {1}", call.input.path,
                                 llvm::toString(bytes.takeError())));
  InputFile made{call.input.path, InputKind::bundle, std::move(*bytes)};
  sched::BundleView bundle;
  llvm::Expected<BundleProof> proof = prove(made, bundle, call, progress);
  if (!proof)
    return reportError(proof.takeError());
  if (!call.output.empty())
    if (llvm::Error error = writeFile(call.output, made.text()))
      return reportError(std::move(error));
  progress.say("");
  if (isStandardOutput(call.output))
    return kGood;
  const CompiledBundle report{
      {BundleContents::of(*bundle.index), std::move(*proof)},
      call.options.linkEdits,
      made.bytes.size(),
      call.output,
      watch.seconds()};
  llvm::outs() << (call.json ? toJson(report) : toText(report));
  return kGood;
}
