//===- SymmetricFolds.cpp - folds of representatives alone ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SymmetricFolds.h"

#include "schedules/SymmetricImages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>

using namespace blink;
using Operand = FoldProgram::Operand;

namespace {

/// A fold of some rank, and the tree to which its image belongs.
struct Image {
  int block, root;
  int rank;
  size_t fold;
  int element;
};

} // namespace

void blink::makeSymmetric(FoldProgram &program,
                          std::shared_ptr<const Symmetry> symmetry) {
  const sched::BlockImages<Symmetry> blocks(*symmetry, program.collective,
                                            program.numRanks);
  std::vector<std::vector<Image>> images(program.ranks.size());
  for (int rank = 0; rank < program.numRanks; ++rank) {
    const int element = symmetry->inverse(symmetry->elementTo(rank));
    const std::vector<FoldProgram::Fold> &folds = program.ranks[rank].folds;
    for (size_t i = 0; i < folds.size(); ++i) {
      const FoldProgram::Tree &tree = program.trees[folds[i].tree];
      images[symmetry->representative(rank)].push_back(
          {int(blocks.ofTree(element, tree.block)),
           symmetry->mapRank(element, tree.root), rank, i, element});
    }
  }
  const std::vector<FoldProgram::Rank> full = std::move(program.ranks);
  program.ranks.assign(full.size(), {});
  for (int representative : symmetry->representatives()) {
    std::vector<Image> &own = images[representative];
    llvm::stable_sort(own, [&](const Image &a, const Image &b) {
      return std::tuple(a.block, a.root, full[a.rank].folds[a.fold].tree) <
             std::tuple(b.block, b.root, full[b.rank].folds[b.fold].tree);
    });
    for (const Image &image : own) {
      const FoldProgram::Rank &rank = full[image.rank];
      const FoldProgram::Fold &fold = rank.folds[image.fold];
      // A channel keeps the index of the channel of which it is an image.
      const auto map = [&](Operand operand) {
        if (!operand.isChannel())
          operand.index =
              int(blocks.ofOperand(image.element, operand.kind, operand.index));
        return operand;
      };
      program.addFold(
          representative, fold.tree, fold.completes,
          llvm::to_vector(llvm::map_range(rank.sourcesOf(fold), map)),
          llvm::to_vector(llvm::map_range(rank.destinationsOf(fold), map)));
    }
  }
  program.symmetry = std::move(symmetry);
}
