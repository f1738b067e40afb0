//===- FoldMoves.cpp - what folds move, with and without slots ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/FoldMoves.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace blink;
using Fold = FoldProgram::Fold;
using Operand = FoldProgram::Operand;
using Rank = FoldProgram::Rank;

static bool isInput(const Operand &operand) {
  return operand.kind == sched::OperandKind::input;
}
static bool isOutput(const Operand &operand) {
  return operand.kind == sched::OperandKind::output;
}

namespace {

/// How the folds of a rank in one tree, or an image of one, use the rank's
/// buffers.
struct Use {
  int outputWriters = 0, inputReaders = 0;
};

class MoveCounter {
public:
  explicit MoveCounter(FoldProgram &program)
      : program_(program), isDirect_(program.channels.size(), false) {}

  void run();

private:
  /// Sets uses_ to those of `rank`.
  void findUses(const Rank &rank);
  void findDirect(const Rank &rank);
  bool inputIsBorrowed(const Rank &rank, const Fold &fold) const;
  Use useOf(const Rank &rank, const Fold &fold) const {
    return uses_.lookup(program_.placeOf(rank, fold));
  }
  void count(Rank &rank);

  bool isDirect(const Operand &operand) const {
    return operand.isChannel() && isDirect_[operand.index];
  }
  bool isPeer(const Operand &operand) const {
    const FoldProgram::Channel &channel = program_.channels[operand.index];
    return channel.kind == sched::ChannelKind::peer &&
           !program_.isSwitched(channel);
  }
  bool isSwitched(const Operand &operand) const {
    return operand.isChannel() &&
           program_.isSwitched(program_.channels[operand.index]);
  }
  /// Returns the number of operands that one switch joins, less one.
  uint32_t joined(llvm::ArrayRef<Operand> operands) const {
    auto number = uint32_t(llvm::count_if(
        operands, [&](const Operand &operand) { return isSwitched(operand); }));
    return number > 0 ? number - 1 : 0;
  }

  FoldProgram &program_;
  llvm::DenseMap<std::pair<int, int>, Use> uses_; ///< of a rank, by placeOf
  std::vector<bool> isDirect_;                    ///< per channel
};

} // namespace

void MoveCounter::findUses(const Rank &rank) {
  uses_.clear();
  for (const Fold &fold : rank.folds) {
    Use &use = uses_[program_.placeOf(rank, fold)];
    use.inputReaders += int(llvm::count_if(rank.sourcesOf(fold), isInput));
    use.outputWriters +=
        int(llvm::count_if(rank.destinationsOf(fold), isOutput));
  }
}

void MoveCounter::findDirect(const Rank &rank) {
  // The reader may come late, so no other fold may write its output in between.
  for (const Fold &fold : rank.folds) {
    const Operand &source = rank.operands[fold.operands];
    if (fold.sources == 1 && source.isChannel() && !fold.completes &&
        useOf(rank, fold).outputWriters == 1 &&
        llvm::any_of(rank.destinationsOf(fold), isOutput))
      isDirect_[source.index] = isPeer(source);
  }
}

bool MoveCounter::inputIsBorrowed(const Rank &rank, const Fold &fold) const {
  // The writer's input must stay as it is until it has been read. In an
  // in-place allreduce the output replaces the input only after the input has
  // left by its only channel.
  if (fold.sources != 1 || !isInput(rank.operands[fold.operands]) ||
      fold.completes)
    return false;
  const Use use = useOf(rank, fold);
  if (llvm::any_of(rank.destinationsOf(fold), isOutput))
    return use.outputWriters == 1;
  return use.outputWriters == 0 ||
         (program_.collective == sched::Collective::allreduce &&
          use.inputReaders == 1 && fold.destinations == 1);
}

void MoveCounter::count(Rank &rank) {
  for (Fold &fold : rank.folds) {
    bool isThere = fold.sources == 1 && isDirect(rank.operands[fold.operands]);
    bool borrowed = inputIsBorrowed(rank, fold);
    auto written =
        llvm::count_if(rank.destinationsOf(fold), [&](const Operand &operand) {
          if (!operand.isChannel())
            return !isThere;
          return !borrowed || isDirect(operand) || !isPeer(operand);
        });
    fold.directMoves = written == 0 ? 0 : fold.sources + uint32_t(written);
    fold.slotMoves = fold.sources + fold.destinations;
    const uint32_t fewer =
        joined(rank.sourcesOf(fold)) + joined(rank.destinationsOf(fold));
    const bool storesInput =
        llvm::any_of(rank.sourcesOf(fold), isInput) &&
        llvm::any_of(rank.sourcesOf(fold), [&](const Operand &operand) {
          return isSwitched(operand);
        });
    for (uint32_t *moves : {&fold.directMoves, &fold.slotMoves})
      if (*moves > 0)
        *moves += (storesInput ? 1 : 0) - fewer;
  }
}

void MoveCounter::run() {
  for (const Rank &rank : program_.ranks) {
    findUses(rank);
    findDirect(rank);
  }
  for (Rank &rank : program_.ranks) {
    findUses(rank);
    count(rank);
  }
}

void blink::countMoves(FoldProgram &program) { MoveCounter(program).run(); }

FoldLoad blink::loadOf(const FoldProgram &program, const Rank &rank,
                       const Fold &fold, sched::Protocol protocol) {
  double share = program.trees[fold.tree].share;
  bool direct = protocol == sched::Protocol::simple;
  bool up = llvm::all_of(rank.destinationsOf(fold), [](const Operand &operand) {
    return operand.isChannel();
  });
  return {share * (direct ? fold.directMoves : fold.slotMoves),
          share * fold.slotMoves, up};
}
