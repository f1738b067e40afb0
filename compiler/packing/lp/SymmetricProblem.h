//===- SymmetricProblem.h - a packing problem modulo symmetry ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A symmetric machine has a symmetric optimum: take any, average its images.
// So the solvers look at whole orbits. A *column* stands for a tree and its
// images under the group, all of one weight; a *row* for a class of links that
// carry the same load. H100 pods of any size have four rows.
//
// An allreduce has one more symmetry. Where each link has a twin, the same in
// the other direction, its out-trees may mirror its in-trees: averaging an
// optimum with the one that runs it backwards, its roles swapped, costs
// nothing. Then twins are in one row.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H
#define BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H

#include "compiler/packing/Packing.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// How often a tree uses the links of a row, all of them together.
struct RowUse {
  int row;
  int times;
};

class SymmetricProblem {
public:
  /// Modulo what Symmetry::find finds; for one root, and for sums in an order,
  /// nothing. `problem` has passed check() and outlives this.
  static SymmetricProblem reduce(const PackingProblem &problem);
  /// Modulo nothing: rows are links and columns are trees.
  static SymmetricProblem plain(const PackingProblem &problem);

  const PackingProblem &problem() const { return *problem_; }
  const Symmetry &symmetry() const { return *symmetry_; }
  /// Trees in a column.
  int order() const { return symmetry_->order(); }

  /// One rank of each orbit of possible roots.
  const std::vector<int> &roots() const { return roots_; }
  /// Whether the trees of every root carry the same amount.
  bool rootsAreEqual() const { return numBlocks() > 1; }
  int numBlocks() const { return numBlocks_; }

  int numRows() const { return static_cast<int>(capacities_.size()); }
  /// -1 for links that may not be used.
  int rowOf(int link) const { return rows_[link]; }
  /// What the uses of one tree of each column may add up to, GB/s.
  double capacity(int row) const { return capacities_[row]; }

  /// GB/s of algbw that come with one GB/s on every tree of a column (and, when
  /// roots are equal, on one of each root).
  double ratePerWeight() const;
  /// What a tree's price is measured in: prices are *normalised* when the
  /// cheapest tree costs this much (on average, when roots are equal). The sum
  /// of price * bandwidth is then the bound that they prove.
  double unitCost() const;

  /// Ascending in row, no row twice.
  std::vector<RowUse> uses(const Tree &tree) const;
  /// The image whose root is one of roots().
  Tree representative(const Tree &tree) const;
  /// Appends the images of `tree`, all of its weight.
  void appendOrbit(const Tree &tree, std::vector<Tree> &trees) const;

  /// The trees of `representatives`, which have roots(), and all their images:
  /// over many ranks in symmetric form (Packing::symmetry), but for relays,
  /// which are nobody's images; else in full.
  Packing withImages(Packing representatives) const;

  bool mirrors() const { return !twins_.empty(); }
  /// The link back; for mirrors() only.
  int twin(int link) const { return twins_[link]; }
  /// The tree with `down` the mirror image of `up`; for mirrors() only.
  void addMirrored(Tree &tree) const;
  /// The mean of the prices of each row's links, back on the links.
  std::vector<double> averaged(std::vector<double> linkPrices) const;

private:
  SymmetricProblem(const PackingProblem &problem, Symmetry symmetry);

  const PackingProblem *problem_;
  std::shared_ptr<const Symmetry> symmetry_;
  int numBlocks_;
  std::vector<int> roots_;
  std::vector<int> twins_; // per link; empty where there is no mirroring
  std::vector<int> rows_;  // per link
  std::vector<double> capacities_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_SYMMETRICPROBLEM_H
