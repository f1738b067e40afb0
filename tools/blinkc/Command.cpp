//===- Command.cpp - what blinkc's subcommands share ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"

#include "tools/blinkc/Progress.h"

#include "compiler/driver/OutputFile.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/target/ImportSchedule.h"
#include "compiler/topology/TopologyReader.h"
#include "schedules/ScheduleFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace blink;

void RequestFlags::addTo(CLI::App &command) {
  command
      .add_option("-c,--collective", collective,
                  "allreduce, broadcast, reduce, allgather, reducescatter, "
                  "gather, scatter or alltoall")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("-g,--gpus", gpus,
                  "The GPUs the job gets, e.g. 1,4,5,6; the first is rank 0. "
                  "Default: all of the machine")
      ->delimiter(',')
      ->type_name("LIST");
  command
      .add_option("-r,--root", root,
                  "Root of a broadcast, reduce, gather or scatter: a "
                  "rank, 0 to n-1")
      ->type_name("RANK")
      ->capture_default_str();
  command
      .add_option("-l,--links", links,
                  "Kinds of link to use: all, or a list of nvlink, pcie, host, "
                  "c2c, xgmi, network")
      ->type_name("KINDS")
      ->capture_default_str();
  command.add_flag("--relays", relays,
                   "GPUs of the machine that are not in --gpus forward data; "
                   "they run a program, too, but give and take nothing");
  command
      .add_option("--without-link", withoutLinks,
                  "The machine as it is today: no link is left between these "
                  "two nodes, either way, e.g. gpu0:gpu3. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B");
  command
      .add_option("--limit-link", limitLinks,
                  "The links between these two nodes together have only so "
                  "many GB/s left, each way. When one of two NVLinks died, "
                  "half of what both had: gpu0:gpu3=25. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B=GBPS");
}

llvm::Expected<CompileOptions> RequestFlags::options() const {
  CompileOptions options;
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "--collective: no collective '%s'; expected allreduce, broadcast, "
        "reduce, allgather, reducescatter, gather, scatter or alltoall",
        collective.c_str());
  options.collective = *parsed;
  options.gpus = gpus;
  options.root = root;
  options.relays = relays;
  llvm::Expected<LinkKindSet> kinds = parseLinkKinds(links);
  if (!kinds)
    return llvm::createStringError(std::errc::invalid_argument, "--links: %s",
                                   llvm::toString(kinds.takeError()).c_str());
  options.links = *kinds;
  for (const std::string &ends : withoutLinks)
    options.linkEdits.push_back({ends, std::nullopt, "--without-link " + ends});
  for (const std::string &text : limitLinks) {
    llvm::Expected<LinkEdit> edit =
        parseLinkLimit(text, "--limit-link " + text);
    if (!edit)
      return edit.takeError();
    options.linkEdits.push_back(std::move(*edit));
  }
  return options;
}

int blink::reportError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!llvm::StringRef(text).contains(": error: "))
    llvm::errs() << "blinkc: error: ";
  llvm::errs() << text << "\n";
  return kBadCall;
}

static mlir::OwningOpRef<mlir::ModuleOp>
buildInput(mlir::MLIRContext *context, const InputFile &file,
           const CompileOptions &options, llvm::SourceMgr &sources) {
  switch (file.kind) {
  case InputKind::topology: {
    llvm::Expected<Topology> topology = parseTopology(file.text(), file.path);
    if (!topology) {
      reportError(topology.takeError());
      return nullptr;
    }
    auto module = buildRequest(context, *topology, options);
    if (!module) {
      std::string reason = llvm::toString(module.takeError());
      reportError(llvm::createStringError(std::errc::invalid_argument, "%s: %s",
                                          file.path.c_str(), reason.c_str()));
      return nullptr;
    }
    return std::move(*module);
  }
  case InputKind::ir:
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(file.text(), file.path),
        llvm::SMLoc());
    return mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
  case InputKind::schedule: {
    llvm::Expected<const sched::Schedule *> schedule = openSchedule(file);
    if (!schedule) {
      reportError(schedule.takeError());
      return nullptr;
    }
    return importSchedule(context, **schedule);
  }
  case InputKind::bundle:
    reportError(refuseBundle(file));
    return nullptr;
  }
  llvm_unreachable("enum outside its cases");
}

static llvm::Error dumpPhase(llvm::StringRef directory, Phase phase,
                             mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  std::string path = llvm::formatv("{0}/{1}-{2}.mlir", directory,
                                   static_cast<int>(phase) + 1, toString(phase))
                         .str();
  return writeFile(path, text);
}

mlir::OwningOpRef<mlir::ModuleOp>
blink::compileInput(mlir::MLIRContext *context, const InputFile &file,
                    const CompileOptions &options, Phase last,
                    const std::string &dumpDirectory) {
  llvm::SourceMgr sources;
  std::optional<mlir::SourceMgrDiagnosticHandler> placed;
  std::optional<mlir::ScopedDiagnosticHandler> plain;
  // IR has places to point at; errors on what came from a topology have none.
  if (file.kind == InputKind::ir)
    placed.emplace(sources, context);
  else
    plain.emplace(context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        llvm::errs() << "blinkc: error: " << file.path << ": "
                     << diagnostic.str() << "\n";
    });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildInput(context, file, options, sources);
  if (!module)
    return nullptr;
  if (!dumpDirectory.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(dumpDirectory)) {
      reportError(llvm::createStringError(error, "%s: cannot create: %s",
                                          dumpDirectory.c_str(),
                                          error.message().c_str()));
      return nullptr;
    }
  Progress progress(options.timeLimit);
  auto afterPhase = [&](Phase phase, mlir::ModuleOp ir) {
    if (phase == Phase::forest)
      progress.say("making folds");
    else if (phase == Phase::folds)
      progress.say("assigning lanes, verifying");
    return dumpDirectory.empty() ? llvm::Error::success()
                                 : dumpPhase(dumpDirectory, phase, ir);
  };
  bool failed = mlir::failed(
      runPipeline(*module, options, last, progress.watcher(), afterPhase));
  if (progress.stopped())
    llvm::errs() << "blinkc: note: " << file.path
                 << ": the time limit ended the search; the rate may be below "
                    "what is possible\n";
  if (failed)
    return nullptr;
  return module;
}

llvm::Error blink::refuseBundle(const InputFile &file) {
  return llvm::createStringError(
      std::errc::invalid_argument,
      "%s: is a bundle, of schedules for many allocations; take one out with: "
      "blinkc extract %s -g GPUS -c COLLECTIVE -o FILE.sched",
      file.path.c_str(), file.path.c_str());
}

llvm::Expected<InputFile> blink::readSchedule(llvm::StringRef path,
                                              bool orBundle) {
  llvm::Expected<InputFile> file = readInput(path);
  if (!file || file->kind == InputKind::schedule ||
      (orBundle && file->kind == InputKind::bundle))
    return file;
  if (file->kind == InputKind::bundle)
    return refuseBundle(*file);
  return llvm::createStringError(
      std::errc::invalid_argument,
      "%s: is no schedule; make one with: blinkc compile %s -o FILE.sched",
      file->path.c_str(), file->path.c_str());
}

llvm::Expected<InputFile> blink::readOrCompile(llvm::StringRef path,
                                               const CompileOptions &options) {
  llvm::Expected<InputFile> file = readInput(path);
  if (!file)
    return file;
  // Elsewhere what is asked for is said already; to leave out that a link is
  // gone would be an answer about another machine.
  if (file->kind != InputKind::topology && !options.linkEdits.empty())
    return llvm::createStringError(
        std::errc::invalid_argument,
        "%s: %s is no topology: its links are those it was made for; give the "
        "topology instead",
        options.linkEdits.front().place.c_str(), file->path.c_str());
  if (file->kind == InputKind::schedule)
    return file;
  if (file->kind == InputKind::bundle) {
    JobFlags job;
    job.collective = toString(options.collective).str();
    job.gpus = options.gpus;
    job.root = options.root;
    return extractSchedule(*file, job);
  }
  auto refused = [] {
    return llvm::createStringError(std::errc::invalid_argument,
                                   "no schedule could be compiled");
  };
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  auto module = compileInput(context.get(), *file, options, Phase::sched, "");
  if (!module)
    return refused();
  auto bytes = exportSchedule(*module);
  if (failed(bytes))
    return refused();
  return InputFile{file->path, InputKind::schedule, std::move(*bytes)};
}

llvm::Expected<const sched::Schedule *>
blink::writeSchedule(const std::string &path,
                     const std::vector<uint8_t> &bytes) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  if (!path.empty())
    if (llvm::Error error = writeFile(path, text))
      return error;
  if (path == "-")
    return nullptr;
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  if (!file)
    return llvm::createStringError(std::errc::invalid_argument, "%s: %s",
                                   path.c_str(), error.c_str());
  return file;
}

nlohmann::ordered_json blink::jsonRate(double gbps) {
  if (std::isinf(gbps))
    return nullptr;
  return gbps;
}

nlohmann::ordered_json blink::jsonSummary(const Summary &summary) {
  nlohmann::ordered_json json;
  json["topology"] = summary.topology;
  json["collective"] = toString(summary.collective).str();
  json["gpus"] = summary.gpus;
  if (summary.root)
    json["root"] = *summary.root;
  json["ranks"] = summary.gpus.size();
  json["algbw_gbps"] = jsonRate(summary.algbw);
  json["bound_gbps"] = jsonRate(summary.bound);
  json["percent_of_bound"] = summary.percentOfBound();
  json["trees"] = summary.trees;
  json["depth"] = summary.depth;
  json["latency_us"] = summary.latency;
  json["lanes"] = summary.lanes;
  json["variants"] = nlohmann::ordered_json::array();
  for (const VariantSummary &variant : summary.variants) {
    nlohmann::ordered_json entry;
    entry["min_bytes"] = variant.minBytes;
    entry["max_bytes"] = nullptr;
    if (variant.hasLimit())
      entry["max_bytes"] = variant.maxBytes;
    entry["protocol"] = sched::EnumNameProtocol(variant.protocol);
    entry["trees"] = variant.trees;
    entry["depth"] = variant.depth;
    entry["hops"] = variant.hops;
    entry["latency_us"] = variant.latency;
    entry["start_us"] = variant.start;
    entry["lanes"] = variant.lanes;
    entry["channels"] = variant.channels;
    entry["chunk_bytes"] = variant.chunkBytes;
    json["variants"].push_back(entry);
  }
  return json;
}

std::string blink::linkEditsLine(const std::vector<LinkEdit> &edits) {
  if (edits.empty())
    return "";
  return "  links   " + describeEdits(edits) + "\n";
}

void blink::addLinkEdits(nlohmann::ordered_json &json,
                         const std::vector<LinkEdit> &edits) {
  if (edits.empty())
    return;
  auto without = nlohmann::ordered_json::array(), limited = without;
  for (const LinkEdit &edit : edits)
    if (edit.limit)
      limited.push_back({{"ends", edit.ends}, {"limit_gbps", *edit.limit}});
    else
      without.push_back(edit.ends);
  json["without_links"] = without;
  json["limited_links"] = limited;
}

std::string blink::title(const Summary &summary) {
  return llvm::formatv("{0} on {1}, {2} {3}",
                       formatCollective(summary.collective, summary.root),
                       summary.topology,
                       summary.gpus.size() == 1 ? "GPU" : "GPUs",
                       summary.gpuList())
      .str();
}
