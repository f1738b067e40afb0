//===- SymmetricProblem.h - a packing problem modulo symmetry ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A symmetric machine has a symmetric optimum: take any optimum and average its
// images. The solvers therefore work on whole orbits. A *column* stands for a
// tree and its images under the group, all of one weight; a *row* stands for a
// class of links that carry the same load. H100 pods of any size have four
// rows.
//
// An allreduce has one more symmetry. If each link has a twin, an equal link in
// the other direction, the out-trees may mirror the in-trees: averaging an
// optimum with its reversal, in which in-trees and out-trees are swapped, keeps
// the rate. Twins are then in one row.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H
#define BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H

#include "compiler/packing/Packing.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// The number of times that a tree uses the links of a row, summed over these
/// links.
struct RowUse {
  int row;
  int times;
};

class SymmetricProblem {
public:
  /// Returns `problem` modulo its symmetry; modulo nothing if there is one root
  /// or if sums have an order. `problem` has passed check() and must outlive
  /// the result.
  static SymmetricProblem reduce(const PackingProblem &problem);
  /// Returns `problem` modulo nothing: rows are links and columns are trees.
  static SymmetricProblem plain(const PackingProblem &problem);

  const PackingProblem &problem() const { return *problem_; }
  const Symmetry &symmetry() const { return *symmetry_; }
  /// The number of trees that a column stands for.
  int order() const { return symmetry_->order(); }

  /// One rank of each orbit of possible roots.
  const std::vector<int> &roots() const { return roots_; }
  /// Whether the trees of every root carry the same amount.
  bool rootsAreEqual() const { return numBlocks() > 1; }
  int numBlocks() const { return numBlocks_; }

  int numRows() const { return static_cast<int>(capacities_.size()); }
  /// The row of `link`; -1 if it may not be used.
  int rowOf(int link) const { return rows_[link]; }
  /// The limit of a row, in GB/s: what its uses by one tree of each column may
  /// add up to.
  double capacity(int row) const { return capacities_[row]; }

  /// GB/s of algbw per GB/s on every tree of a column (if roots are equal, of
  /// one column for each root).
  double ratePerWeight() const;
  /// The unit of tree prices: prices are *normalised* if the cheapest tree
  /// costs this much (on average, if roots are equal). The sum of price *
  /// bandwidth is then the bound that they prove.
  double unitCost() const;

  /// Returns the uses of `tree` in ascending order of row, each row once.
  std::vector<RowUse> uses(const Tree &tree) const;
  /// Returns the image of `tree` whose root is one of roots().
  Tree representative(const Tree &tree) const;
  /// Appends the images of `tree`, all of its weight.
  void appendOrbit(const Tree &tree, std::vector<Tree> &trees) const;

  /// Returns the trees of `representatives`, whose roots are roots(), and all
  /// their images. Over many ranks without relays the result is in symmetric
  /// form (Packing::symmetry); otherwise it is in full. Relays are images of no
  /// other node.
  Packing withImages(Packing representatives) const;

  bool mirrors() const { return !twins_.empty(); }
  /// The link in the other direction; only if mirrors().
  int twin(int link) const { return twins_[link]; }
  /// Sets `tree.down` to the mirror image of `tree.up`; only if mirrors().
  void addMirrored(Tree &tree) const;
  /// Returns the prices with those of each row's links replaced by their mean.
  std::vector<double> averaged(std::vector<double> linkPrices) const;

private:
  SymmetricProblem(const PackingProblem &problem,
                   std::shared_ptr<const Symmetry> symmetry);

  const PackingProblem *problem_;
  std::shared_ptr<const Symmetry> symmetry_;
  int numBlocks_;
  std::vector<int> roots_;
  std::vector<int> twins_; // per link; empty if out-trees do not mirror
  std::vector<int> rows_;  // per link
  std::vector<double> capacities_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H
