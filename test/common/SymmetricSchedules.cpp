//===- SymmetricSchedules.cpp - symmetric schedules for tests -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/SymmetricSchedules.h"

#include <algorithm>
#include <tuple>

namespace blink::test {
namespace {

/// A fold of a tree at a vertex.
struct FoldAt {
  uint32_t vertex;
  TestFold fold;
  uint32_t level = 0; ///< maximum number of hops its data has made
};

void findLevels(std::vector<FoldAt> &folds) {
  std::map<uint32_t, const FoldAt *> writers; // by channel
  for (const FoldAt &at : folds)
    for (const TestOperand &to : at.fold.destinations)
      if (to.kind == sched::OperandKind::channel)
        writers[to.index] = &at;
  for (size_t pass = 0; pass < folds.size(); ++pass)
    for (FoldAt &at : folds)
      for (const TestOperand &from : at.fold.sources)
        if (from.kind == sched::OperandKind::channel)
          at.level = std::max(at.level, writers.at(from.index)->level + 1);
}

/// The folds of one tree, vertex by vertex.
std::vector<FoldAt> foldsOf(const TestVariant &variant, uint32_t tree) {
  std::vector<FoldAt> folds;
  for (uint32_t vertex = 0; vertex < variant.ranks.size(); ++vertex) {
    const TestRank &rank = variant.ranks[vertex];
    for (const TestStep &step : rank.steps) {
      if (step.tree != tree)
        continue;
      const auto first = rank.operands.begin() + step.operandsBegin;
      const auto middle = first + step.sources;
      folds.push_back({vertex,
                       {step.tree,
                        {first, middle},
                        {middle, middle + step.destinations},
                        step.completes,
                        step.delay}});
    }
  }
  findLevels(folds);
  return folds;
}

/// Copies the trees of rank 0 to all other ranks, shifted.
class Shifter {
public:
  Shifter(TestSchedule &schedule, int lanes)
      : variant_(schedule.variant()), base_(schedule.variant()),
        n_(uint32_t(base_.ranks.size())), lanes_(lanes),
        collective_(schedule.programs[0].collective), dealt_(n_) {}

  void run() {
    variant_.channels.clear();
    variant_.paths.clear();
    const uint32_t ofRoot = uint32_t(base_.trees.size()) / n_;
    const bool pairs = ofRoot % n_ == 0 && base_.trees.back().block >= n_;
    const uint32_t ofPair = pairs ? ofRoot / n_ : ofRoot;
    for (uint32_t root = 0; root < n_; ++root)
      for (uint32_t i = 0; i < ofRoot; ++i) {
        // The tree of the pair (root, far) is a copy of that of (0, far -
        // root).
        const uint32_t far = i / ofPair;
        const uint32_t base = (far + n_ - (pairs ? root : 0)) % n_;
        addTree(root * ofRoot + i, base * ofPair + i % ofPair, root);
      }
    for (uint32_t rank = 0; rank < n_; ++rank)
      variant_.ranks[rank] = lanesOf(rank);
  }

private:
  struct Dealt {
    /// The fold's level, the distance of its tree's root, and that tree's
    /// original, a tree of rank 0.
    uint32_t level, distance, base;
    TestFold fold;
  };

  bool ofRanks(const TestOperand &operand) const {
    return (operand.kind == sched::OperandKind::input
                ? sched::inputBlocks(collective_, n_)
                : sched::outputBlocks(collective_, n_)) > 1;
  }

  /// Adds the copy of tree `base` of rank 0.
  void addTree(uint32_t tree, uint32_t base, uint32_t by) {
    std::map<uint32_t, uint32_t> images; // by channel
    for (uint32_t c = 0; c < base_.channels.size(); ++c) {
      TestChannel channel = base_.channels[c];
      if (channel.tree != base)
        continue;
      images[c] = uint32_t(variant_.channels.size());
      channel.tree = tree;
      channel.source = uint16_t((channel.source + by) % n_);
      channel.destination = uint16_t((channel.destination + by) % n_);
      const uint32_t link = channel.source * (n_ - 1) + channel.destination -
                            (channel.destination > channel.source ? 1 : 0);
      const auto known =
          std::find(variant_.paths.begin(), variant_.paths.end(), link);
      channel.pathBegin = uint32_t(known - variant_.paths.begin());
      if (known == variant_.paths.end())
        variant_.paths.push_back(link);
      variant_.channels.push_back(channel);
    }
    for (FoldAt &at : foldsOf(base_, base)) {
      at.fold.tree = tree;
      for (auto *list : {&at.fold.sources, &at.fold.destinations})
        for (TestOperand &operand : *list)
          if (operand.kind == sched::OperandKind::channel)
            operand.index = images.at(operand.index);
          else if (ofRanks(operand))
            operand.index = (operand.index + by) % n_;
      const uint32_t rank = (at.vertex + by) % n_;
      dealt_[rank].push_back(
          {at.level, (by + n_ - rank) % n_, base, std::move(at.fold)});
    }
  }

  TestRank lanesOf(uint32_t rank) {
    std::vector<Dealt> &folds = dealt_[rank];
    std::stable_sort(folds.begin(), folds.end(),
                     [](const Dealt &a, const Dealt &b) {
                       return std::tie(a.level, a.distance, a.base) <
                              std::tie(b.level, b.distance, b.base);
                     });
    TestLanes lanes{size_t(lanes_)};
    for (size_t i = 0; i < folds.size(); ++i)
      lanes[i % lanes.size()].push_back(std::move(folds[i].fold));
    return rankOf(lanes);
  }

  TestVariant &variant_;
  const TestVariant base_;
  const uint32_t n_;
  const int lanes_;
  const Collective collective_;
  std::vector<std::vector<Dealt>> dealt_; ///< by rank
};

} // namespace

TestSchedule makeSymmetricSchedule(Collective collective, int numRanks,
                                   int treesPerRoot, int lanes, uint32_t seed) {
  std::mt19937 random(seed);
  const auto n = uint32_t(numRanks);
  const bool pairs = sched::inputBlocks(collective, n) > 1 &&
                     sched::outputBlocks(collective, n) > 1;
  const bool oneBlock = collective == Collective::allreduce;
  std::vector<std::vector<int>> shapes;
  for (int i = 0; i < treesPerRoot; ++i)
    shapes.push_back(treeParents(
        collective == Collective::sendrecv ? Shape::star : Shape::random,
        numRanks, 0, random));
  std::vector<TestTree> trees;
  for (uint32_t root = 0; root < n; ++root)
    for (uint32_t far = 0; far < (pairs ? n : 1); ++far)
      for (int i = 0; i < treesPerRoot; ++i) {
        TestTree tree;
        tree.numerator = uint32_t(i + 1); // the sum is k (k + 1) / 2
        tree.denominator = uint32_t(treesPerRoot * (treesPerRoot + 1) / 2) *
                           (oneBlock ? n : 1);
        tree.block = pairs ? root * n + far : oneBlock ? 0 : root;
        tree.root = uint16_t(root);
        tree.parents.assign(n, -1);
        for (uint32_t rank = 0; rank < n; ++rank)
          if (shapes[i][rank] >= 0)
            tree.parents[(rank + root) % n] =
                int((uint32_t(shapes[i][rank]) + root) % n);
        trees.push_back(std::move(tree));
      }
  BuildOptions options;
  options.lanes = 1;
  TestSchedule schedule = makeSchedule(collective, 0, numRanks, trees, options);
  Shifter(schedule, lanes).run();
  return schedule;
}

sched::Renaming shiftBy(int numRanks, int by, uint32_t steps) {
  sched::Renaming renaming;
  renaming.steps = steps;
  for (int gpu = 0; gpu < numRanks; ++gpu)
    renaming.nodes.push_back(uint16_t((gpu + by) % numRanks));
  return renaming;
}

} // namespace blink::test
