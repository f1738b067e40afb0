//===- BoxExchange.cpp - an allreduce of few exchanges --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/BoxExchange.h"

#include "compiler/packing/Boxes.h"
#include "compiler/plan/AssignDelays.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/Latency.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/symmetry/SymmetricPaths.h"

#include <algorithm>

using namespace blink;
using Operand = FoldProgram::Operand;

namespace {

/// Largest group: a larger prime factor of the number of boxes would need more
/// messages than any doubling.
constexpr int kLargestGroup = 8;

/// Most channels that a rank reads: with more, lanes take too many turns.
constexpr size_t kMostChannels = 64;
/// A size at which both one tree a place and trees for large messages take
/// long.
constexpr uint64_t kMiddleBytes = 8 * kSmallReferenceBytes;

/// Returns the sizes of groups, one exchange after the other; empty if one is
/// too large.
std::vector<int> groupsOf(int numBoxes) {
  std::vector<int> groups;
  for (int prime = 2; numBoxes > 1; ++prime)
    for (; numBoxes % prime == 0; numBoxes /= prime) {
      if (prime > kLargestGroup)
        return {};
      groups.push_back(prime);
    }
  return groups;
}

class Exchanger {
public:
  Exchanger(const RankTopology &direct, const SymmetricPaths &paths,
            const std::vector<std::vector<int>> &boxes,
            const std::vector<int> &groups)
      : direct_(direct), paths_(paths), boxes_(boxes), groups_(groups),
        program_(emptyProgram(Collective::allreduce, direct)) {}

  /// Returns a tree for each place, with loose folds; std::nullopt if a path is
  /// missing.
  llvm::Expected<std::optional<FoldProgram>> run();

private:
  using Operands = std::vector<Operand>;

  llvm::Expected<bool> addTree(size_t place);
  /// Adds channels from each rank of a group to each other one. Appends to
  /// `reads` what these read from all ranks of the group, in order, with their
  /// own sum `own` among it.
  llvm::Expected<bool> exchange(size_t place, int stride, int size,
                                std::vector<Operands> &writes,
                                std::vector<Operands> &reads, Operand own);
  llvm::Expected<bool> join(int from, int to, Operands &writes,
                            Operands &reads);
  const RankTopology &direct_;
  const SymmetricPaths &paths_;
  const std::vector<std::vector<int>> &boxes_;
  const std::vector<int> &groups_;
  FoldProgram program_;
  int tree_ = 0;
};

llvm::Expected<bool> Exchanger::join(int from, int to, Operands &writes,
                                     Operands &reads) {
  const Path path = paths_.path(from, to);
  if (path.empty())
    return false;
  llvm::Expected<Connection> hop =
      connect(program_, direct_, tree_, {from, to, path});
  if (!hop)
    return hop.takeError();
  writes.push_back(Operand::channel(hop->entry));
  reads.push_back(Operand::channel(hop->exit));
  return true;
}

llvm::Expected<bool> Exchanger::exchange(size_t place, int stride, int size,
                                         std::vector<Operands> &writes,
                                         std::vector<Operands> &reads,
                                         Operand own) {
  const int numBoxes = int(boxes_.size());
  for (int box = 0; box < numBoxes; ++box) {
    const int digit = box / stride % size, first = box - digit * stride;
    for (int of = 0; of < size; ++of) {
      const int other = first + of * stride;
      if (other == box) {
        reads[box].push_back(own);
        continue;
      }
      llvm::Expected<bool> joined = join(
          boxes_[other][place], boxes_[box][place], writes[other], reads[box]);
      if (!joined || !*joined)
        return joined;
    }
  }
  return true;
}

llvm::Expected<bool> Exchanger::addTree(size_t place) {
  const size_t numBoxes = boxes_.size();
  std::vector<Operands> sources(numBoxes);
  for (size_t box = 0; box < numBoxes; ++box)
    for (int rank : boxes_[box]) {
      const int holder = boxes_[box][place];
      if (rank == holder) {
        sources[box].push_back(Operand::input());
        continue;
      }
      Operands sent;
      llvm::Expected<bool> joined = join(rank, holder, sent, sources[box]);
      if (!joined || !*joined)
        return joined;
      program_.addFold(rank, tree_, false, {Operand::input()}, sent);
    }
  // A rank that is alone in its box has its own sum in its input at first.
  Operand own = Operand::output();
  bool kept = boxes_.front().size() > 1;
  if (!kept)
    own = Operand::input();
  int stride = 1;
  for (int size : groups_) {
    std::vector<Operands> writes(numBoxes), reads(numBoxes);
    if (kept)
      for (Operands &list : writes)
        list.push_back(Operand::output());
    llvm::Expected<bool> joined =
        exchange(place, stride, size, writes, reads, own);
    if (!joined || !*joined)
      return joined;
    for (size_t box = 0; box < numBoxes; ++box)
      program_.addFold(boxes_[box][place], tree_, false, sources[box],
                       writes[box]);
    sources = std::move(reads);
    stride *= size;
    own = Operand::output();
    kept = true;
  }
  for (size_t box = 0; box < numBoxes; ++box) {
    const std::vector<int> &ranks = boxes_[box];
    Operands given{Operand::output()};
    std::vector<std::pair<int, Operand>> taken;
    for (size_t next = 1; next < ranks.size(); ++next) {
      const int rank = ranks[(place + next) % ranks.size()];
      Operands read;
      llvm::Expected<bool> joined = join(ranks[place], rank, given, read);
      if (!joined || !*joined)
        return joined;
      taken.emplace_back(rank, read.front());
    }
    program_.addFold(ranks[place], tree_, true, sources[box], given);
    for (const auto &[rank, channel] : taken)
      program_.addFold(rank, tree_, false, {channel}, {Operand::output()});
  }
  return true;
}

llvm::Expected<std::optional<FoldProgram>> Exchanger::run() {
  const size_t places = boxes_.front().size();
  for (size_t place = 0; place < places; ++place) {
    tree_ = int(place);
    FoldProgram::Tree &tree = program_.trees.emplace_back();
    tree.root = boxes_.front()[place];
    tree.depth = int(groups_.size()) + (places > 1 ? 1 : 0);
    tree.origin = tree_;
    tree.share = 1.0 / double(places);
    llvm::Expected<bool> added = addTree(place);
    if (!added)
      return added.takeError();
    if (!*added)
      return std::nullopt;
  }
  countMoves(program_);
  return std::move(program_);
}

/// Gives each rank lanes for the tree of its own place, one for each part while
/// these are no more than half of `maxLanes`. The other lanes share what the
/// rank sends and receives in other trees, tree by tree.
void assignExchangeLanes(FoldProgram &program, size_t places,
                         unsigned maxLanes) {
  const std::vector<double> hops = readyTimes(program, kCountHops);
  assignDelays(program, hops, kSmallLag);
  const size_t parts = program.trees.size() / places;
  const size_t own = std::min(parts, std::max<size_t>(maxLanes / 2, 1));
  const size_t others = std::min((places - 1) * parts, maxLanes - own);
  size_t before = 0; // folds of the ranks so far
  for (FoldProgram::Rank &rank : program.ranks) {
    std::vector<std::vector<size_t>> lanes(own + others);
    size_t heldTrees = 0, otherTrees = 0;
    for (size_t fold = 0; fold < rank.folds.size();) {
      const int tree = rank.folds[fold].tree;
      size_t end = fold;
      bool holds = false;
      for (; end < rank.folds.size() && rank.folds[end].tree == tree; ++end)
        holds |= rank.folds[end].completes;
      const size_t lane = holds || others == 0 ? heldTrees++ % own
                                               : own + otherTrees++ % others;
      for (; fold < end; ++fold)
        lanes[lane].push_back(fold);
    }
    rank.lanes = std::move(lanes);
    sortLanes(rank, llvm::ArrayRef(hops).drop_front(before));
    before += rank.folds.size();
  }
}

} // namespace

llvm::Expected<std::optional<BoxExchange>>
blink::packBoxExchange(const PackingProblem &problem, unsigned maxLanes) {
  const RankTopology &rankTopology = *problem.rankTopology;
  const int n = rankTopology.numRanks();
  if (problem.collective != Collective::allreduce || problem.association)
    return std::nullopt;
  const std::vector<std::vector<int>> boxes = equalBoxes(rankTopology);
  if (boxes.empty())
    return std::nullopt;
  const std::vector<int> groups = groupsOf(int(boxes.size()));
  if (groups.empty())
    return std::nullopt;
  llvm::Expected<RankTopology> direct = withAllPairs(rankTopology);
  if (!direct)
    return direct.takeError();
  const Symmetry symmetry =
      n > kFewRanks ? Symmetry::find(*direct) : Symmetry::trivial(*direct);
  const SymmetricPaths paths(
      symmetry,
      direct->cheapestPaths(hopPrices(*direct, costsOf(Protocol::simple)),
                            symmetry.representatives()));
  llvm::Expected<std::optional<FoldProgram>> whole =
      Exchanger(*direct, paths, boxes, groups).run();
  if (!whole)
    return whole.takeError();
  if (!*whole)
    return std::nullopt;
  const size_t places = boxes.front().size();
  BoxExchange best;
  double least = kInfinity;
  const size_t ofRank = (*whole)->channels.size() / size_t(n);
  for (unsigned parts = 1;
       parts <= maxLanes && (parts == 1 || parts * ofRank <= kMostChannels);
       parts *= 2) {
    FoldProgram program =
        splitTrees(**whole, std::vector<unsigned>(places, parts));
    for (FoldProgram::Tree &tree : program.trees) {
      tree.numerator = 1;
      tree.denominator = uint32_t(places) * parts;
    }
    assignExchangeLanes(program, places, maxLanes);
    MessageTime time = timeOfSmall(program, Protocol::simple);
    const double both = time.at(kSmallReferenceBytes) * time.at(kMiddleBytes);
    if (both >= least)
      break;
    least = both;
    best = {std::move(program), std::move(time)};
  }
  return best;
}
