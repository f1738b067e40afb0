//===- FoldGraph.cpp - the steps of a variant and their order -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Numbers the steps of all ranks and finds both ends of each channel.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/FoldGraph.h"

namespace blink::verify {

FoldGraph::FoldGraph(const sched::Variant &variant,
                     const std::vector<uint32_t> &ranks)
    : variant_(variant), writers_(variant.channels()->size(), kNone),
      readers_(variant.channels()->size(), kNone) {
  for (uint32_t i = 0; i < variant.ranks()->size(); ++i)
    addRank(ranks.empty() ? i : ranks[i], *variant.ranks()->Get(i));
  groupByTree();
}

void FoldGraph::addRank(uint32_t rank, const sched::RankProgram &program) {
  const uint32_t operandsBase = static_cast<uint32_t>(operands_.size());
  for (const sched::Operand *operand : *program.operands())
    operands_.push_back(*operand);

  for (uint32_t lane = 0; lane < program.lanes()->size(); ++lane) {
    const sched::Lane &part = *program.lanes()->Get(lane);
    for (uint32_t position = 0; position < part.steps_count(); ++position) {
      const sched::Step &step =
          *program.steps()->Get(part.steps_begin() + position);
      const uint32_t number = numFolds();
      folds_.push_back({rank, lane, position, step.tree(), 0,
                        operandsBase + step.operands_begin(), step.sources(),
                        step.destinations(), step.completes(), step.delay()});
      for (const sched::Operand &source : sources(number))
        if (source.kind() == sched::OperandKind::channel)
          readers_[source.index()] = number;
      for (const sched::Operand &destination : destinations(number))
        if (destination.kind() == sched::OperandKind::channel)
          writers_[destination.index()] = number;
    }
  }
  numLanes_ += program.lanes()->size();
}

void FoldGraph::groupByTree() {
  treeBegin_.assign(numTrees() + 1, 0);
  for (Fold &fold : folds_)
    fold.inTree = treeBegin_[fold.tree + 1]++;
  for (uint32_t tree = 0; tree < numTrees(); ++tree)
    treeBegin_[tree + 1] += treeBegin_[tree];
  treeFolds_.resize(folds_.size());
  for (uint32_t number = 0; number < numFolds(); ++number) {
    const Fold &fold = folds_[number];
    treeFolds_[treeBegin_[fold.tree] + fold.inTree] = number;
  }
}

Slice<sched::Operand> FoldGraph::sources(uint32_t fold) const {
  const sched::Operand *first = operands_.data() + folds_[fold].operands;
  return {first, first + folds_[fold].sources};
}

Slice<sched::Operand> FoldGraph::destinations(uint32_t fold) const {
  const sched::Operand *first = sources(fold).end();
  return {first, first + folds_[fold].destinations};
}

Slice<uint32_t> FoldGraph::foldsOf(uint32_t tree) const {
  return {treeFolds_.data() + treeBegin_[tree],
          treeFolds_.data() + treeBegin_[tree + 1]};
}

uint32_t FoldGraph::previousInLane(uint32_t fold) const {
  return folds_[fold].position > 0 ? fold - 1 : kNone;
}

uint32_t FoldGraph::nextInLane(uint32_t fold) const {
  return fold + 1 < numFolds() && sameLane(fold, fold + 1) ? fold + 1 : kNone;
}

uint32_t FoldGraph::previousInTree(uint32_t fold) const {
  const Slice<uint32_t> folds = foldsOf(folds_[fold].tree);
  const uint32_t at = folds_[fold].inTree;
  return at > 0 && sameLane(folds[at - 1], fold) ? folds[at - 1] : kNone;
}

uint32_t FoldGraph::nextInTree(uint32_t fold) const {
  const Slice<uint32_t> folds = foldsOf(folds_[fold].tree);
  const uint32_t at = folds_[fold].inTree + 1;
  return at < folds.size() && sameLane(folds[at], fold) ? folds[at] : kNone;
}

std::string FoldGraph::describe(uint32_t fold) const {
  const Fold &at = folds_[fold];
  return "rank " + std::to_string(at.rank) + " lane " +
         std::to_string(at.lane) + " step " + std::to_string(at.position);
}

} // namespace blink::verify
