//===- ClassCompiler.cpp - schedules of one allocation --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ClassCompiler.h"

#include "compiler/packing/Packing.h"
#include "compiler/packing/lp/Glpk.h"
#include "compiler/support/Error.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/target/MirrorForests.h"
#include "compiler/target/SettingsIR.h"
#include "compiler/topology/fabric/DrivableLinks.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace blink;

ClassCompiler::ClassCompiler(const Topology &topology,
                             const CompileOptions &options,
                             std::vector<int> roots)
    : topology_(topology), options_(options), roots_(std::move(roots)),
      context_(createContext()) {
  context_->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors_ += (errors_.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
}

llvm::Expected<std::unique_ptr<ClassCompiler>>
ClassCompiler::create(const Topology &topology, const CompileOptions &options,
                      std::vector<int> roots) {
  std::unique_ptr<ClassCompiler> compiler(
      new ClassCompiler(topology, options, std::move(roots)));
  if (llvm::Error error = compiler->findLinks())
    return error;
  return compiler;
}

llvm::Error ClassCompiler::findLinks() {
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(topology_, options_.linkEdits);
  if (!degraded)
    return degraded.takeError();
  degraded_ = std::move(degraded->topology);
  llvm::Expected<RankTopology> machine =
      RankTopology::create(degraded_, {}, options_.links);
  if (!machine)
    return machine.takeError();
  reverse_ = reverseLinks(degraded_);
  onPaths_.assign(degraded_.links.size(), false);
  DrivableLinks drivable(*machine);
  for (int link : drivable.among(options_.gpus))
    onPaths_[link] = true;
  return llvm::Error::success();
}

ClassCompiler::~ClassCompiler() { releaseGlpk(); }

std::vector<int> ClassCompiler::rootsOf(Collective collective) const {
  return isRooted(collective) ? roots_ : std::vector<int>{0};
}

CompileOptions ClassCompiler::optionsFor(Collective collective) const {
  CompileOptions options = options_;
  options.collective = collective;
  if (!traitsOf(collective).reduces) {
    options.order = ReductionOrder::none;
    options.accumulate = sched::Accumulation::none;
  }
  return options;
}

llvm::Error ClassCompiler::failure() {
  const std::string text = std::exchange(errors_, "");
  return makeError(text.empty() ? "a pass failed" : text);
}

llvm::Error ClassCompiler::run(ModuleOp module, const CompileOptions &options,
                               Phase last) {
  auto nothing = [](Phase, ModuleOp) { return llvm::Error::success(); };
  if (failed(runPipeline(module, options, last, nullptr, nothing)))
    return failure();
  return llvm::Error::success();
}

void ClassCompiler::dropPrices(ModuleOp module) const {
  for (auto forest : module.getOps<collective::ForestOp>()) {
    std::vector<double> prices = forest.getPrices().vec();
    double kept = 0, all = 0;
    for (auto [link, price] : llvm::enumerate(prices)) {
      double worth = price * degraded_.links[link].bandwidth;
      all += worth;
      if (onPaths_[link])
        kept += worth;
      else
        price = 0;
    }
    if (kept == all)
      continue;
    // No tree got cheaper, because no tree uses a link off the paths.
    double bound = forest.getBound().convertToDouble();
    forest.setBound(llvm::APFloat(bound * (kept / all)));
    forest.setPrices(prices);
  }
}

/// Returns the packed forests of a collective. They are kept because the bundle
/// may hold the mirrored collective, too.
llvm::Expected<ModuleOp> ClassCompiler::forestOf(Collective collective) {
  OwningOpRef<ModuleOp> &forest = forests_[collective];
  if (forest)
    return *forest;
  CompileOptions options = optionsFor(collective);
  auto module =
      buildRequests(context_.get(), topology_, options, rootsOf(collective));
  if (!module)
    return module.takeError();
  if (failed(packForests(**module, options)))
    return failure();
  dropPrices(**module);
  forest = std::move(*module);
  return *forest;
}

llvm::Expected<std::vector<uint8_t>>
ClassCompiler::compile(Collective collective) {
  const std::optional<Collective> mirror = traitsOf(collective).mirror;
  CompileOptions options = optionsFor(collective);
  // A mirrored tree adds in another order.
  bool mirrored = mirror && reverse_ && options.order == ReductionOrder::none;
  llvm::Expected<ModuleOp> forest = forestOf(mirrored ? *mirror : collective);
  if (!forest)
    return forest.takeError();
  OwningOpRef<ModuleOp> module =
      mirrored ? mirrorForests(*forest, collective, *reverse_)
               : OwningOpRef<ModuleOp>(forest->clone());
  if (mirrored) {
    setSettings(*module, options.settings(rootsOf(collective)));
    // The mirrored collective adds nothing, so its options had no accumulation.
    if (options.accumulate != sched::Accumulation::none)
      for (auto forest : module->getOps<collective::ForestOp>())
        forest.setAccumulate(toIR(options.accumulate));
  }
  if (failed(spreadForests(*module, options)))
    return failure();
  if (llvm::Error error = run(*module, options, Phase::sched))
    return error;
  FailureOr<std::vector<uint8_t>> bytes = exportSchedule(*module);
  if (failed(bytes))
    return failure();
  return std::move(*bytes);
}
