//===- ImportSchedule.cpp - .sched to IR ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ImportSchedule.h"

#include "compiler/target/EnumConversion.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/target/TopologyIR.h"

#include "mlir/IR/Verifier.h"

#include <limits>

using namespace mlir;
using namespace blink;

/// Sizes are 64-bit integers with a sign in IR.
static constexpr uint64_t kMostSaid = std::numeric_limits<int64_t>::max();

/// Symbols of shares and channels, by index.
static std::string shareName(uint32_t index) {
  return "t" + std::to_string(index);
}
static std::string channelName(uint32_t index) {
  return "c" + std::to_string(index);
}

static Attribute operandAttr(MLIRContext *context,
                             const sched::Operand &operand) {
  if (operand.kind() == sched::OperandKind::channel)
    return FlatSymbolRefAttr::get(context, channelName(operand.index()));
  bool input = operand.kind() == sched::OperandKind::input;
  return collective::BufferAttr::get(context,
                                     input ? collective::BufferKind::Input
                                           : collective::BufferKind::Output,
                                     operand.index());
}

static void buildRank(OpBuilder &builder, Location loc, int rankNumber,
                      const sched::RankProgram &program) {
  auto rank = builder.create<collective::RankOp>(loc, rankNumber);
  for (const sched::Lane *lane : *program.lanes()) {
    builder.setInsertionPointToEnd(&rank.getBody().front());
    auto laneOp = builder.create<collective::LaneOp>(loc);
    builder.setInsertionPointToEnd(&laneOp.getBody().front());
    for (uint32_t i = 0; i < lane->steps_count(); ++i) {
      const sched::Step *step = program.steps()->Get(lane->steps_begin() + i);
      SmallVector<Attribute> sources, destinations;
      for (uint32_t k = 0; k < uint32_t(step->sources() + step->destinations());
           ++k) {
        Attribute attr =
            operandAttr(builder.getContext(),
                        *program.operands()->Get(step->operands_begin() + k));
        (k < step->sources() ? sources : destinations).push_back(attr);
      }
      builder.create<collective::FoldOp>(
          loc, shareName(step->tree()), builder.getArrayAttr(sources),
          builder.getArrayAttr(destinations), step->completes());
    }
  }
}

static void buildSchedule(OpBuilder &builder, Location loc,
                          const sched::Schedule &file,
                          const sched::Program &program,
                          const sched::Variant &variant,
                          const TopologyFromIR &machine) {
  collective::CollectiveKind kind = toIR(program.collective());
  std::optional<int32_t> root;
  if (collective::isRooted(kind))
    root = program.root();
  SmallVector<int32_t> gpus(program.allocation()->begin(),
                            program.allocation()->end());
  const auto *prices = program.certificate()->prices();
  SmallVector<double> priceList(prices->begin(), prices->end());
  auto schedule = builder.create<collective::ScheduleOp>(
      loc, kind,
      FlatSymbolRefAttr::get(builder.getContext(), machine.topology.name), gpus,
      toIR(builder.getContext(), LinkKindSet(file.link_kinds())), root,
      program.algbw(), program.certificate()->bound(), priceList,
      variant.chunk_bytes());
  if (const auto *relays = program.relays(); relays && relays->size() > 0)
    schedule.setRelaysAttr(builder.getDenseI32ArrayAttr(
        SmallVector<int32_t>(relays->begin(), relays->end())));
  if (variant.protocol() != sched::Protocol::simple)
    schedule.setProtocol(toIR(variant.protocol()));
  if (variant.min_bytes() != 0)
    schedule.setMinBytes(variant.min_bytes());
  if (variant.max_bytes() != std::numeric_limits<uint64_t>::max())
    schedule.setMaxBytes(variant.max_bytes());
  Block *body = &schedule.getBody().front();
  builder.setInsertionPointToEnd(body);
  for (auto [i, tree] : llvm::enumerate(*variant.trees()))
    builder.create<collective::ShareOp>(
        loc, shareName(i), tree->root(), tree->block(),
        int64_t(tree->numerator()), int64_t(tree->denominator()),
        tree->depth());
  for (auto [i, channel] : llvm::enumerate(*variant.channels())) {
    SmallVector<Attribute> path;
    for (uint32_t k = 0; k < channel->path_count(); ++k)
      path.push_back(
          machine.linkNames[variant.paths()->Get(channel->path_begin() + k)]);
    builder.create<collective::ChannelOp>(
        loc, channelName(i), toIR(channel->kind()), shareName(channel->tree()),
        channel->source(), channel->destination(), channel->slots(),
        builder.getArrayAttr(path));
  }
  for (auto [i, rank] : llvm::enumerate(*variant.ranks())) {
    builder.setInsertionPointToEnd(body);
    buildRank(builder, loc, i, *rank);
  }
}

OwningOpRef<ModuleOp> blink::importSchedule(MLIRContext *context,
                                            const sched::Schedule &file) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (file.options()->size())
    (*module)->setAttr(kOptionsAttrName,
                       builder.getStringAttr(file.options()->str()));
  builder.setInsertionPointToEnd(module->getBody());
  Topology topology = topologyOf(file);
  TopologyFromIR machine(buildTopology(builder, loc, topology));
  for (const sched::Program *program : *file.programs()) {
    for (const sched::Variant *variant : *program->variants()) {
      if (variant->min_bytes() > kMostSaid) {
        emitError(loc) << "a variant begins at " << variant->min_bytes()
                       << " bytes; IR knows sizes below 2^63";
        return nullptr;
      }
      builder.setInsertionPointToEnd(module->getBody());
      buildSchedule(builder, loc, file, *program, *variant, machine);
    }
  }
  if (failed(mlir::verify(*module)))
    return nullptr;
  return module;
}
