//===- SymbolicExecution.cpp - does the schedule compute it? --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For one tree after the other: finds the folds that write the outputs, runs
// the folds in the order of the data, and checks what the outputs hold.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/SymbolicExecution.h"

#include "compiler/verify/TopologicalOrder.h"
#include "compiler/verify/TreeOrder.h"
#include "compiler/verify/Values.h"

#include <algorithm>

namespace blink::verify {

namespace {

std::string str(uint64_t number) { return std::to_string(number); }

/// "rank 3", "ranks 3, 4, 5", "ranks 3, 4, 5, 6 and 12 more".
std::string describeRanks(const std::vector<uint32_t> &ranks) {
  constexpr size_t mostListed = 4;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (i == mostListed)
      return text + " and " + str(ranks.size() - i) + " more";
    text += (i ? ", " : "") + str(ranks[i]);
  }
  return text;
}

/// Executes one tree at a time; memory is kept from tree to tree.
class Execution {
public:
  Execution(const Semantics &semantics, const FoldGraph &graph)
      : semantics_(semantics), graph_(graph), values_(semantics.numRanks()),
        channelValues_(graph.variant().channels()->size(), kNone),
        outputValues_(semantics.numRanks(), kNone),
        outputWriters_(semantics.numRanks(), kNone),
        isRewritten_(semantics.numRanks()) {}

  Failure run(uint32_t tree);
  /// Records how the tree that ran last adds up its result.
  void noteOrder(SumOrder &sums) const;

private:
  Failure findOutputWriters();
  Failure checkReadBacks();
  std::vector<uint32_t> dataOrder() const;
  bool writesOutput(uint32_t fold) const;
  Failure runFold(uint32_t fold);
  Failure checkOutputs() const;
  Failure checkReduced(uint32_t rank, uint32_t first) const;

  std::string inTree() const { return "tree " + str(tree_) + ": "; }
  std::string at(uint32_t fold) const {
    return inTree() + graph_.describe(fold);
  }

  const Semantics &semantics_;
  const FoldGraph &graph_;
  uint32_t tree_ = 0;
  uint32_t block_ = 0;
  Values values_;
  std::vector<uint32_t> channelValues_; // by channel
  std::vector<uint32_t> outputValues_;  // by rank
  std::vector<uint32_t> outputWriters_; // by rank: the last fold
  std::vector<bool> isRewritten_;       // by rank: several folds write it
  // Pairs of folds of one rank; the second one needs, or replaces, what the
  // output holds after the first.
  std::vector<OrderedPair> byOutput_;
};

Failure Execution::run(uint32_t tree) {
  tree_ = tree;
  block_ = graph_.tree(tree).block();
  values_.clear();
  outputValues_.assign(semantics_.numRanks(), kNone);
  if (Failure problem = findOutputWriters())
    return problem;
  if (Failure problem = checkReadBacks())
    return problem;
  const std::vector<uint32_t> order = dataOrder();
  if (order.size() < graph_.foldsOf(tree).size())
    return inTree() + "the data goes round in a circle of channels; expected "
                      "every channel to be filled from inputs";
  for (uint32_t position : order)
    if (Failure problem = runFold(graph_.foldsOf(tree)[position]))
      return problem;
  return checkOutputs();
}

/// Checks that every output that the tree should write is written, and no
/// other.
Failure Execution::findOutputWriters() {
  outputWriters_.assign(semantics_.numRanks(), kNone);
  isRewritten_.assign(semantics_.numRanks(), false);
  const uint32_t outputBlock = semantics_.outputBlock(block_);
  for (uint32_t fold : graph_.foldsOf(tree_)) {
    const uint32_t rank = graph_.fold(fold).rank;
    for (const sched::Operand &operand : graph_.destinations(fold)) {
      if (operand.kind() != sched::OperandKind::output)
        continue;
      if (operand.index() != outputBlock)
        return at(fold) + " writes output block " + str(operand.index()) +
               "; a tree of block " + str(block_) + " writes output block " +
               str(outputBlock) + " only";
      if (!semantics_.receives(rank, block_))
        return at(fold) + " writes the output of a rank that gets no result";
      isRewritten_[rank] = outputWriters_[rank] != kNone;
      outputWriters_[rank] = fold;
    }
  }
  for (uint32_t rank = 0; rank < semantics_.numRanks(); ++rank)
    if (semantics_.receives(rank, block_) && outputWriters_[rank] == kNone)
      return inTree() + "rank " + str(rank) + " never writes output block " +
             str(outputBlock);
  return std::nullopt;
}

/// Checks that every fold that reads an output back runs after the fold that
/// writes it. If several folds write one output, they must do so in the order
/// of their numbers: each adds to what the previous one has written, after all
/// other folds that read that value.
Failure Execution::checkReadBacks() {
  byOutput_.clear();
  uint32_t written = kNone;   // last write so far of a rank that rewrites
  std::vector<uint32_t> read; // reads since then
  for (uint32_t fold : graph_.foldsOf(tree_)) {
    const uint32_t rank = graph_.fold(fold).rank;
    if (rank >= semantics_.numRanks())
      continue; // a relay: channels only
    if (written != kNone && graph_.fold(written).rank != rank) {
      written = kNone;
      read.clear();
    }
    const uint32_t writer = isRewritten_[rank] ? written : outputWriters_[rank];
    for (const sched::Operand &operand : graph_.sources(fold)) {
      if (operand.kind() != sched::OperandKind::output)
        continue;
      if (operand.index() != semantics_.outputBlock(block_) || writer == kNone)
        return at(fold) + " reads output block " + str(operand.index()) +
               ", which no fold of its tree writes";
      if (writer == fold)
        return at(fold) + " reads the output it writes itself";
      byOutput_.push_back({writer, fold});
      read.push_back(fold);
    }
    if (!isRewritten_[rank] || !writesOutput(fold))
      continue;
    if (written != kNone && (read.empty() || read.back() != fold))
      return at(fold) + " writes the output again, after " +
             graph_.describe(written) +
             "; expected one write, or that it adds to what is there";
    for (uint32_t before : read)
      if (before != fold)
        byOutput_.push_back({before, fold});
    written = fold;
    read.clear();
  }
  const size_t first = firstUnordered(graph_, tree_, byOutput_);
  if (first == byOutput_.size())
    return std::nullopt;
  const auto [before, after] = byOutput_[first];
  return at(after) +
         (writesOutput(before) ? " reads the output, which "
                               : " writes the output again, which ") +
         graph_.describe(before) +
         (writesOutput(before) ? " may not have written yet"
                               : " may not have read it yet") +
         "; expected the order of a lane or channels of the tree between them";
}

/// Returns the positions of the tree's folds, each after those whose values it
/// reads.
std::vector<uint32_t> Execution::dataOrder() const {
  const Slice<uint32_t> folds = graph_.foldsOf(tree_);
  std::vector<std::vector<uint32_t>> next(folds.size());
  for (const OrderedPair &pair : byOutput_)
    next[graph_.fold(pair.before).inTree].push_back(
        graph_.fold(pair.after).inTree);
  return topologicalOrder(
      static_cast<uint32_t>(folds.size()), [&](uint32_t node, auto visit) {
        for (const sched::Operand &operand : graph_.destinations(folds[node]))
          if (operand.kind() == sched::OperandKind::channel)
            visit(graph_.fold(graph_.reader(operand.index())).inTree);
        for (uint32_t fold : next[node])
          visit(fold);
      });
}

bool Execution::writesOutput(uint32_t fold) const {
  const Slice<sched::Operand> operands = graph_.destinations(fold);
  return std::any_of(operands.begin(), operands.end(),
                     [](const sched::Operand &operand) {
                       return operand.kind() == sched::OperandKind::output;
                     });
}

Failure Execution::runFold(uint32_t fold) {
  const uint32_t rank = graph_.fold(fold).rank;
  std::vector<uint32_t> operands;
  for (const sched::Operand &source : graph_.sources(fold)) {
    switch (source.kind()) {
    case sched::OperandKind::input:
      if (source.index() != semantics_.inputBlock(block_))
        return at(fold) + " reads input block " + str(source.index()) +
               "; a tree of block " + str(block_) + " reads input block " +
               str(semantics_.inputBlock(block_)) + " only";
      operands.push_back(rank);
      break;
    case sched::OperandKind::output:
      operands.push_back(outputValues_[rank]);
      break;
    case sched::OperandKind::channel:
      operands.push_back(channelValues_[source.index()]);
      break;
    }
  }

  const bool completes = graph_.fold(fold).completes;
  if (!semantics_.reduces() && (operands.size() > 1 || completes))
    return at(fold) +
           (completes ? " completes a reduction" : " reduces several sources") +
           ", but the collective only copies";
  if (operands.size() > 1 || completes)
    for (size_t i = 0; i < operands.size(); ++i)
      if (values_.isCompleted(operands[i]))
        return at(fold) + (completes ? " completes" : " reduces") +
               " a value that is complete already (source " + str(i) +
               "); expected one completing fold, after all reductions";

  const uint32_t value = values_.fold(operands, completes);
  for (const sched::Operand &destination : graph_.destinations(fold)) {
    if (destination.kind() == sched::OperandKind::channel)
      channelValues_[destination.index()] = value;
    else
      outputValues_[rank] = value;
  }
  return std::nullopt;
}

Failure Execution::checkOutputs() const {
  uint32_t first = kNone; // the first rank with the result
  for (uint32_t rank = 0; rank < semantics_.numRanks(); ++rank) {
    if (!semantics_.receives(rank, block_))
      continue;
    if (semantics_.reduces()) {
      if (first == kNone)
        first = rank;
      if (Failure problem = checkReduced(rank, first))
        return problem;
    } else if (outputValues_[rank] >= semantics_.numRanks() ||
               !semantics_.contributes(outputValues_[rank], block_)) {
      return inTree() + "rank " + str(rank) + " ends with the input of rank " +
             values_.describe(outputValues_[rank]) +
             ", which is not the sender of block " + str(block_);
    }
  }
  return std::nullopt;
}

void Execution::noteOrder(SumOrder &sums) const {
  if (!sums.difference.empty())
    return;
  if (graph_.variant().switches())
    for (const sched::SwitchUse *use : *graph_.variant().switches())
      if (use->tree() == tree_ && use->reduces()) {
        sums.difference = inTree() + "a switch adds, in an order of its own";
        return;
      }
  uint32_t rank = 0; // all receivers have the same result
  while (!semantics_.receives(rank, block_))
    ++rank;
  const uint32_t value = outputValues_[rank];
  std::vector<uint32_t> folds = values_.order(value, /*folds=*/true);
  if (sums.first.empty()) {
    sums.first = values_.order(value, /*folds=*/false);
    sums.firstFolds = std::move(folds);
    return;
  }
  if (folds == sums.firstFolds)
    return;
  sums.sameFolds = false;
  if (values_.order(value, /*folds=*/false) != sums.first)
    sums.difference = inTree() + "the sum is " + values_.describe(value) +
                      ", and not that of the first tree";
}

/// Checks the output of `rank`, which must agree with that of rank `first`.
Failure Execution::checkReduced(uint32_t rank, uint32_t first) const {
  const uint32_t value = outputValues_[rank];
  if (rank != first && value == outputValues_[first])
    return std::nullopt;
  const std::string place = inTree() + "rank " + str(rank);

  std::vector<uint32_t> missing, repeated;
  const std::vector<uint8_t> counts = values_.contributions(value);
  for (uint32_t other = 0; other < semantics_.numRanks(); ++other) {
    if (counts[other] == 0)
      missing.push_back(other);
    else if (counts[other] > 1)
      repeated.push_back(other);
  }
  if (!missing.empty())
    return place + " ends without the contribution of " +
           describeRanks(missing) + "; expected all " +
           str(semantics_.numRanks());
  if (!repeated.empty())
    return place + " ends with the contribution of " + describeRanks(repeated) +
           " more than once";
  if (!values_.isCompleted(value))
    return place + " ends with a result that no completing fold has passed";
  if (value != outputValues_[first])
    return place + " ends with " + values_.describe(value) + ", rank " +
           str(first) + " with " + values_.describe(outputValues_[first]) +
           "; expected one order on all ranks";
  return std::nullopt;
}

} // namespace

sched::ReductionOrder SumOrder::proved(uint32_t numRanks) const {
  if (!difference.empty() || first.empty())
    return sched::ReductionOrder::none;
  // 0 1 + 2 + ...
  std::vector<uint32_t> chain{0};
  for (uint32_t rank = 1; rank < numRanks; ++rank)
    chain.insert(chain.end(), {rank, Values::kPlus});
  return first == chain ? sched::ReductionOrder::rank
                        : sched::ReductionOrder::invariant;
}

Failure checkResult(const Semantics &semantics, const FoldGraph &graph,
                    SumOrder *sums) {
  Execution execution(semantics, graph);
  for (uint32_t tree = 0; tree < graph.numTrees(); ++tree) {
    if (Failure problem = execution.run(tree))
      return problem;
    if (sums && semantics.reduces())
      execution.noteOrder(*sums);
  }
  return std::nullopt;
}

} // namespace blink::verify
