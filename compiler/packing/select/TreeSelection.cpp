//===- TreeSelection.cpp - few and low trees --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every tree costs lanes and every level of depth costs latency, but a few more
// lanes are cheap. Of the packings that reach the target, the one with the
// least (trees + 8) x depth is therefore kept. They come from three solvers,
// each of which also feeds its trees to the next:
//
//   pruning   drop trees from the optimum            any weights, always works
//   routing   trees of one weight, load-aware;       e.g. few low trees over a
//             or of a link's bandwidth, then few     switch, or NVLink trees
//             over what is left                      with one over PCIe beside
//   integer   the Blink paper's integer program over all trees met
//
// If the kept packing fills links between servers that need not be full,
// routing looks for trees that leave room there, whose score may be up to a
// quarter higher.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FairRate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/lp/FitWeights.h"
#include "compiler/packing/select/Headroom.h"
#include "compiler/packing/select/IntegerProgram.h"
#include "compiler/packing/select/OneChain.h"
#include "compiler/packing/select/RouteBound.h"
#include "compiler/packing/select/TreePruning.h"
#include "compiler/packing/select/TreeRouter.h"
#include "compiler/packing/select/UniformBound.h"
#include "compiler/packing/select/UnsolvedPrograms.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// The part of the target that rounding may take, relative.
constexpr double kRounding = 1e-10;
/// Up to this part of the target, other trees are not worth a try.
constexpr double kAlmost = 0.999;
/// Equal weights are given up only for a rate higher by at least this much,
/// relative.
constexpr double kWorthwhile = 1e-6;

/// Returns the rate that the slack asks for. Growth may have given up a part of
/// the optimum already (PackGrown.h), which is not given up again.
double targetOf(const PackedTrees &packed, double slack) {
  const double rate = packed.packing.algbw, bound = packed.certificate.bound;
  const bool isPart = rate < bound * (1 - kWorthwhile);
  return isPart && rate >= bound * (1 - slack) ? bound * (1 - slack)
                                               : rate * (1 - slack);
}

/// The most images of candidates that are considered.
constexpr size_t kMostImages = 400;
/// The most trees of one weight that are tried (for each root).
constexpr int kMostCopies = 24;
/// The same limit for fair trees, and one on the trees of all roots: as many as
/// trees may be divided into equal parts (FairRate.cpp).
constexpr int kMostFairCopies = 32, kMostFairTrees = 80;
/// The most trees besides those of one weight.
constexpr int kMostRest = 3;
/// The number of depths, above the least that reaches the target, at which
/// trees are sought.
constexpr int kExtraDepths = 2;
/// Limits on one integer program.
constexpr int kIntegerNodes = 24;
constexpr size_t kIntegerColumns = 200;
/// Approximate limit on the steps of all routing; about 1e8 steps take a
/// second.
constexpr double kRoutingBudget = 2.5e6;
/// The same limit for routing with headroom, which runs last.
constexpr double kHeadroomBudget = 1e6;
/// How much higher the score may be to gain headroom, as a factor.
constexpr double kHeadroomWorth = 1.25;

/// See the top of the file.
int scoreOf(int trees, int depth) { return (trees + 8) * depth; }

struct Choice {
  Packing packing;
  int depth = 0;
  int score() const { return scoreOf(packing.numTrees(), depth); }
};

/// Returns the problem whose columns selection works on: single trees for few
/// ranks, whole orbits for many, unless even one of these is too many.
SymmetricProblem columnsFor(const PackingProblem &problem, int maxTrees) {
  if (problem.rankTopology->numRanks() > kFewRanks) {
    SymmetricProblem orbits = SymmetricProblem::reduce(problem);
    if (maxTrees == 0 || orbits.rootsAreEqual() || orbits.order() <= maxTrees)
      return orbits;
  }
  return SymmetricProblem::plain(problem);
}

class Selection {
public:
  Selection(const PackingProblem &problem, const PackedTrees &packed,
            const SelectOptions &options);
  Expected<Packing> run();
  Expected<std::vector<Packing>> runFair(const std::vector<double> &slacks);

private:
  /// A routing plan: `copies` trees of `unit` GB/s for each block, then `rest`
  /// trees over the bandwidth that is left.
  struct Plan {
    int score, copies;
    double unit;
    int depth, rest;
  };
  Error pruneAtDepths();
  Error pruneAt(int depth, bool &reaches);
  std::set<double, std::greater<double>> bandwidths() const;
  std::vector<Plan> plans() const;
  std::vector<Tree> carryOut(const Plan &plan,
                             const std::vector<double> &bandwidths);
  void routePlans();
  void routeWithHeadroom();
  void routeWithinLimit();
  Error solveIntegers();
  Error polish();
  Error chooseSingleTrees();
  Error findLeastDepth();

  void allowRouting(double steps);
  std::vector<Tree> route(const RouteRequest &request);
  std::vector<Tree> search(const RouteRequest &request);
  double stepsPerTree() const { return std::pow(numRanks_, 3); }
  double leastSteps(const RouteRequest &request) const {
    return 8 * stepsPerTree() * blocks_ * request.copies;
  }
  std::vector<int> columnsUpTo(int depth) const;
  bool choosesSingleTrees() const { return columns_.order() == 1; }
  std::set<int> depths() const;
  void offer(Packing packing);
  void offerTrees(std::vector<Tree> trees);
  bool better(const Choice &a, const Choice &b) const;
  /// Returns true if a packing of `trees` trees of this depth could be better
  /// than the best so far.
  bool worthTrying(int trees, int depth) const;
  bool keepsGoing() const {
    return !options_.keepGoing || options_.keepGoing();
  }
  double perBlock() const {
    return target_ / blocksOfBuffer(problem_.collective, numRanks_);
  }

  const PackingProblem &problem_;
  const PackingCertificate &proof_;
  const SelectOptions &options_;
  int numRanks_, blocks_;
  double target_;
  std::vector<double> bandwidths_; // of links
  std::vector<double> withHeadroom_;
  SymmetricProblem columns_;
  ColumnPool pool_;
  Choice best_;
  bool onlyFair_ = false;
  int leastDepth_ = 1;                   // of routed trees
  double routingSteps_ = kRoutingBudget; // steps left
  std::optional<PathsByPrice> paths_;    // set once something is routed
  std::vector<RouteRequest> ruledOut_;   // by mayFit; not searched for yet
  struct Routed {
    std::vector<Tree> trees;
    int grown = 0;
  };
  // Results of search(), by copies, depth, unit and bandwidths.
  std::map<std::tuple<int, int, double, std::vector<double>>, Routed> routed_;
};

Selection::Selection(const PackingProblem &problem, const PackedTrees &packed,
                     const SelectOptions &options)
    : problem_(problem), proof_(packed.certificate), options_(options),
      numRanks_(problem.rankTopology->numRanks()),
      blocks_(numBlocks(problem.collective, numRanks_)),
      target_(targetOf(packed, options.slack) * (1 - kRounding)),
      withHeadroom_(bandwidthsWithHeadroom(problem, packed.certificate)),
      columns_(columnsFor(problem, options.maxTrees)), pool_(columns_) {
  for (const Link &link : problem.rankTopology->topology().links)
    bandwidths_.push_back(link.bandwidth);
  std::vector<Tree> trees = packed.packing.trees;
  if (!choosesSingleTrees()) {
    trees.insert(trees.end(), packed.candidates.begin(),
                 packed.candidates.end());
  } else {
    // The solver met one tree per orbit: add the images.
    SymmetricProblem reduced = SymmetricProblem::reduce(problem);
    size_t most = trees.size() + kMostImages;
    for (const Tree &tree : packed.candidates)
      if (trees.size() < most)
        reduced.appendOrbit(reduced.representative(tree), trees);
  }
  for (const Tree &tree : trees) {
    Tree image = columns_.representative(tree);
    image.weight = 0;
    pool_.add(std::move(image));
  }
  offer(packed.packing);
}

bool Selection::better(const Choice &a, const Choice &b) const {
  auto key = [&](const Choice &choice) {
    const int trees = choice.packing.numTrees();
    bool fits =
        trees > 0 && (options_.maxTrees == 0 || trees <= options_.maxTrees);
    // A choice below target_ is judged by its rate first.
    double missing = std::max(0.0, target_ - choice.packing.algbw);
    return std::make_tuple(!fits, missing, choice.score(), choice.depth,
                           -choice.packing.algbw);
  };
  return key(a) < key(b);
}

bool Selection::worthTrying(int trees, int depth) const {
  if (options_.maxTrees > 0 && trees > options_.maxTrees)
    return false;
  bool reached =
      !best_.packing.trees.empty() && best_.packing.algbw >= target_ &&
      (options_.maxTrees == 0 || best_.packing.numTrees() <= options_.maxTrees);
  return !reached || scoreOf(trees, depth) < best_.score();
}

void Selection::offer(Packing packing) {
  Choice choice;
  choice.packing = std::move(packing);
  for (const Tree &tree : choice.packing.trees)
    choice.depth = std::max(choice.depth, tree.depth(numRanks_));
  if (onlyFair_ && !isFair(problem_, choice.packing))
    return;
  if (better(choice, best_))
    best_ = std::move(choice);
}

/// Offers single trees found by routing or an integer program; pruning may use
/// them, too.
void Selection::offerTrees(std::vector<Tree> trees) {
  for (const Tree &tree : trees)
    pool_.add(tree);
  offer(fitWeights(problem_, std::move(trees)));
}

std::vector<int> Selection::columnsUpTo(int depth) const {
  std::vector<int> columns;
  for (int column = 0; column < pool_.size(); ++column)
    if (pool_.depth(column) <= depth)
      columns.push_back(column);
  return columns;
}

std::set<int> Selection::depths() const {
  std::set<int> depths;
  for (int column = 0; column < pool_.size(); ++column)
    depths.insert(pool_.depth(column));
  return depths;
}

Error Selection::pruneAt(int depth, bool &reaches) {
  Expected<PrunedColumns> pruned =
      pruneColumns(pool_, columnsUpTo(depth), target_, options_.maxTrees,
                   options_.keepGoing);
  if (!pruned)
    return pruned.takeError();
  reaches = pruned->rate >= target_;
  if (reaches || options_.maxTrees > 0)
    offer(fitColumns(pool_, pruned->weights));
  return Error::success();
}

Error Selection::pruneAtDepths() {
  int reached = 0;
  for (int depth : depths()) {
    if (reached > kExtraDepths || !worthTrying(blocks_, depth) || !keepsGoing())
      break;
    bool reaches = false;
    if (Error error = pruneAt(depth, reaches))
      return error;
    reached += reaches;
  }
  return Error::success();
}

void Selection::allowRouting(double steps) {
  routingSteps_ = steps;
  ruledOut_.clear();
}

std::vector<Tree> Selection::route(const RouteRequest &request) {
  if (problem_.rankTopology->isPhased() || problem_.association)
    return {}; // the router supports neither gates nor orders
  if (!mayFit(problem_, proof_, request)) {
    ruledOut_.push_back(request);
    return {};
  }
  // A request that is ruled out still has to be charged to the budget, so that
  // later requests find the same budget as if it had been searched for. How
  // many steps that takes is known only after the search. The search is
  // therefore made only if its steps could decide whether the budget suffices.
  double most = 0;
  for (const RouteRequest &other : ruledOut_)
    most += mostGrown(problem_, other) * stepsPerTree();
  if (routingSteps_ - most < leastSteps(request))
    for (const RouteRequest &other : std::exchange(ruledOut_, {}))
      search(other);
  return search(request);
}

std::vector<Tree> Selection::search(const RouteRequest &request) {
  if (routingSteps_ < leastSteps(request))
    return {};
  if (!paths_)
    paths_.emplace(*problem_.rankTopology);
  // Plans that differ only in `rest` begin with the same request.
  const auto [place, isNew] = routed_.try_emplace(
      {request.copies, request.maxDepth, request.unit, request.bandwidths});
  Routed &routed = place->second;
  if (isNew)
    routed.trees = routeTrees(columns_, request, *paths_, routed.grown);
  routingSteps_ -= routed.grown * stepsPerTree();
  return routed.trees;
}

/// Returns the bandwidths of usable links, the highest first.
std::set<double, std::greater<double>> Selection::bandwidths() const {
  std::set<double, std::greater<double>> units;
  const std::vector<Link> &links = problem_.rankTopology->topology().links;
  for (size_t link = 0; link < links.size(); ++link)
    if (problem_.rankTopology->usable(static_cast<int>(link)))
      units.insert(links[link].bandwidth);
  return units;
}

std::vector<Selection::Plan> Selection::plans() const {
  std::vector<Plan> plans;
  auto add = [&](int copies, double unit, int rest) {
    for (int depth = leastDepth_; depth < numRanks_; ++depth)
      plans.push_back({scoreOf((copies + rest) * blocks_, depth), copies, unit,
                       depth, rest});
  };
  const int most = onlyFair_
                       ? std::min(kMostFairCopies, kMostFairTrees / blocks_)
                       : kMostCopies;
  for (int copies = 1; copies <= most; ++copies)
    add(copies, perBlock() / copies, 0);
  for (double unit : bandwidths()) {
    double copies = std::floor(perBlock() / unit * (1 - 1e-6));
    if (copies >= 1 && copies <= most)
      for (int rest = 1; rest <= kMostRest; ++rest)
        add(static_cast<int>(copies), unit, rest);
  }
  std::stable_sort(
      plans.begin(), plans.end(),
      [](const Plan &a, const Plan &b) { return a.score < b.score; });
  return plans;
}

std::vector<Tree> Selection::carryOut(const Plan &plan,
                                      const std::vector<double> &bandwidths) {
  RouteRequest request;
  request.bandwidths = bandwidths;
  request.copies = plan.copies;
  request.unit = plan.unit;
  request.maxDepth = plan.depth;
  std::vector<Tree> trees = route(request);
  if (trees.empty() || plan.rest == 0)
    return trees;
  Packing packing;
  packing.trees = trees;
  std::vector<double> loads = problem_.linkLoads(packing);
  for (size_t link = 0; link < loads.size(); ++link)
    request.bandwidths[link] =
        std::max(0.0, request.bandwidths[link] - loads[link]);
  request.copies = plan.rest;
  request.unit = (perBlock() - plan.unit * plan.copies) / plan.rest;
  std::vector<Tree> more = route(request);
  if (!more.empty())
    more.insert(more.end(), trees.begin(), trees.end());
  return more;
}

/// Carries out plans until one works. The first that works is the best one,
/// except that its trees may not be fair if they have to be; then the search
/// goes on.
void Selection::routePlans() {
  for (const Plan &plan : plans()) {
    if (!keepsGoing())
      return;
    if (!worthTrying((plan.copies + plan.rest) * blocks_, plan.depth))
      continue;
    std::vector<Tree> trees = carryOut(plan, bandwidths_);
    if (trees.empty())
      continue;
    offerTrees(std::move(trees));
    if (!onlyFair_ || !best_.packing.trees.empty())
      return;
  }
}

/// Like routePlans, but leaves headroom, and considers only plans whose score
/// is close to that of the best so far.
void Selection::routeWithHeadroom() {
  if (isRouted(problem_.collective) || best_.packing.algbw < target_ ||
      keepsHeadroom(problem_, best_.packing, withHeadroom_))
    return;
  allowRouting(kHeadroomBudget);
  for (const Plan &plan : plans()) {
    if (plan.score > kHeadroomWorth * best_.score() || !keepsGoing())
      return;
    const int trees = (plan.copies + plan.rest) * blocks_;
    if (options_.maxTrees > 0 && trees > options_.maxTrees)
      continue;
    Packing packing = fitWeights(problem_, carryOut(plan, withHeadroom_));
    if (packing.algbw < target_ || (onlyFair_ && !isFair(problem_, packing)) ||
        !keepsHeadroom(problem_, packing, withHeadroom_))
      continue;
    best_.packing = std::move(packing);
    return;
  }
}

/// If the limit on trees keeps the target out of reach, looks for as many trees
/// as are allowed, each as fast as the links of one bandwidth.
void Selection::routeWithinLimit() {
  if (options_.maxTrees == 0 || best_.packing.algbw >= target_)
    return;
  for (double unit : bandwidths()) {
    bool found = false;
    int most = std::min(kMostCopies, options_.maxTrees / blocks_);
    for (int copies = most; copies >= 1 && !found; --copies)
      for (int depth = 1; depth < numRanks_ && !found; ++depth) {
        std::vector<Tree> trees =
            carryOut({0, copies, unit, depth, 0}, bandwidths_);
        found = !trees.empty();
        if (found)
          offerTrees(std::move(trees));
      }
  }
}

Error Selection::solveIntegers() {
  UnsolvedPrograms own;
  UnsolvedPrograms &unsolved = options_.unsolved ? *options_.unsolved : own;
  for (int depth : depths()) {
    std::vector<int> columns = columnsUpTo(depth);
    if (columns.size() > kIntegerColumns || !keepsGoing())
      break;
    if (!worthTrying(blocks_, depth))
      continue;
    Expected<UniformBound> bound =
        UniformBound::create(pool_, columns, target_);
    if (!bound)
      return bound.takeError();
    const UnsolvedPrograms::Columns asked =
        UnsolvedPrograms::columnsOf(pool_, columns);
    for (int copies = 1;
         copies <= kMostCopies && worthTrying(copies * blocks_, depth);
         ++copies) {
      if (!bound->allows(copies, target_))
        continue;
      std::vector<double> room = roomForTrees(columns_, copies, target_);
      if (unsolved.include(asked, copies, room))
        continue;
      std::vector<int> fitting; // columns that fit at least once
      llvm::copy_if(columns, std::back_inserter(fitting), [&](int column) {
        return llvm::all_of(pool_.uses(column), [&](const RowUse &use) {
          return use.times <= room[size_t(use.row)];
        });
      });
      Expected<std::vector<int>> counts =
          uniformTrees(pool_, fitting, copies, target_, kIntegerNodes);
      if (!counts)
        return counts.takeError();
      if (counts->empty())
        unsolved.add(asked, copies, std::move(room));
      std::vector<Tree> trees;
      for (size_t index = 0; index < counts->size(); ++index)
        if ((*counts)[index] > 0) {
          trees.push_back(pool_.tree(fitting[index]));
          trees.back().weight = (*counts)[index] * perBlock() / copies;
        }
      if (trees.empty())
        continue;
      offerTrees(std::move(trees));
      break;
    }
  }
  return Error::success();
}

/// Finds the best weights for the chosen trees.
Error Selection::polish() {
  ColumnPool pool(columns_);
  for (const Tree &tree : best_.packing.trees)
    pool.add(tree);
  Expected<MasterLp> lp =
      MasterLp::solved(pool, firstNumbers(pool.size()), best_.packing.algbw);
  if (!lp)
    return lp.takeError();
  if (lp->rate() > best_.packing.algbw * (1 + kWorthwhile))
    offer(fitColumns(pool, lp->weights()));
  return Error::success();
}

/// Runs the solvers that work on single trees only.
Error Selection::chooseSingleTrees() {
  int known = pool_.size();
  if (!isRouted(problem_.collective)) {
    routePlans();
    routeWithinLimit();
  }
  if (Error error = solveIntegers())
    return error;
  if (pool_.size() > known)
    if (Error error = pruneAtDepths())
      return error;
  if (Error error = polish())
    return error;
  routeWithHeadroom();
  return Error::success();
}

Expected<Packing> Selection::run() {
  if (options_.maxTrees > 0 && options_.maxTrees < blocks_)
    return makeError("{0} over {1} ranks needs {1} trees at least, one a root; "
                     "--max-trees allows {2}",
                     toString(problem_.collective), numRanks_,
                     options_.maxTrees);
  if (Error error = pruneAtDepths())
    return error;
  if (choosesSingleTrees())
    if (Error error = chooseSingleTrees())
      return error;
  if (Error error = problem_.verify(best_.packing))
    return error;
  return std::move(best_.packing);
}

/// Finds the least depth at which the trees met so far reach the target.
/// Routing need not try lower depths: column generation has already met all low
/// trees that are worth their price.
Error Selection::findLeastDepth() {
  for (int depth : depths()) {
    Expected<MasterLp> lp =
        MasterLp::solved(pool_, columnsUpTo(depth), target_);
    if (!lp)
      return lp.takeError();
    leastDepth_ = depth;
    if (lp->rate() >= target_ * (1 - kRounding))
      break;
  }
  return Error::success();
}

Expected<std::vector<Packing>>
Selection::runFair(const std::vector<double> &slacks) {
  std::vector<Packing> found;
  if (!choosesSingleTrees() || isRouted(problem_.collective))
    return found;
  onlyFair_ = true;
  const double optimum = target_ / (1 - options_.slack);
  for (const double slack : slacks) {
    target_ = optimum * (1 - slack);
    if (!found.empty() && found.back().algbw >= target_)
      continue;
    best_ = {};
    allowRouting(kRoutingBudget / (found.empty() ? 1 : 2));
    if (found.empty())
      if (Error error = findLeastDepth())
        return error;
    routePlans();
    if (found.empty() || (blocks_ == 1 && best_.packing.trees.empty()))
      if (Error error = solveIntegers())
        return error;
    routeWithHeadroom();
    if (best_.packing.algbw < target_)
      break;
    if (Error error = problem_.verify(best_.packing))
      return error;
    found.push_back(std::move(best_.packing));
  }
  return found;
}

} // namespace

Expected<Packing> blink::selectTrees(const PackingProblem &problem,
                                     const PackedTrees &packed,
                                     const SelectOptions &options) {
  if (!(options.slack >= 0 && options.slack < 1) || options.maxTrees < 0)
    return makeError("slack {0} and at most {1} trees: expected a slack of at "
                     "least 0 and below 1, and 0 trees (no limit) or more",
                     options.slack, options.maxTrees);
  // A sendrecv already has as few trees as possible (PackPairs.h).
  if (problem.rankTopology->numRanks() == 1 || isPairwise(problem.collective))
    return packed.packing;
  Expected<Packing> selected = Selection(problem, packed, options).run();
  if (!selected || options.maxTrees == 0 ||
      selected->algbw >= targetOf(packed, options.slack) * kAlmost)
    return selected;
  std::optional<Packing> chain = packChain(problem);
  if (!chain || chain->algbw <= selected->algbw)
    return selected;
  if (Error error = problem.verify(*chain))
    return error;
  return std::move(*chain);
}

Expected<std::vector<Packing>>
blink::selectFairTrees(const PackingProblem &problem, const PackedTrees &packed,
                       const SelectOptions &options,
                       const std::vector<double> &slacks) {
  return Selection(problem, packed, options).runFair(slacks);
}

bool blink::hasFairTrees(const PackingProblem &problem) {
  return !isRouted(problem.collective) &&
         columnsFor(problem, /*maxTrees=*/0).order() == 1;
}
