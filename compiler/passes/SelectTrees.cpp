//===- SelectTrees.cpp - collective-select-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns forests into smaller forests. compiler/packing has the solver.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/FairRate.h"
#include "compiler/packing/grow/GrowByIslands.h"
#include "compiler/packing/grow/GrowForests.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/select/UnsolvedPrograms.h"
#include "compiler/passes/AvoidIncast.h"
#include "compiler/passes/GrowFaster.h"
#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/SelectForLanes.h"
#include "compiler/passes/SelectKept.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_SELECTTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Returns true if growFaster is of no use for grown trees: they enter islands
/// repeatedly, and over many ranks growFaster finds only trees that enter once.
/// Such trees are deeper, or have less of the rate, and take long to time. That
/// is not so if the grown trees are not low, for lack of exits per tree.
bool isKept(const PackingProblem &problem, const Packing &packing) {
  const int numRanks = problem.rankTopology->numRanks();
  const int low = 4 * int(llvm::Log2_32_Ceil(unsigned(numRanks)));
  return numRanks > kMostPatiently &&
         llvm::all_of(
             packing.trees,
             [&](const Tree &tree) { return tree.depth(numRanks) <= low; }) &&
         llvm::none_of(islandsOf(*problem.rankTopology),
                       [&](const Islands &islands) {
                         return entersOnce(problem, islands, packing.trees);
                       });
}

/// Returns what selectTrees or growFaster finds, or what selectKept makes of
/// it.
llvm::Expected<SelectedForest> select(const PackingProblem &problem,
                                      const PackedTrees &packed,
                                      const SelectOptions &options) {
  if (isGrown(problem, packed.packing, options.maxTrees)) {
    if (isKept(problem, packed.packing))
      return SelectedForest{packed.packing};
    llvm::Expected<Packing> grown =
        growFaster(problem, nullptr, packed.packing.algbw, options);
    if (!grown)
      return grown.takeError();
    return SelectedForest{grown->trees.empty() ? packed.packing
                                               : std::move(*grown)};
  }
  llvm::Expected<Packing> selected = selectTrees(problem, packed, options);
  if (!selected)
    return selected.takeError();
  llvm::Expected<Packing> grown =
      growFaster(problem, &*selected, packed.packing.algbw, options);
  if (!grown)
    return grown.takeError();
  if (!grown->trees.empty())
    return SelectedForest{std::move(*grown)};
  // Simulating hundreds of ranks takes minutes, so it is skipped if its result
  // could change nothing.
  if (options.slack == 0 || isFair(problem, *selected) ||
      !hasFairTrees(problem))
    return SelectedForest{std::move(*selected)};
  return selectKept(problem, packed, std::move(*selected), options);
}

/// Like select; if asked to, looks for forests with other peers as well. If
/// these may be more than `from` allows, it is changed.
llvm::Expected<SelectedForest> select(ProblemFromIR &from,
                                      const PackedTrees &packed,
                                      const SelectOptions &options,
                                      bool changesPeers) {
  const PackingProblem &problem = from.problem;
  llvm::Expected<SelectedForest> selected = select(problem, packed, options);
  if (!selected || !changesPeers)
    return selected;
  llvm::Expected<std::optional<Packing>> few =
      avoidIncast(problem, packed, selected->packing, options);
  if (!few)
    return few.takeError();
  if (*few)
    return SelectedForest{std::move(**few)};
  llvm::Expected<Packing> overBoxes = fasterOverBoxes(
      problem, selected->packing, packed.packing.algbw, options);
  if (!overBoxes)
    return overBoxes.takeError();
  if (!overBoxes->trees.empty()) {
    if (llvm::Error error = allowAllPeers(from))
      return error;
    return SelectedForest{std::move(*overBoxes)};
  }
  return selected;
}

/// Returns a selection of trees for medium messages, which gain more from few
/// and low trees than they lose by a lower rate. Returns no trees if selecting
/// them would take long, or if nothing may be lost.
llvm::Expected<Packing> selectMedium(const PackingProblem &problem,
                                     const PackedTrees &packed,
                                     SelectOptions options, double slack) {
  if (options.slack == 0 || slack <= options.slack ||
      !isSoonSelected(problem) ||
      isGrown(problem, packed.packing, options.maxTrees) ||
      (options.keepGoing && !options.keepGoing()))
    return Packing();
  options.slack = slack;
  llvm::Expected<SelectedForest> selected = select(problem, packed, options);
  if (!selected)
    return selected.takeError();
  return std::move(selected->packing);
}

LogicalResult selectFrom(collective::ForestOp forest, SelectOptions options,
                         double mediumSlack, bool changesPeers,
                         ScheduleLimits limits, PeerLimits &peers) {
  if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes())
    return success(); // made for some sizes, not for the rate alone
  auto from = problemFromIR(forest, peers);
  if (failed(from))
    return failure();
  PackedTrees packed = readForest(forest, **from);
  UnsolvedPrograms unsolved;
  options.unsolved = &unsolved;
  llvm::Expected<SelectedForest> selected =
      select(**from, packed, options, changesPeers);
  if (!selected)
    return forest.emitError(toString(selected.takeError()));
  const ScheduleLimits byDefault = defaultLimits((*from)->rankTopology);
  if (limits.maxLanes == 0)
    limits.maxLanes = byDefault.maxLanes;
  if (limits.maxLanes != byDefault.maxLanes ||
      limits.chunkBytes != byDefault.chunkBytes) {
    selected->parts.clear();
    selected = selectForLanes((*from)->problem, std::move(*selected), options,
                              limits, [&](const SelectOptions &other) {
                                return select((*from)->problem, packed, other);
                              });
    if (!selected)
      return forest.emitError(toString(selected.takeError()));
  }
  OpBuilder builder(forest);
  // Between servers, a little of the rate may be enough.
  SmallVector<double> slacks{mediumSlack};
  if (leavesMachine((*from)->rankTopology))
    slacks.push_back(std::min(mediumSlack, kWideSlack));
  std::vector<std::vector<Tree>> known;
  for (const double slack : slacks) {
    llvm::Expected<Packing> medium =
        selectMedium((*from)->problem, packed, options, slack);
    if (!medium)
      return forest.emitError(toString(medium.takeError()));
    if (medium->trees.empty() || llvm::is_contained(known, medium->trees))
      continue;
    auto other = buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                             **from, *medium, packed.certificate, {});
    if (failed(other))
      return failure();
    (*other)->setAttr(collective::kMediumAttr, builder.getUnitAttr());
    known.push_back(std::move(medium->trees));
  }
  auto built = buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                           **from, selected->packing, packed.certificate, {});
  if (failed(built))
    return failure();
  if (!selected->parts.empty())
    (*built)->setAttr(collective::kPartsAttr,
                      builder.getDenseI32ArrayAttr(
                          llvm::to_vector_of<int32_t>(selected->parts)));
  forest.erase();
  return success();
}

struct SelectTrees : impl::SelectTreesPassBase<SelectTrees> {
  using Base::Base;
  SelectTrees(const SelectTreesPassOptions &options,
              const std::function<bool()> &keepGoing)
      : Base(options), keepGoing_(keepGoing) {}

  void runOnOperation() override {
    if (failed(checkSlack(getOperation(), slack)) ||
        failed(checkSlack(getOperation(), mediumSlack)))
      return signalPassFailure();
    if (failed(checkOption(getOperation(), "max-trees", maxTrees, 0,
                           kTreesLimit)) ||
        failed(checkOption(getOperation(), "max-lanes", maxLanes, 0,
                           kLanesLimit)) ||
        failed(checkOption(getOperation(), "chunk-bytes", chunkBytes, 0,
                           kChunkBytesLimit)))
      return signalPassFailure();
    SelectOptions options;
    options.slack = slack;
    options.maxTrees = static_cast<int>(maxTrees);
    options.keepGoing = keepGoing_;
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    auto &peers = getAnalysis<PeerLimits>();
    markAnalysesPreserved<PeerLimits>();
    for (collective::ForestOp forest : forests)
      if (failed(selectFrom(forest, options, mediumSlack, changesPeers,
                            {maxLanes, chunkBytes}, peers)))
        return signalPassFailure();
  }

  std::function<bool()> keepGoing_;
};

} // namespace

std::unique_ptr<Pass>
createSelectTreesPass(const SelectTreesPassOptions &options,
                      const std::function<bool()> &keepGoing) {
  return std::make_unique<SelectTrees>(options, keepGoing);
}

} // namespace blink
