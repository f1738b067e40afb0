//===- FoldProgramIR.cpp - fold programs in IR ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/FoldProgramIR.h"

#include "compiler/plan/FoldMoves.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/SymmetryIR.h"

#include "llvm/ADT/StringSet.h"

using namespace blink;
using namespace mlir;

//===----------------------------------------------------------------------===//
// From IR
//===----------------------------------------------------------------------===//

namespace {

class ProgramReader {
public:
  ProgramReader(collective::ScheduleOp op, const TopologyFromIR &machine)
      : op_(op), machine_(machine) {}

  FailureOr<FoldProgram> read();

private:
  LogicalResult readSymmetry();
  void readShares();
  void readChannels();
  void readRank(collective::RankOp rank);
  FoldProgram::Operand operand(Attribute attr) const;
  llvm::SmallVector<FoldProgram::Operand> operands(ArrayAttr list) const {
    return llvm::map_to_vector(list,
                               [&](Attribute attr) { return operand(attr); });
  }

  collective::ScheduleOp op_;
  const TopologyFromIR &machine_;
  llvm::DenseMap<Attribute, int> trees_, channels_;
  FoldProgram program_;
};

} // namespace

LogicalResult ProgramReader::readSymmetry() {
  if (!op_.getSymmetry())
    return success();
  llvm::Expected<RankTopology> rankTopology = RankTopology::create(
      machine_.topology, op_.getGpus().vec(), fromIR(op_.getLinks()));
  if (!rankTopology)
    return op_.emitError(toString(rankTopology.takeError()));
  auto symmetry = symmetryFromIR(op_, op_.getSymmetry(), *rankTopology);
  if (failed(symmetry))
    return failure();
  program_.symmetry = std::move(*symmetry);
  return success();
}

void ProgramReader::readShares() {
  for (auto share : op_.getBody().getOps<collective::ShareOp>()) {
    trees_[share.getSymNameAttr()] = int(program_.trees.size());
    FoldProgram::Tree &tree = program_.trees.emplace_back();
    tree.root = int(share.getRoot());
    tree.block = int(share.getBlock());
    tree.numerator = uint32_t(share.getNumerator());
    tree.denominator = uint32_t(share.getDenominator());
    tree.depth = int(share.getDepth());
    tree.share = shareOfBlock(program_.collective, program_.numRanks,
                              tree.numerator, tree.denominator);
    tree.switchUse = switchUseFromIR(share.getSwitchUse(), machine_);
  }
}

void ProgramReader::readChannels() {
  for (auto channel : op_.getBody().getOps<collective::ChannelOp>()) {
    SmallVector<StringAttr> names(channel.getPath().getAsRange<StringAttr>());
    int number = program_.addChannel(
        trees_.lookup(channel.getShareAttr().getAttr()), int(channel.getFrom()),
        int(channel.getTo()), fromIR(channel.getKind()), machine_.path(names));
    program_.channels[number].slots = int(channel.getSlots());
    program_.channels[number].window = int(channel.getWindow());
    channels_[channel.getSymNameAttr()] = number;
  }
}

FoldProgram::Operand ProgramReader::operand(Attribute attr) const {
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attr))
    return FoldProgram::Operand::channel(channels_.lookup(symbol.getAttr()));
  auto buffer = cast<collective::BufferAttr>(attr);
  int block = int(buffer.getBlock());
  return buffer.getKind() == collective::BufferKind::Input
             ? FoldProgram::Operand::input(block)
             : FoldProgram::Operand::output(block);
}

void ProgramReader::readRank(collective::RankOp rank) {
  int number = int(rank.getRank());
  if (program_.ranks.size() <= size_t(number))
    program_.ranks.resize(number + 1);
  FoldProgram::Rank &to = program_.ranks[number];
  auto add = [&](collective::FoldOp fold) {
    program_.addFold(number, trees_.lookup(fold.getShareAttr().getAttr()),
                     fold.getCompletes(), operands(fold.getSources()),
                     operands(fold.getDestinations()));
    to.folds.back().delay = int(fold.getDelay());
  };
  for (Operation &child : rank.getBody().front()) {
    if (auto fold = dyn_cast<collective::FoldOp>(child)) {
      add(fold);
      continue;
    }
    std::vector<size_t> &lane = to.lanes.emplace_back();
    for (auto fold : cast<collective::LaneOp>(child)
                         .getBody()
                         .getOps<collective::FoldOp>()) {
      lane.push_back(to.folds.size());
      add(fold);
    }
  }
}

FailureOr<FoldProgram> ProgramReader::read() {
  program_.collective = fromIR(op_.getCollective());
  program_.numRanks = int(op_.getGpus().size());
  program_.ranks.resize(op_.getGpus().size());
  if (failed(readSymmetry()))
    return failure();
  for (const Link &link : machine_.topology.links)
    program_.links.push_back({link.bandwidth, link.latency});
  readShares();
  readChannels();
  for (auto rank : op_.getBody().getOps<collective::RankOp>())
    readRank(rank);
  countMoves(program_);
  return std::move(program_);
}

FailureOr<FoldProgram> blink::readProgram(collective::ScheduleOp schedule) {
  SymbolTableCollection symbols;
  collective::TopologyOp topology =
      collective::lookupTopology(schedule, symbols, schedule.getTopologyAttr());
  if (!topology)
    return failure();
  return readProgram(schedule, TopologyFromIR(topology));
}

FailureOr<FoldProgram> blink::readProgram(collective::ScheduleOp schedule,
                                          const TopologyFromIR &machine) {
  return ProgramReader(schedule, machine).read();
}

//===----------------------------------------------------------------------===//
// To IR
//===----------------------------------------------------------------------===//

void blink::writeLanes(collective::ScheduleOp schedule,
                       const FoldProgram &program) {
  OpBuilder builder(schedule.getContext());
  for (auto rank : schedule.getBody().getOps<collective::RankOp>()) {
    SmallVector<collective::FoldOp> folds(
        rank.getBody().getOps<collective::FoldOp>());
    if (folds.empty())
      continue; // it already has lanes, or it has no folds
    builder.setInsertionPointToEnd(&rank.getBody().front());
    for (const std::vector<size_t> &members :
         program.ranks[rank.getRank()].lanes) {
      auto lane = builder.create<collective::LaneOp>(rank.getLoc());
      Block *body = &lane.getBody().front();
      for (size_t fold : members) {
        folds[fold].setDelay(program.ranks[rank.getRank()].folds[fold].delay);
        folds[fold]->moveBefore(body, body->end());
      }
    }
  }
}

collective::ScheduleOp blink::buildSchedule(collective::ForestOp forest,
                                            const TopologyFromIR &machine,
                                            const FoldProgram &program,
                                            ArrayRef<std::string> names) {
  // The schedule has all attributes of the forest.
  OperationState state(forest.getLoc(),
                       collective::ScheduleOp::getOperationName());
  state.addAttributes(forest->getAttrDictionary().getValue());
  state.addRegion()->emplaceBlock();
  auto schedule = cast<collective::ScheduleOp>(OpBuilder(forest).create(state));
  schedule.setSymmetryAttr(
      symmetryToIR(schedule.getContext(), program.symmetry.get()));
  fillSchedule(schedule, machine, program, names);
  return schedule;
}

namespace {

class ScheduleFiller {
public:
  ScheduleFiller(collective::ScheduleOp op, const FoldProgram &program)
      : program_(program), loc_(op.getLoc()),
        builder_(OpBuilder::atBlockEnd(&op.getBody().front())) {}

  void fill(const TopologyFromIR &machine, ArrayRef<std::string> names);

private:
  void writeRank(int number);
  void writeFold(const FoldProgram::Rank &rank, const FoldProgram::Fold &fold);
  ArrayAttr list(ArrayRef<FoldProgram::Operand> operands);

  const FoldProgram &program_;
  Location loc_;
  OpBuilder builder_;
  std::vector<FlatSymbolRefAttr> trees_, channels_;
};

} // namespace

void ScheduleFiller::fill(const TopologyFromIR &machine,
                          ArrayRef<std::string> names) {
  MLIRContext *context = builder_.getContext();
  llvm::StringSet<> taken;
  for (const std::string &name : names)
    taken.insert(name);
  for (auto [i, tree] : llvm::enumerate(program_.trees)) {
    std::string name = names.empty() ? "t" + std::to_string(i) : names[i];
    trees_.push_back(FlatSymbolRefAttr::get(context, name));
    builder_.create<collective::ShareOp>(
        loc_, name, tree.root, tree.block, int64_t(tree.numerator),
        int64_t(tree.denominator), tree.depth,
        switchUseToIR(context, tree.switchUse, machine));
  }
  for (auto [i, channel] : llvm::enumerate(program_.channels)) {
    std::string name = "c" + std::to_string(i);
    while (taken.contains(name))
      name += "_";
    channels_.push_back(FlatSymbolRefAttr::get(context, name));
    SmallVector<Attribute> path;
    for (uint32_t link : program_.pathOf(channel))
      path.push_back(machine.linkNames[link]);
    builder_.create<collective::ChannelOp>(
        loc_, name, toIR(channel.kind), trees_[channel.tree].getValue(),
        channel.source, channel.destination, channel.slots, channel.window,
        builder_.getArrayAttr(path));
  }
  const Symmetry *symmetry = program_.symmetry.get();
  for (size_t rank = 0; rank < program_.ranks.size(); ++rank)
    if (!symmetry || symmetry->elementTo(int(rank)) == 0)
      writeRank(int(rank));
}

void ScheduleFiller::writeRank(int number) {
  OpBuilder::InsertionGuard guard(builder_);
  const FoldProgram::Rank &rank = program_.ranks[number];
  auto op = builder_.create<collective::RankOp>(loc_, number);
  Block *body = &op.getBody().front();
  builder_.setInsertionPointToEnd(body);
  if (rank.lanes.empty())
    for (const FoldProgram::Fold &fold : rank.folds)
      writeFold(rank, fold);
  for (const std::vector<size_t> &members : rank.lanes) {
    builder_.setInsertionPointToEnd(body);
    auto lane = builder_.create<collective::LaneOp>(loc_);
    builder_.setInsertionPointToEnd(&lane.getBody().front());
    for (size_t fold : members)
      writeFold(rank, rank.folds[fold]);
  }
}

void ScheduleFiller::writeFold(const FoldProgram::Rank &rank,
                               const FoldProgram::Fold &fold) {
  builder_.create<collective::FoldOp>(
      loc_, trees_[fold.tree].getValue(), list(rank.sourcesOf(fold)),
      list(rank.destinationsOf(fold)), fold.completes, fold.delay);
}

ArrayAttr ScheduleFiller::list(ArrayRef<FoldProgram::Operand> operands) {
  SmallVector<Attribute> attrs;
  for (const FoldProgram::Operand &operand : operands) {
    if (operand.isChannel()) {
      attrs.push_back(channels_[operand.index]);
      continue;
    }
    bool input = operand.kind == sched::OperandKind::input;
    attrs.push_back(collective::BufferAttr::get(
        builder_.getContext(),
        input ? collective::BufferKind::Input : collective::BufferKind::Output,
        operand.index));
  }
  return builder_.getArrayAttr(attrs);
}

void blink::fillSchedule(collective::ScheduleOp schedule,
                         const TopologyFromIR &machine,
                         const FoldProgram &program,
                         ArrayRef<std::string> names) {
  ScheduleFiller(schedule, program).fill(machine, names);
}

LogicalResult blink::checkComplete(collective::ScheduleOp schedule) {
  if (!schedule.getChunkBytes())
    return schedule.emitOpError(
        "has no chunk_bytes yet: run collective-tune-chunks first");
  for (auto rank : schedule.getBody().getOps<collective::RankOp>())
    for (auto fold : rank.getBody().getOps<collective::FoldOp>())
      return fold.emitOpError(
          "has no lane yet: run collective-assign-lanes first");
  return success();
}

sched::Protocol blink::protocolOf(collective::ScheduleOp schedule) {
  return fromIR(schedule.getProtocol().value_or(collective::Protocol::Simple));
}

sched::ChunkSizes blink::chunksOf(collective::ScheduleOp schedule) {
  const sched::ChunkSizes usual;
  return {*schedule.getChunkBytes(),
          schedule.getLeastChunkBytes().value_or(usual.leastBytes),
          schedule.getLeastChunks().value_or(usual.leastChunks)};
}

void blink::setChunks(collective::ScheduleOp schedule,
                      sched::ChunkSizes chunks) {
  schedule.setChunkBytes(int32_t(chunks.bytes));
  if (chunks == sched::ChunkSizes(chunks.bytes))
    return;
  schedule.setLeastChunkBytes(int32_t(chunks.leastBytes));
  schedule.setLeastChunks(int32_t(chunks.leastChunks));
}
