//===- Pipeline.cpp - from a topology to a schedule -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Pipeline.h"

#include "compiler/packing/Packing.h"
#include "compiler/packing/order/Association.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/ForestIR.h"
#include "compiler/target/SettingsIR.h"
#include "compiler/target/TopologyIR.h"
#include "dialect/KnownAttrs.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace blink;

sched::Settings CompileOptions::settings(ArrayRef<int> roots) const {
  sched::Settings settings = {
      {"collective", blink::toString(collective).str()},
      {"gpus", gpus.empty() ? "all" : joinNumbers(gpus)},
      {"root", joinNumbers(roots)}};
  llvm::append_range(settings, commonSettings());
  return settings;
}

sched::Settings CompileOptions::commonSettings() const {
  sched::Settings settings = {
      {"links", blink::toString(links)},
      {"slack", readable(slack)},
      {"max-trees", std::to_string(maxTrees)},
      {"max-lanes", maxLanes == 0 ? "default" : std::to_string(maxLanes)},
      {"chunk-bytes", std::to_string(chunkBytes)},
      {"variants", smallVariant ? "all" : "bandwidth"}};
  if (maxPeers)
    settings.push_back({"max-peers", std::to_string(*maxPeers)});
  if (phases)
    settings.push_back({"phases", "yes"});
  if (order != ReductionOrder::none)
    settings.push_back({"order", blink::toString(order).str()});
  if (accumulate != sched::Accumulation::none)
    settings.push_back({"accumulate", sched::EnumNameAccumulation(accumulate)});
  if (inSwitch)
    settings.push_back({"in-switch", "yes"});
  if (relays)
    settings.push_back({"relays", "yes"});
  if (trees)
    settings.push_back({"trees", trees->fileName});
  if (timeLimit > 0)
    settings.push_back({"time-limit", readable(timeLimit)});
  for (const LinkEdit &edit : linkEdits)
    settings.push_back(
        {edit.limit ? "limit-link" : "without-link", edit.toString()});
  return settings;
}

std::vector<int> CompileOptions::relayGpus(const Topology &topology) const {
  std::vector<int> others;
  int numGpus = static_cast<int>(topology.gpus().size());
  if (relays && !gpus.empty())
    for (int gpu = 0; gpu < numGpus; ++gpu)
      if (!llvm::is_contained(gpus, gpu))
        others.push_back(gpu);
  return others;
}

static constexpr std::pair<Phase, llvm::StringLiteral> kPhases[] = {
    {Phase::request, "request"}, {Phase::forest, "forest"},
    {Phase::folds, "folds"},     {Phase::lanes, "lanes"},
    {Phase::sched, "sched"},
};

std::optional<Phase> blink::parsePhase(llvm::StringRef word) {
  for (auto [phase, name] : kPhases)
    if (name == word)
      return phase;
  return std::nullopt;
}

llvm::StringRef blink::toString(Phase phase) {
  return kPhases[static_cast<int>(phase)].second;
}

std::unique_ptr<MLIRContext> blink::createContext() {
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<collective::CollectiveDialect>();
  context->printOpOnDiagnostic(false);
  return context;
}

static Operation *createRequest(OpBuilder &builder, StringRef topology,
                                const RankTopology &ranks,
                                const CompileOptions &options) {
  // Each request is named after its collective.
  collective::CollectiveKind kind = toIR(options.collective);
  OperationState state(builder.getUnknownLoc(),
                       ("collective." + stringifyCollectiveKind(kind)).str());
  state.addAttribute("topology",
                     FlatSymbolRefAttr::get(builder.getContext(), topology));
  state.addAttribute("gpus", builder.getDenseI32ArrayAttr(ranks.gpus()));
  state.addAttribute("links", toIR(builder.getContext(), options.links));
  if (collective::isRooted(kind))
    state.addAttribute("root", builder.getI32IntegerAttr(options.root));
  if (!ranks.relays().empty())
    state.addAttribute("relays", builder.getDenseI32ArrayAttr(ranks.relays()));
  if (options.maxPeers)
    state.addAttribute(collective::kMaxPeersAttr,
                       builder.getI32IntegerAttr(int(*options.maxPeers)));
  if (options.phases)
    state.addAttribute(collective::kPhasesAttr, builder.getUnitAttr());
  if (options.inSwitch)
    state.addAttribute(collective::kInSwitchAttr, builder.getUnitAttr());
  if (options.order != ReductionOrder::none)
    state.addAttribute(collective::kOrderAttr,
                       builder.getStringAttr(blink::toString(options.order)));
  if (options.accumulate != sched::Accumulation::none)
    state.addAttribute(
        collective::kAccumulateAttr,
        builder.getStringAttr(sched::EnumNameAccumulation(options.accumulate)));
  return builder.create(state);
}

llvm::Expected<OwningOpRef<ModuleOp>>
blink::buildRequest(MLIRContext *context, const Topology &topology,
                    const CompileOptions &options) {
  return buildRequests(context, topology, options, {options.root});
}

llvm::Expected<OwningOpRef<ModuleOp>>
blink::buildRequests(MLIRContext *context, const Topology &machineType,
                     const CompileOptions &asked, ArrayRef<int> roots) {
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(machineType, asked.linkEdits);
  if (!degraded)
    return degraded.takeError();
  const Topology &topology = degraded->topology;
  CompileOptions options = asked;
  options.linkEdits = degraded->edits; // recorded in a fixed order
  llvm::Expected<RankTopology> rankTopology = RankTopology::create(
      topology, options.gpus, options.links, options.relayGpus(topology));
  if (!rankTopology)
    return rankTopology.takeError();
  if (options.maxLanes == 0)
    options.maxLanes = defaultLimits(*rankTopology).maxLanes;
  for (int root : roots) {
    PackingProblem problem{&*rankTopology, options.collective, root};
    if (llvm::Error error = problem.check())
      return error;
  }

  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  setSettings(*module, options.settings(roots));
  builder.setInsertionPointToEnd(module->getBody());
  buildTopology(builder, builder.getUnknownLoc(), topology);
  for (int root : roots) {
    options.root = root;
    createRequest(builder, topology.name, *rankTopology, options);
  }
  return module;
}

static void addTreePasses(OpPassManager &passes, const CompileOptions &options,
                          const SolveWatcher &watcher,
                          const std::function<bool()> &keepGoing) {
  passes.addPass(createPackTreesPass({options.slack}, watcher));
  // The trees of these options are not made for their rate alone.
  const bool changesPeers = !options.maxPeers && !options.phases &&
                            !options.inSwitch &&
                            options.order == ReductionOrder::none;
  constexpr double kMediumSlack = 0.25;
  passes.addPass(createSelectTreesPass(
      {options.slack, options.maxTrees, changesPeers,
       changesPeers && options.smallVariant ? kMediumSlack : 0,
       options.maxLanes, options.chunkBytes},
      keepGoing));
}

static void addSpreadingPasses(OpPassManager &passes,
                               const CompileOptions &options) {
  passes.addPass(createSpreadTreesPass(
      {options.maxLanes, options.maxTrees, options.chunkBytes}));
  if (!options.smallVariant)
    return;
  AddLatencyVariantPassOptions small;
  small.maxLanes = options.maxLanes;
  small.chunkBytes = options.chunkBytes;
  if (options.maxPeers)
    // Boxes would exchange with other peers than the limit allows. A limit that
    // nobody asked for is about large messages.
    small.maxExchangeRanks = 0;
  passes.addPass(createAddLatencyVariantPass(small));
  passes.addPass(
      createAddMediumVariantsPass({options.maxLanes, options.chunkBytes}));
}

/// Runs `passes` and verifies the result. With assertions it is verified after
/// each pass. Otherwise it is verified once, which makes a compilation a
/// quarter faster, or, if `isProved`, not at all, because the last pass has
/// proved the module's bytes.
static LogicalResult run(PassManager &passes, ModuleOp module,
                         bool isProved = false) {
#ifdef NDEBUG
  passes.enableVerifier(false);
  if (failed(passes.run(module)))
    return failure();
  return isProved ? success() : verify(module);
#else
  return passes.run(module);
#endif
}

LogicalResult blink::packForests(ModuleOp module,
                                 const CompileOptions &options) {
  PassManager passes(module->getContext());
  addTreePasses(passes, options, nullptr, nullptr);
  return run(passes, module);
}

LogicalResult blink::spreadForests(ModuleOp module,
                                   const CompileOptions &options) {
  PassManager passes(module->getContext());
  addSpreadingPasses(passes, options);
  return run(passes, module);
}

/// Adds the passes that take IR from the level before `phase` to `phase`.
static void addPasses(OpPassManager &passes, Phase phase,
                      const CompileOptions &options,
                      const SolveWatcher &watcher,
                      const std::function<bool()> &keepGoing) {
  switch (phase) {
  case Phase::forest:
    addTreePasses(passes, options, watcher, keepGoing);
    addSpreadingPasses(passes, options);
    break;
  case Phase::folds:
    passes.addPass(createExpandFoldsPass());
    break;
  case Phase::lanes:
    passes.addPass(createAssignLanesPass({options.maxLanes}));
    passes.addPass(createTuneRangesPass({options.chunkBytes}));
    passes.addPass(createTuneChunksPass({options.chunkBytes}));
    passes.addPass(createEstimateTimesPass());
    passes.addPass(createVerifySchedulePass());
    break;
  case Phase::request:
  case Phase::sched:
    break;
  }
}

/// Returns `options` with the choices that the requests of `module` contain.
/// For the request of a topology this changes nothing; for one that was read
/// as IR, trees must keep to the request even so.
static CompileOptions withRequested(ModuleOp module, CompileOptions options) {
  for (auto request : module.getOps<collective::RequestOpInterface>()) {
    if (auto most =
            request->getAttrOfType<IntegerAttr>(collective::kMaxPeersAttr))
      options.maxPeers = unsigned(most.getInt());
    if (auto order = request->getAttrOfType<StringAttr>(collective::kOrderAttr))
      options.order =
          parseReductionOrder(order.getValue()).value_or(options.order);
    options.phases |= request->hasAttr(collective::kPhasesAttr);
    options.inSwitch |= request->hasAttr(collective::kInSwitchAttr);
  }
  return options;
}

LogicalResult blink::runPipeline(
    ModuleOp module, const CompileOptions &given, Phase last,
    const SolveWatcher &watcher,
    const std::function<llvm::Error(Phase, ModuleOp)> &afterPhase) {
  const CompileOptions options = withRequested(module, given);
  // During the selection the watcher sees the status with which the packing
  // ended.
  SolveStatus packed;
  SolveWatcher noting = [&](const SolveStatus &status) {
    packed = status;
    return !watcher || watcher(status);
  };
  auto keepGoing = [&] { return !watcher || watcher(packed); };
  bool requested = !module.getOps<collective::RequestOpInterface>().empty();
  for (auto [phase, name] : kPhases) {
    if (phase > last || phase == Phase::sched)
      break;
    if (phase == Phase::forest && !requested)
      continue; // a forest written by a user stays as it is
    PassManager passes(module->getContext());
    addPasses(passes, phase, options, noting, keepGoing);
    if (failed(run(passes, module, /*isProved=*/phase == Phase::lanes)))
      return failure();
    if (llvm::Error error = afterPhase(phase, module))
      return emitError(UnknownLoc::get(module->getContext()),
                       llvm::toString(std::move(error)));
  }
  return success();
}
