//===- ForestIR.cpp - packing problems and forests in IR ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ForestIR.h"

#include "compiler/packing/Boxes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/support/Error.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/SymmetryIR.h"
#include "dialect/KnownAttrs.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>

using namespace mlir;
using namespace blink;

FailureOr<std::unique_ptr<ProblemFromIR>>
blink::problemFromIR(Operation *op, collective::CollectiveKind collective,
                     FlatSymbolRefAttr topology, ArrayRef<int32_t> gpus,
                     DenseI32ArrayAttr relays, collective::LinkKindsAttr links,
                     int32_t root) {
  SymbolTableCollection symbols;
  auto topologyOp = collective::lookupTopology(op, symbols, topology);
  if (!topologyOp)
    return failure();
  TopologyFromIR machine(topologyOp);
  llvm::Expected<RankTopology> rankTopology = RankTopology::create(
      machine.topology, gpus.vec(), fromIR(links),
      relays ? relays.asArrayRef().vec() : std::vector<int>());
  if (!rankTopology)
    return op->emitError(toString(rankTopology.takeError()));
  std::unique_ptr<ProblemFromIR> result(
      new ProblemFromIR{std::move(machine), std::move(*rankTopology)});
  result->problem = {&result->rankTopology, fromIR(collective), root};
  return result;
}

llvm::Error blink::limitPeers(ProblemFromIR &from, int most,
                              PeerLimits &limits) {
  llvm::Expected<RankTopology> limited = limits.limit(from.rankTopology, most);
  if (!limited)
    return limited.takeError();
  from.rankTopology = std::move(*limited);
  from.maxPeers = most;
  return llvm::Error::success();
}

llvm::Error blink::allowAllPeers(ProblemFromIR &from) {
  llvm::Expected<RankTopology> all = withAllPairs(from.rankTopology);
  if (!all)
    return all.takeError();
  from.rankTopology = std::move(*all);
  from.maxPeers = 0;
  return llvm::Error::success();
}

llvm::Error blink::askForPhases(ProblemFromIR &from) {
  const Collective collective = from.problem.collective;
  if (isRouted(collective))
    return makeError("--phases: nothing is added or copied on the way of {0}, "
                     "so one rank a server would only carry more; leave "
                     "--phases out",
                     toString(collective));
  if (!from.rankTopology.relays().empty())
    return makeError("--phases cannot be combined with --relays; leave one of "
                     "them out");
  from.rankTopology = from.rankTopology.withPhases();
  from.phases = true;
  if (from.rankTopology.numServers() < 2)
    return makeError("--phases: all ranks are on one server, where there is "
                     "nothing to exchange; leave --phases out");
  return llvm::Error::success();
}

llvm::Error blink::askForOrder(ProblemFromIR &from, Parentheses parentheses) {
  const Collective collective = from.problem.collective;
  if (!sched::traitsOf(collective).reduces)
    return makeError("{0} adds nothing, and so in no order",
                     toString(collective));
  from.rankTopology = from.rankTopology.withForwarding();
  from.problem.switches.clear(); // switches add in no fixed order
  from.association.emplace(parentheses, from.rankTopology.numRanks());
  from.problem.association = &*from.association;
  return llvm::Error::success();
}

void blink::askForSwitches(ProblemFromIR &from) {
  if (!isRouted(from.problem.collective))
    from.problem.switches = switchStars(from.rankTopology);
}

FailureOr<std::unique_ptr<ProblemFromIR>>
blink::problemFromIR(collective::ForestOp forest, PeerLimits &limits) {
  auto from =
      problemFromIR(forest, forest.getCollective(), forest.getTopologyAttr(),
                    forest.getGpus(), forest.getRelaysAttr(), forest.getLinks(),
                    forest.getRoot().value_or(0));
  if (succeeded(from) && forest->hasAttr(collective::kPhasesAttr))
    if (llvm::Error error = askForPhases(**from))
      return forest.emitError(toString(std::move(error)));
  if (succeeded(from) && forest->hasAttr(collective::kInSwitchAttr))
    askForSwitches(**from);
  if (succeeded(from) && forest.getSums())
    if (llvm::Error error = askForOrder(**from, fromIR(*forest.getSums())))
      return forest.emitError(toString(std::move(error)));
  if (succeeded(from) && forest.getAccumulate())
    (*from)->accumulate = fromIR(*forest.getAccumulate());
  if (succeeded(from)) {
    auto symmetry =
        symmetryFromIR(forest, forest.getSymmetry(), (*from)->rankTopology);
    if (failed(symmetry))
      return failure();
    (*from)->symmetry = std::move(*symmetry);
    // All variants in symmetric form have one symmetry. An allreduce has only
    // one such variant, since others have single trees.
    const RankTopology &ranks = (*from)->rankTopology;
    if (numBlocks((*from)->problem.collective, ranks.numRanks()) > 1)
      (*from)->problem.symmetry = (*from)->symmetry;
  }
  auto most = forest->getAttrOfType<IntegerAttr>(collective::kMaxPeersAttr);
  if (failed(from) || !most || most.getInt() <= 0)
    return from;
  if (llvm::Error error =
          limitPeers(**from, static_cast<int>(most.getInt()), limits))
    return forest.emitError(toString(std::move(error)));
  return from;
}

static ArrayAttr edgesAttr(OpBuilder &builder, const TopologyFromIR &machine,
                           const std::vector<TreeEdge> &edges) {
  SmallVector<Attribute> list;
  for (const TreeEdge &edge : edges)
    list.push_back(collective::EdgeAttr::get(
        builder.getContext(), edge.from, edge.to, machine.names(edge.path)));
  return builder.getArrayAttr(list);
}

static std::vector<TreeEdge> readEdges(ArrayAttr edges,
                                       const TopologyFromIR &machine) {
  std::vector<TreeEdge> list;
  for (auto edge : edges.getAsRange<collective::EdgeAttr>())
    list.push_back(
        {edge.getFrom(), edge.getTo(), machine.path(edge.getPath())});
  return list;
}

namespace {
/// A tree with its share in the IR.
struct SharedTree {
  const Tree *tree;
  uint32_t numerator;
  uint32_t denominator;
};
} // namespace

FailureOr<collective::ForestOp>
blink::buildForest(OpBuilder &builder, Location loc, FlatSymbolRefAttr topology,
                   const ProblemFromIR &from, const Packing &packing,
                   const PackingCertificate &certificate,
                   ArrayRef<Tree> candidates) {
  const PackingProblem &problem = from.problem;
  llvm::Expected<Shares> shares = exactShares(problem, packing);
  if (!shares)
    return emitError(loc, toString(shares.takeError()));

  collective::CollectiveKind kind = toIR(problem.collective);
  std::optional<int32_t> root;
  if (isRooted(problem.collective))
    root = problem.root;
  auto forest = builder.create<collective::ForestOp>(
      loc, kind, topology, from.rankTopology.gpus(),
      toIR(builder.getContext(), from.rankTopology.linkKinds()), root,
      rateOfShares(problem, packing, *shares), certificate.bound,
      certificate.prices);
  if (!from.rankTopology.relays().empty())
    forest.setRelaysAttr(
        builder.getDenseI32ArrayAttr(from.rankTopology.relays()));

  if (from.maxPeers > 0)
    forest->setAttr(collective::kMaxPeersAttr,
                    builder.getI32IntegerAttr(from.maxPeers));

  if (from.association)
    forest.setSums(toIR(from.association->parentheses()));

  if (from.accumulate != sched::Accumulation::none)
    forest.setAccumulate(toIR(from.accumulate));

  if (from.phases)
    forest->setAttr(collective::kPhasesAttr, builder.getUnitAttr());

  if (ArrayAttr symmetry =
          symmetryToIR(builder.getContext(), packing.symmetry.get()))
    forest.setSymmetryAttr(symmetry);

  if (!problem.switches.empty())
    forest->setAttr(collective::kInSwitchAttr, builder.getUnitAttr());

  std::vector<SharedTree> trees;
  for (size_t i = 0; i < packing.trees.size(); ++i)
    trees.push_back(
        {&packing.trees[i], shares->numerators[i], shares->denominators[i]});
  for (const Tree &candidate : candidates)
    trees.push_back({&candidate, 0, 1});
  bool blocks = numBlocks(problem.collective, from.rankTopology.numRanks()) > 1;
  if (blocks) // the trees of a block are consecutive
    llvm::stable_sort(trees, [](const SharedTree &a, const SharedTree &b) {
      return a.tree->root < b.tree->root;
    });

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&forest.getBody().front());
  for (auto [i, shared] : llvm::enumerate(trees))
    builder.create<collective::TreeOp>(
        loc, "t" + std::to_string(i), shared.tree->root,
        blocks ? shared.tree->root : 0, int64_t(shared.numerator),
        int64_t(shared.denominator),
        edgesAttr(builder, from.machine, shared.tree->up),
        edgesAttr(builder, from.machine, shared.tree->down),
        switchUseToIR(builder.getContext(), shared.tree->switchUse,
                      from.machine));
  return forest;
}

static Tree readTree(collective::TreeOp op, const TopologyFromIR &machine) {
  Tree tree;
  tree.root = op.getRoot();
  tree.up = readEdges(op.getUp(), machine);
  tree.down = readEdges(op.getDown(), machine);
  tree.switchUse = switchUseFromIR(op.getSwitchUse(), machine);
  return tree;
}

PackedTrees blink::readForest(collective::ForestOp forest,
                              const ProblemFromIR &from) {
  PackedTrees packed;
  int numRanks = from.rankTopology.numRanks();
  double algbw = forest.getAlgbw().convertToDouble();
  double blockRate = algbw / blocksOfBuffer(from.problem.collective, numRanks);
  packed.packing.algbw = algbw;
  packed.packing.symmetry = from.symmetry;
  packed.certificate.prices = forest.getPrices().vec();
  packed.certificate.bound = forest.getBound().convertToDouble();
  for (auto op : forest.getBody().getOps<collective::TreeOp>()) {
    Tree tree = readTree(op, from.machine);
    packed.candidates.push_back(tree);
    if (op.getNumerator() == 0)
      continue;
    tree.weight =
        blockRate * double(op.getNumerator()) / double(op.getDenominator());
    packed.packing.trees.push_back(std::move(tree));
  }
  return packed;
}

/// Returns the tree ops of nonzero share, in the order of readForest.
static SmallVector<collective::TreeOp>
packedTrees(collective::ForestOp forest) {
  return llvm::to_vector(llvm::make_filter_range(
      forest.getBody().getOps<collective::TreeOp>(),
      [](collective::TreeOp tree) { return tree.getNumerator() != 0; }));
}

Shares blink::readShares(collective::ForestOp forest) {
  Shares shares;
  for (collective::TreeOp tree : packedTrees(forest)) {
    shares.numerators.push_back(uint32_t(tree.getNumerator()));
    shares.denominators.push_back(uint32_t(tree.getDenominator()));
  }
  return shares;
}

std::vector<std::string> blink::readNames(collective::ForestOp forest) {
  std::vector<std::string> names;
  for (collective::TreeOp tree : packedTrees(forest))
    names.push_back(tree.getSymName().str());
  return names;
}

namespace {
/// The trees of one block, all with the same denominator.
struct TreesOfBlock {
  std::vector<collective::TreeOp> trees;
  std::vector<uint32_t> numerators;
  std::vector<unsigned> parts;
};
} // namespace

static void splitBlock(TreesOfBlock &block) {
  SpreadShares shares =
      spreadShares(block.numerators,
                   uint32_t(block.trees.front().getDenominator()), block.parts);
  for (auto [tree, numerators] :
       llvm::zip_equal(block.trees, shares.numerators)) {
    OpBuilder builder(tree);
    for (uint32_t numerator : numerators) {
      auto part = cast<collective::TreeOp>(builder.clone(*tree));
      part.setNumerator(numerator);
      part.setDenominator(shares.denominator);
    }
    tree.erase();
  }
}

void blink::splitTrees(collective::ForestOp forest, ArrayRef<unsigned> parts) {
  llvm::MapVector<int64_t, TreesOfBlock> blocks;
  for (auto [tree, count] : llvm::zip_equal(packedTrees(forest), parts)) {
    TreesOfBlock &block = blocks[tree.getBlock()];
    block.trees.push_back(tree);
    block.numerators.push_back(uint32_t(tree.getNumerator()));
    block.parts.push_back(count);
  }
  for (auto &[number, block] : blocks)
    splitBlock(block);
  for (auto [i, tree] :
       llvm::enumerate(forest.getBody().getOps<collective::TreeOp>()))
    tree.setSymName("t" + std::to_string(i));
}
