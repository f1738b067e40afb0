//===- FoldMovesTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The data that folds move with zero copy, and the lanes that they share,
// compared with results found by hand.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/FoldMoves.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using sched::ChannelKind;

namespace {

/// Operands are numbers of channels, or one of these.
constexpr int kInput = -1, kOutput = -2;
using Lanes = std::vector<std::vector<size_t>>;

/// Builds a program fold by fold, rank after rank.
class FoldTable {
public:
  explicit FoldTable(sched::Collective collective) {
    program_.collective = collective;
  }

  void addChannel(ChannelKind kind) { program_.addChannel(0, 0, 0, kind); }
  void addFold(size_t rank, int tree, bool completes,
               const std::vector<int> &sources,
               const std::vector<int> &destinations) {
    program_.ranks.resize(std::max(program_.ranks.size(), rank + 1));
    program_.trees.resize(std::max(program_.trees.size(), size_t(tree + 1)));
    program_.addFold(int(rank), tree, completes, operands(sources),
                     operands(destinations));
  }

  std::vector<FoldProgram::Fold> moves() const {
    FoldProgram program = program_;
    countMoves(program);
    std::vector<FoldProgram::Fold> folds;
    for (const FoldProgram::Rank &rank : program.ranks)
      folds.insert(folds.end(), rank.folds.begin(), rank.folds.end());
    return folds;
  }

private:
  static std::vector<FoldProgram::Operand>
  operands(const std::vector<int> &numbers) {
    std::vector<FoldProgram::Operand> list;
    for (int number : numbers)
      list.push_back(number == kInput ? FoldProgram::Operand::input()
                     : number == kOutput
                         ? FoldProgram::Operand::output()
                         : FoldProgram::Operand::channel(number));
    return list;
  }

  FoldProgram program_;
};

std::vector<int> directOf(const FoldTable &table) {
  std::vector<int> direct;
  for (const FoldProgram::Fold &fold : table.moves())
    direct.push_back(int(fold.directMoves));
  return direct;
}

/// Returns an allreduce of three ranks in a chain 0 - 1 - 2 with root `root`, 1
/// or 2.
FoldTable reduceInRow(int root, ChannelKind kind = ChannelKind::peer) {
  FoldTable table(sched::Collective::allreduce);
  for (int channel = 0; channel < 4; ++channel)
    table.addChannel(kind); // up 0, 1, down 2, 3
  if (root == 1) {
    table.addFold(0, 0, false, {kInput}, {0});
    table.addFold(0, 0, false, {2}, {kOutput});
    table.addFold(1, 0, true, {kInput, 0, 1}, {kOutput, 2, 3});
    table.addFold(2, 0, false, {kInput}, {1});
    table.addFold(2, 0, false, {3}, {kOutput});
  } else {
    table.addFold(0, 0, false, {kInput}, {0});
    table.addFold(0, 0, false, {3}, {kOutput});
    table.addFold(1, 0, false, {kInput, 0}, {1});
    table.addFold(1, 0, false, {2}, {kOutput, 3});
    table.addFold(2, 0, true, {kInput, 1}, {kOutput, 2});
  }
  return table;
}

} // namespace

TEST_CASE("leaves are passive with zero copy") {
  // The root reads the leaves' inputs and writes their outputs.
  CHECK(directOf(reduceInRow(1)) == std::vector<int>{0, 0, 6, 0, 0});
  // On the way up, the middle rank reads a leaf's input and sends a sum, which
  // is not its input. On the way down it finds the result in its output and
  // copies it to the leaf's.
  CHECK(directOf(reduceInRow(2)) == std::vector<int>{0, 0, 3, 2, 4});
  std::vector<FoldProgram::Fold> moves = reduceInRow(2).moves();
  CHECK(moves[2].slotMoves == 3);
  CHECK(moves[3].slotMoves == 3);
  CHECK(moves[4].slotMoves == 4);
  // No rank can reach another's buffers through a staged channel.
  CHECK(directOf(reduceInRow(1, ChannelKind::staged)) ==
        std::vector<int>{2, 2, 6, 2, 2});
}

TEST_CASE("inputs that are overwritten are not borrowed") {
  // In a direct exchange, the reader's output replaces its own input if in
  // place. By then the input has left through two channels, but the rank cannot
  // know that it was read.
  FoldTable table(sched::Collective::allreduce);
  for (int channel = 0; channel < 6; ++channel)
    table.addChannel(ChannelKind::peer); // two per rank, to the others
  for (int rank = 0; rank < 3; ++rank) {
    int first = (rank + 1) % 3, second = (rank + 2) % 3; // write to it
    table.addFold(rank, 0, false, {kInput}, {2 * rank, 2 * rank + 1});
    table.addFold(rank, 0, true, {kInput, 2 * first + 1, 2 * second},
                  {kOutput});
  }
  CHECK(directOf(table) == std::vector<int>{3, 4, 3, 4, 3, 4});
  // Nor with two ranks: the second fold needs the input, too.
  FoldTable pair(sched::Collective::allreduce);
  pair.addChannel(ChannelKind::peer);
  pair.addChannel(ChannelKind::peer);
  pair.addFold(0, 0, false, {kInput}, {0});
  pair.addFold(0, 0, true, {kInput, 1}, {kOutput});
  pair.addFold(1, 0, false, {kInput}, {1});
  pair.addFold(1, 0, true, {0, kInput}, {kOutput});
  CHECK(directOf(pair) == std::vector<int>{2, 3, 2, 3});
}

TEST_CASE("chains move in the middle") {
  // Scatter: the first relay reads the root's input; the last one writes the
  // output. The root copies its own block.
  FoldTable table(sched::Collective::scatter);
  table.addChannel(ChannelKind::peer);
  table.addChannel(ChannelKind::peer);
  table.addFold(0, 0, false, {kInput}, {kOutput});
  table.addFold(0, 1, false, {kInput}, {0});
  table.addFold(1, 1, false, {0}, {1});
  table.addFold(2, 1, false, {1}, {kOutput});
  CHECK(directOf(table) == std::vector<int>{2, 0, 2, 0});
  // A sum that is divided goes through a slot. So does a chunk for an output
  // that another fold of the tree writes, too.
  FoldTable completes(sched::Collective::reduce);
  completes.addChannel(ChannelKind::peer);
  completes.addFold(0, 0, false, {kInput}, {0});
  completes.addFold(1, 0, true, {0}, {kOutput});
  CHECK(directOf(completes) == std::vector<int>{0, 2});
  FoldTable twice(sched::Collective::broadcast);
  twice.addChannel(ChannelKind::peer);
  twice.addFold(0, 0, false, {kInput}, {kOutput, 0});
  twice.addFold(1, 0, false, {0}, {kOutput});
  twice.addFold(1, 0, false, {kInput}, {kOutput});
  CHECK(directOf(twice) == std::vector<int>{2, 2, 2});
}

TEST_CASE("every lane moves something, and what is passive fills up") {
  // As in a star: two roots, and six passive folds in each direction.
  std::vector<FoldLoad> folds;
  for (int fold = 0; fold < 6; ++fold) {
    folds.push_back({0, 2, true});
    folds.push_back({0, 2, false});
  }
  folds.push_back({8, 8, false});
  folds.push_back({8, 8, false});
  Lanes lanes = chooseLanes(folds, 2);
  REQUIRE(lanes.size() == 2);
  for (size_t lane : {0, 1}) {
    CHECK(lanes[lane].size() == 7);
    CHECK(std::count(lanes[lane].begin(), lanes[lane].end(), 12 + lane) == 1);
  }
  // There are too few active folds for all lanes: the other lanes take passive
  // ones.
  lanes = chooseLanes(folds, 4);
  REQUIRE(lanes.size() == 4);
  for (const std::vector<size_t> &lane : lanes)
    CHECK(!lane.empty());
  // Each fold has its own lane as long as there are enough.
  lanes = chooseLanes(folds, 14);
  CHECK(lanes.size() == 14);
  CHECK(chooseLanes(folds, 1).size() == 1);
  CHECK(chooseLanes({{0, 2, true}}, 1) == Lanes{{0}});
  CHECK(chooseLanes({{2, 2, false}}, 16) == Lanes{{0}});
}

TEST_CASE("a lane with many small folds bears their turns") {
  // Two folds that each move as much as six others.
  std::vector<FoldLoad> folds(2, {6, 6, false});
  folds.insert(folds.end(), 12, {1, 1, false});
  auto mostFolds = [&] {
    size_t most = 0;
    for (const std::vector<size_t> &lane : chooseLanes(folds, 4))
      most = std::max(most, lane.size());
    return most;
  };
  CHECK(mostFolds() == 6);
  // Each fold also costs its lane the time of one byte: 38 in all, about ten
  // per lane.
  for (FoldLoad &fold : folds)
    fold.turns = 1;
  CHECK(mostFolds() == 5);
}

TEST_CASE("both directions have lanes of their own where both move") {
  std::vector<FoldLoad> folds;
  for (int fold = 0; fold < 8; ++fold) {
    folds.push_back({3, 3, true});
    folds.push_back({2, 3, false});
  }
  folds.push_back({0, 0.5, true});
  folds.push_back({0, 0.5, false});
  // 24 against 16 bytes: three of five lanes go up.
  Lanes lanes = chooseLanes(folds, 5);
  REQUIRE(lanes.size() == 5);
  for (size_t lane = 0; lane < 5; ++lane)
    for (size_t fold : lanes[lane])
      CHECK(folds[fold].up == (lane < 3));
  // Passive folds move to other lanes before a lane has far more bytes through
  // slots than the average.
  for (int fold = 0; fold < 40; ++fold)
    folds.push_back({0, 2, false});
  lanes = chooseLanes(folds, 5);
  double sum = 0;
  std::vector<double> slots;
  for (const std::vector<size_t> &lane : lanes) {
    double bytes = 0;
    for (size_t fold : lane)
      bytes += folds[fold].slots;
    slots.push_back(bytes);
    sum += bytes;
  }
  CHECK(*std::max_element(slots.begin(), slots.end()) <= 1.3 * sum / 5);
}

TEST_CASE("mixed directions share lanes where they do not divide evenly") {
  // 30 against 10 bytes: four and a half lanes of six would go up.
  std::vector<FoldLoad> folds(15, {2, 2, true});
  folds.insert(folds.end(), 5, {2, 2, false});
  auto mostBytes = [&](Directions directions) {
    double most = 0;
    size_t placed = 0;
    for (const std::vector<size_t> &lane : chooseLanes(folds, 6, directions)) {
      most = std::max(most, 2 * double(lane.size()));
      placed += lane.size();
    }
    CHECK(placed == folds.size());
    return most;
  };
  CHECK(mostBytes(Directions::apart) == 10);
  CHECK(mostBytes(Directions::mixed) == 8);
  // The largest folds come first, whatever their direction.
  folds.assign(12, {1, 1, true});
  folds.insert(folds.end(), 2, {6, 6, false});
  double most = 0;
  for (const auto &lane : chooseLanes(folds, 4, Directions::mixed)) {
    double bytes = 0;
    for (size_t fold : lane)
      bytes += folds[fold].bytes;
    most = std::max(most, bytes);
  }
  CHECK(most == 6);
  // 24 against 16 bytes: three of five lanes go up, and all have 8 bytes.
  folds.assign(6, {4, 4, true});
  folds.insert(folds.end(), 8, {2, 2, false});
  CHECK(chooseLanes(folds, 5, Directions::mixed) == chooseLanes(folds, 5));
}
