//===- FoldMoves.cpp - what folds move, with and without slots ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/FoldMoves.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace blink;

int FoldTable::addChannel(sched::ChannelKind kind) {
  isPeer_.push_back(kind == sched::ChannelKind::peer);
  return int(isPeer_.size()) - 1;
}

void FoldTable::addFold(int rank, int tree, bool completes,
                        llvm::ArrayRef<int> sources,
                        llvm::ArrayRef<int> destinations) {
  size_t begin = operands_.size();
  operands_.insert(operands_.end(), sources.begin(), sources.end());
  operands_.insert(operands_.end(), destinations.begin(), destinations.end());
  folds_.push_back(
      {rank, tree, completes, begin, begin + sources.size(), operands_.size()});
}

std::vector<FoldMoves> FoldTable::moves() const {
  // What the folds of a rank do to its buffers, tree by tree.
  struct Use {
    int outputWriters = 0, inputReaders = 0;
  };
  llvm::DenseMap<std::pair<int, int>, Use> uses;
  for (const Fold &fold : folds_) {
    Use &use = uses[{fold.rank, fold.tree}];
    use.inputReaders += int(llvm::count(sourcesOf(fold), kInput));
    use.outputWriters += int(llvm::count(destinationsOf(fold), kOutput));
  }

  auto useOf = [&](const Fold &fold) {
    return uses.lookup({fold.rank, fold.tree});
  };
  // The reader may come late: nobody else may write its output in between.
  std::vector<bool> direct(isPeer_.size(), false);
  auto isDirect = [&](int operand) { return operand >= 0 && direct[operand]; };
  for (const Fold &fold : folds_) {
    llvm::ArrayRef<int> sources = sourcesOf(fold);
    if (sources.size() == 1 && sources[0] >= 0 && !fold.completes &&
        useOf(fold).outputWriters == 1 &&
        llvm::is_contained(destinationsOf(fold), kOutput))
      direct[sources[0]] = isPeer_[sources[0]];
  }
  // The writer's input must stay as it is until it has been read. In an
  // allreduce in place the output replaces it only after it has left by its
  // only way.
  auto lendsInput = [&](const Fold &fold) {
    llvm::ArrayRef<int> destinations = destinationsOf(fold);
    if (sourcesOf(fold) != llvm::ArrayRef({kInput}) || fold.completes)
      return false;
    Use use = useOf(fold);
    if (llvm::is_contained(destinations, kOutput))
      return use.outputWriters == 1;
    return use.outputWriters == 0 ||
           (collective_ == sched::Collective::allreduce &&
            use.inputReaders == 1 && destinations.size() == 1);
  };

  std::vector<FoldMoves> result;
  for (const Fold &fold : folds_) {
    llvm::ArrayRef<int> sources = sourcesOf(fold);
    llvm::ArrayRef<int> destinations = destinationsOf(fold);
    bool isThere = sources.size() == 1 && isDirect(sources[0]);
    bool lends = lendsInput(fold);
    auto written = int(llvm::count_if(destinations, [&](int operand) {
      if (operand == kOutput)
        return !isThere;
      return !lends || isDirect(operand) || !isPeer_[operand];
    }));
    result.push_back({written == 0 ? 0 : int(sources.size()) + written,
                      int(sources.size() + destinations.size())});
  }
  return result;
}
