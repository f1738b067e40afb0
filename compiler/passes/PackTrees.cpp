//===- PackTrees.cpp - collective-pack-trees ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns requests into optimal forests. compiler/packing has the solver.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FewPeers.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/order/PackInOrder.h"
#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/support/Error.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"

#include <cmath>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_PACKTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

bool sameEdges(const std::vector<TreeEdge> &a, const std::vector<TreeEdge> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TreeEdge &x, const TreeEdge &y) {
                      return x.from == y.from && x.to == y.to &&
                             x.path == y.path;
                    });
}

/// Returns the candidates that the optimum does not use.
std::vector<Tree> unused(const PackedTrees &packed) {
  std::vector<Tree> rest;
  for (const Tree &tree : packed.candidates)
    if (llvm::none_of(packed.packing.trees, [&](const Tree &used) {
          return used.root == tree.root && sameEdges(used.up, tree.up) &&
                 sameEdges(used.down, tree.down);
        }))
      rest.push_back(tree);
  return rest;
}

/// The most trees for each root of an optimum of which selection keeps one or
/// two.
constexpr int kFewTrees = 8;

FailureOr<std::unique_ptr<ProblemFromIR>>
problemOf(collective::RequestOpInterface request) {
  return problemFromIR(request, request.getCollective(),
                       request.getTopologyAttr(), request.getGpus(),
                       request.getRelaysAttr(), request.getLinks(),
                       request.getRootRank());
}

/// The problem with few peers and its optimum; without a problem if it was not
/// tried.
struct FewPeers {
  std::unique_ptr<ProblemFromIR> from;
  PackedTrees packed;
  bool isProved = false; ///< accepted; packed.certificate covers all peers
};

/// Packs again with few peers for each rank: as many as were asked for, or by
/// default as many as lose nothing. By default it does nothing if trees are so
/// few that peers are few anyway. A bound on all packings bounds these, too, so
/// the certificate is kept. `tried` is one of the problems, packed already.
llvm::Error packWithFewPeers(collective::RequestOpInterface request,
                             const SolveWatcher &watcher, PeerLimits &limits,
                             FewPeers tried,
                             std::unique_ptr<ProblemFromIR> &from,
                             PackedTrees &packed) {
  const RankTopology &machine = from->rankTopology;
  auto asked = request->getAttrOfType<IntegerAttr>(collective::kMaxPeersAttr);
  if (asked && asked.getInt() > 0 && isPairwise(from->problem.collective))
    return makeError("--max-peers: a sendrecv is between any two ranks; leave "
                     "--max-peers out");
  if (asked && asked.getInt() > 0 && !machine.relays().empty())
    return makeError("--max-peers cannot be combined with --relays");
  if (isPairwise(from->problem.collective) || !machine.relays().empty() ||
      (!asked && (isRouted(from->problem.collective) ||
                  machine.numRanks() <= kMostUnlimited ||
                  isGrown(from->problem, packed.packing, /*maxTrees=*/0))))
    return llvm::Error::success();
  const NetworkPeers peers = networkPeers(machine);
  // Without a network, connections are costly only if there are many trees.
  if (!asked && !peers.overNics &&
      packed.packing.numTrees() <= kFewTrees * machine.numRanks())
    return llvm::Error::success();
  const std::vector<int> allowed =
      asked ? std::vector<int>{static_cast<int>(asked.getInt())}
            : fewPeers(peers);
  for (int most : allowed) {
    if (most <= 0 || most >= peers.all)
      break;
    FewPeers few;
    if (tried.from && tried.from->maxPeers == most) {
      few = std::move(tried);
    } else {
      auto limited = problemOf(request);
      if (failed(limited))
        return llvm::createStringError("no problem");
      if (llvm::Error error = limitPeers(**limited, most, limits)) {
        if (asked)
          return error;
        llvm::consumeError(std::move(error));
        continue;
      }
      auto trees = packTrees((*limited)->problem, watcher);
      if (!trees)
        return trees.takeError();
      few = {std::move(*limited), std::move(*trees)};
    }
    if (!asked && few.packed.packing.algbw < packed.packing.algbw * kSameRate)
      continue;
    few.packed.certificate = std::move(packed.certificate);
    packed = std::move(few.packed);
    from = std::move(few.from);
    break;
  }
  return llvm::Error::success();
}

/// Packs for few peers first if the job has so many ranks that peers are
/// limited. If the prices prove that no packing, whatever its peers, is faster,
/// the far larger problem of all peers need not be solved. Otherwise returns a
/// result that is not proved, or an empty one, which is not an error.
FewPeers packFewPeersFirst(collective::RequestOpInterface request,
                           const SolveWatcher &watcher, PeerLimits &limits,
                           const ProblemFromIR &from) {
  const RankTopology &machine = from.rankTopology;
  const Collective collective = from.problem.collective;
  // With this many ranks peers must be few, whatever that costs, because all
  // pairs are too many for a table.
  const bool mustBeFew = machine.numRanks() > RankTopology::kMostPaired;
  auto asked = request->getAttrOfType<IntegerAttr>(collective::kMaxPeersAttr);
  if ((asked && (!mustBeFew || asked.getInt() == 0)) ||
      request->hasAttr(collective::kPhasesAttr) || isPairwise(collective) ||
      isRouted(collective) || isRooted(collective) ||
      !machine.relays().empty() || machine.numRanks() <= kMostUnlimited)
    return {};
  const NetworkPeers peers = networkPeers(machine);
  const int most = asked ? int(asked.getInt()) : fewPeers(peers).front();
  if (most >= peers.all || (!peers.overNics && machine.numRanks() <= kSoon))
    return {};
  auto limited = problemOf(request);
  if (failed(limited))
    return {};
  if (llvm::Error error = limitPeers(**limited, most, limits)) {
    llvm::consumeError(std::move(error));
    return {};
  }
  llvm::Expected<PackedTrees> packed = packTrees((*limited)->problem, watcher);
  if (!packed) {
    llvm::consumeError(packed.takeError());
    return {};
  }
  FewPeers few{std::move(*limited), std::move(*packed)};
  auto proved = boundAt(from.problem, few.packed.certificate.prices);
  if (!proved) {
    llvm::consumeError(proved.takeError());
    return few;
  }
  few.isProved = mustBeFew
                     ? std::isfinite(proved->bound)
                     : few.packed.packing.algbw >= proved->bound * kSameRate;
  if (few.isProved)
    few.packed.certificate = std::move(*proved);
  return few;
}

/// Returns the same problem for trees in three phases; null if phases were not
/// asked for.
llvm::Expected<std::unique_ptr<ProblemFromIR>>
problemInPhases(collective::RequestOpInterface request) {
  if (!request->hasAttr(collective::kPhasesAttr))
    return nullptr;
  if (request->hasAttr(collective::kMaxPeersAttr))
    return makeError("--phases cannot be combined with --max-peers: it chooses "
                     "the peers of ranks; leave one of them out");
  auto phased = problemOf(request);
  if (failed(phased))
    return makeError("no problem");
  if (llvm::Error error = askForPhases(**phased))
    return error;
  // Before the packing without phases, which may take long.
  if (llvm::Error error = (*phased)->problem.check())
    return error;
  return std::move(*phased);
}

/// If switches were asked for, packs again with trees for which switches work,
/// and takes these if they are faster.
llvm::Error useSwitches(collective::RequestOpInterface request,
                        const SolveWatcher &watcher, ProblemFromIR &from,
                        PackedTrees &packed) {
  if (!request->hasAttr(collective::kInSwitchAttr))
    return llvm::Error::success();
  if (request->hasAttr(collective::kOrderAttr))
    return makeError("--in-switch cannot be combined with --order: a switch "
                     "adds in an order of its own; leave one of them out");
  askForSwitches(from);
  llvm::Expected<std::optional<PackedTrees>> faster =
      packWithSwitches(from.problem, packed, watcher);
  if (!faster)
    return faster.takeError();
  if (*faster)
    packed = std::move(**faster);
  else
    from.problem.switches.clear();
  return llvm::Error::success();
}

/// Packs anew such that all trees add in one order. The certificate is kept,
/// because a bound on all packings bounds these, too.
llvm::Error orderSums(collective::RequestOpInterface request,
                      const SolveWatcher &watcher, ProblemFromIR &from,
                      PackedTrees &packed) {
  auto name = request->getAttrOfType<StringAttr>(collective::kOrderAttr);
  if (!name)
    return llvm::Error::success();
  llvm::Expected<OrderedPacking> ordered = packInOrder(
      from.problem, packed, *parseReductionOrder(name.getValue()), watcher);
  if (!ordered)
    return ordered.takeError();
  ordered->packed.certificate = std::move(packed.certificate);
  packed = std::move(ordered->packed);
  return askForOrder(from, ordered->parentheses);
}

/// Records the type in which partial sums travel.
llvm::Error accumulate(collective::RequestOpInterface request,
                       ProblemFromIR &from) {
  if (!request->hasAttr(collective::kAccumulateAttr))
    return llvm::Error::success();
  const Collective collective = from.problem.collective;
  if (!sched::traitsOf(collective).reduces)
    return makeError("--accumulate: {0} adds nothing; leave --accumulate out",
                     toString(collective));
  from.accumulate = sched::Accumulation::f32;
  return llvm::Error::success();
}

LogicalResult packRequest(collective::RequestOpInterface request, double slack,
                          const SolveWatcher &watcher, PeerLimits &limits) {
  auto from = problemOf(request);
  if (failed(from))
    return failure();
  auto phased = problemInPhases(request);
  if (!phased)
    return request->emitError(toString(phased.takeError()));
  FewPeers few = packFewPeersFirst(request, watcher, limits, **from);
  llvm::Expected<PackedTrees> packed =
      few.isProved ? std::move(few.packed)
                   : packTrees((*from)->problem, watcher, slack);
  if (few.isProved)
    *from = std::move(few.from);
  if (packed && *phased) {
    // A bound on all packings bounds these, too.
    PackingCertificate certificate = std::move(packed->certificate);
    packed = packTrees((*phased)->problem, watcher);
    if (packed)
      packed->certificate = std::move(certificate);
    *from = std::move(*phased);
  }
  if (!packed)
    return request->emitError(toString(packed.takeError()));
  if (!(*from)->phases && !(*from)->rankTopology.isLimited())
    if (llvm::Error error = packWithFewPeers(request, watcher, limits,
                                             std::move(few), *from, *packed))
      return request->emitError(toString(std::move(error)));
  if (llvm::Error error = useSwitches(request, watcher, **from, *packed))
    return request->emitError(toString(std::move(error)));
  if (llvm::Error error = orderSums(request, watcher, **from, *packed))
    return request->emitError(toString(std::move(error)));
  if (llvm::Error error = accumulate(request, **from))
    return request->emitError(toString(std::move(error)));
  OpBuilder builder(request);
  if (failed(buildForest(builder, request.getLoc(), request.getTopologyAttr(),
                         **from, packed->packing, packed->certificate,
                         unused(*packed))))
    return failure();
  request->erase();
  return success();
}

struct PackTrees : impl::PackTreesPassBase<PackTrees> {
  using Base::Base;
  PackTrees(const PackTreesPassOptions &options, const SolveWatcher &watcher)
      : Base(options), watcher_(watcher) {}

  void runOnOperation() override {
    if (failed(checkSlack(getOperation(), slack)))
      return signalPassFailure();
    SmallVector<collective::RequestOpInterface> requests(
        getOperation().getOps<collective::RequestOpInterface>());
    auto &limits = getAnalysis<PeerLimits>();
    markAnalysesPreserved<PeerLimits>();
    for (collective::RequestOpInterface request : requests)
      if (failed(packRequest(request, slack, watcher_, limits)))
        return signalPassFailure();
  }

  SolveWatcher watcher_;
};

} // namespace

std::unique_ptr<Pass> createPackTreesPass(const PackTreesPassOptions &options,
                                          const SolveWatcher &watcher) {
  return std::make_unique<PackTrees>(options, watcher);
}

} // namespace blink
