//===- ExportSchedule.cpp - IR to .sched ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ExportSchedule.h"

#include "compiler/target/EnumConversion.h"
#include "compiler/target/TopologyIR.h"
#include "schedules/ScheduleFile.h"

#include <limits>
#include <map>
#include <tuple>

using namespace mlir;
using namespace blink;

namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// Writes the variant that one collective.schedule is.
class VariantWriter {
public:
  VariantWriter(flatbuffers::FlatBufferBuilder &builder,
                const TopologyFromIR &machine, collective::ScheduleOp op)
      : builder_(builder), machine_(machine), op_(op) {}

  FailureOr<flatbuffers::Offset<sched::Variant>> write();

private:
  void writeShares();
  void writeChannels();
  LogicalResult writeRank(collective::RankOp rank);
  sched::Step step(collective::FoldOp fold,
                   std::vector<sched::Operand> &operands) const;
  sched::Operand operand(Attribute attr) const;

  flatbuffers::FlatBufferBuilder &builder_;
  const TopologyFromIR &machine_;
  collective::ScheduleOp op_;
  llvm::DenseMap<Attribute, uint32_t> shareIndices_;
  llvm::DenseMap<Attribute, uint32_t> channelIndices_;
  std::vector<sched::Tree> trees_;
  std::vector<sched::Channel> channels_;
  std::vector<uint32_t> paths_;
  std::vector<flatbuffers::Offset<sched::RankProgram>> ranks_;
};

} // namespace

void VariantWriter::writeShares() {
  for (auto share : op_.getBody().getOps<collective::ShareOp>()) {
    shareIndices_[share.getSymNameAttr()] = trees_.size();
    trees_.emplace_back(share.getNumerator(), share.getDenominator(),
                        share.getBlock(), share.getRoot(), share.getDepth());
  }
}

void VariantWriter::writeChannels() {
  // Channels over the same links share one entry of `paths`.
  std::map<Path, uint32_t> begins;
  for (auto channel : op_.getBody().getOps<collective::ChannelOp>()) {
    channelIndices_[channel.getSymNameAttr()] = channels_.size();
    SmallVector<StringAttr> names(channel.getPath().getAsRange<StringAttr>());
    Path path = machine_.path(names);
    auto [entry, isNew] = begins.try_emplace(path, paths_.size());
    if (isNew)
      paths_.insert(paths_.end(), path.begin(), path.end());
    channels_.emplace_back(
        shareIndices_.lookup(channel.getShareAttr().getAttr()), entry->second,
        path.size(), channel.getFrom(), channel.getTo(), channel.getSlots(),
        fromIR(channel.getKind()));
  }
}

sched::Operand VariantWriter::operand(Attribute attr) const {
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attr))
    return {channelIndices_.lookup(symbol.getAttr()),
            sched::OperandKind::channel};
  auto buffer = cast<collective::BufferAttr>(attr);
  bool input = buffer.getKind() == collective::BufferKind::Input;
  return {static_cast<uint32_t>(buffer.getBlock()),
          input ? sched::OperandKind::input : sched::OperandKind::output};
}

sched::Step VariantWriter::step(collective::FoldOp fold,
                                std::vector<sched::Operand> &operands) const {
  uint32_t begin = operands.size();
  for (ArrayAttr list : {fold.getSources(), fold.getDestinations()})
    for (Attribute attr : list)
      operands.push_back(operand(attr));
  return {shareIndices_.lookup(fold.getShareAttr().getAttr()), begin,
          static_cast<uint16_t>(fold.getSources().size()),
          static_cast<uint16_t>(fold.getDestinations().size()),
          fold.getCompletes()};
}

LogicalResult VariantWriter::writeRank(collective::RankOp rank) {
  std::vector<sched::Lane> lanes;
  std::vector<sched::Step> steps;
  std::vector<sched::Operand> operands;
  for (Operation &child : rank.getBody().front()) {
    auto lane = dyn_cast<collective::LaneOp>(child);
    if (!lane)
      return child.emitOpError(
          "has no lane yet: run collective-assign-lanes first");
    uint32_t begin = steps.size();
    for (auto fold : lane.getBody().getOps<collective::FoldOp>())
      steps.push_back(step(fold, operands));
    lanes.emplace_back(begin, steps.size() - begin);
  }
  ranks_.push_back(
      sched::CreateRankProgram(builder_, builder_.CreateVectorOfStructs(lanes),
                               builder_.CreateVectorOfStructs(steps),
                               builder_.CreateVectorOfStructs(operands)));
  return success();
}

FailureOr<flatbuffers::Offset<sched::Variant>> VariantWriter::write() {
  if (!op_.getChunkBytes())
    return op_.emitOpError(
        "has no chunk_bytes yet: run collective-tune-chunks first");
  writeShares();
  writeChannels();
  for (auto rank : op_.getBody().getOps<collective::RankOp>())
    if (failed(writeRank(rank)))
      return failure();
  return sched::CreateVariant(
      builder_, op_.getMinBytes().value_or(0),
      op_.getMaxBytes() ? *op_.getMaxBytes() : kNoLimit,
      fromIR(op_.getProtocol().value_or(collective::Protocol::Simple)),
      *op_.getChunkBytes(), builder_.CreateVectorOfStructs(trees_),
      builder_.CreateVectorOfStructs(channels_), builder_.CreateVector(paths_),
      builder_.CreateVector(ranks_));
}

static FailureOr<flatbuffers::Offset<sched::Program>>
writeProgram(flatbuffers::FlatBufferBuilder &builder,
             const TopologyFromIR &machine,
             ArrayRef<collective::ScheduleOp> schedules) {
  std::vector<flatbuffers::Offset<sched::Variant>> variants;
  for (collective::ScheduleOp schedule : schedules) {
    auto variant = VariantWriter(builder, machine, schedule).write();
    if (failed(variant))
      return failure();
    variants.push_back(*variant);
  }
  collective::ScheduleOp op = schedules.front();
  std::vector<double> prices = op.getPrices().vec();
  auto certificate = sched::CreateCertificate(
      builder, op.getBound().convertToDouble(), builder.CreateVector(prices));
  std::vector<uint16_t> allocation(op.getGpus().begin(), op.getGpus().end());
  flatbuffers::Offset<flatbuffers::Vector<uint16_t>> relays;
  if (auto gpus = op.getRelays())
    relays =
        builder.CreateVector(std::vector<uint16_t>(gpus->begin(), gpus->end()));
  return sched::CreateProgram(
      builder, fromIR(op.getCollective()), op.getRoot().value_or(0),
      builder.CreateVector(allocation), op.getAlgbw().convertToDouble(),
      certificate, builder.CreateVector(variants), relays);
}

/// Errors: `op` does not follow `before`, the variant before it or null, in
/// their program.
static LogicalResult verifyVariant(collective::ScheduleOp op,
                                   collective::ScheduleOp before) {
  int64_t least = op.getMinBytes().value_or(0);
  if (!before)
    return least == 0 ? success()
                      : op.emitOpError() << "is the first of its collective "
                                            "and allocation, but begins at "
                                         << least << " bytes, not at 0";
  if (op.getAlgbwAttr() != before.getAlgbwAttr() ||
      op.getBoundAttr() != before.getBoundAttr() ||
      op.getPricesAttr() != before.getPricesAttr() ||
      op.getRelaysAttr() != before.getRelaysAttr())
    return op.emitOpError("is a variant of the collective.schedule before it, "
                          "but states another algbw, bound, price or relay");
  if (!before.getMaxBytes())
    return op.emitOpError("repeats the collective and allocation of another "
                          "one, which has no max_bytes");
  if (least != static_cast<int64_t>(*before.getMaxBytes()))
    return op.emitOpError()
           << "begins at " << least << " bytes, expected "
           << *before.getMaxBytes() << ", where the variant before it ends";
  return success();
}

FailureOr<std::vector<std::vector<collective::ScheduleOp>>>
blink::groupVariants(ModuleOp module) {
  std::map<
      std::tuple<collective::CollectiveKind, uint32_t, std::vector<int32_t>>,
      size_t>
      programOf;
  std::vector<std::vector<collective::ScheduleOp>> programs;
  for (auto schedule : module.getOps<collective::ScheduleOp>()) {
    auto [entry, isNew] = programOf.try_emplace({schedule.getCollective(),
                                                 schedule.getRoot().value_or(0),
                                                 schedule.getGpus().vec()},
                                                programs.size());
    if (isNew)
      programs.emplace_back();
    std::vector<collective::ScheduleOp> &variants = programs[entry->second];
    if (failed(verifyVariant(schedule, isNew ? nullptr : variants.back())))
      return failure();
    variants.push_back(schedule);
  }
  for (const std::vector<collective::ScheduleOp> &variants : programs)
    if (collective::ScheduleOp last = variants.back(); last.getMaxBytes())
      return last.emitOpError()
             << "is the last variant of its collective and allocation, but "
                "ends at "
             << *last.getMaxBytes() << " bytes";
  return programs;
}

static flatbuffers::Offset<sched::Topology>
writeTopology(flatbuffers::FlatBufferBuilder &builder,
              const Topology &topology) {
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  for (const Node &node : topology.nodes)
    nodes.push_back(sched::CreateNode(builder, builder.CreateString(node.id),
                                      node.kind, node.multicast, node.reduce));
  std::vector<sched::Link> links;
  for (const Link &link : topology.links)
    links.emplace_back(link.bandwidth, link.latency, link.from, link.to,
                       link.kind);
  return sched::CreateTopology(
      builder, builder.CreateString(topology.name), topology.fingerprint(),
      builder.CreateVector(nodes), builder.CreateVectorOfStructs(links));
}

FailureOr<std::vector<uint8_t>> blink::exportSchedule(ModuleOp module) {
  SmallVector<collective::ScheduleOp> schedules(
      module.getOps<collective::ScheduleOp>());
  if (schedules.empty())
    return module.emitError("holds no collective.schedule to write");
  collective::ScheduleOp first = schedules.front();
  for (collective::ScheduleOp schedule : schedules)
    if (schedule.getTopologyAttr() != first.getTopologyAttr() ||
        schedule.getLinks() != first.getLinks())
      return schedule.emitOpError("is for another topology or other links than "
                                  "the first; one file has one of each");

  SymbolTableCollection symbols;
  collective::TopologyOp op =
      collective::lookupTopology(first, symbols, first.getTopologyAttr());
  if (!op)
    return failure();
  TopologyFromIR machine(op);

  auto groups = groupVariants(module);
  if (failed(groups))
    return failure();
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<sched::Program>> programs;
  for (const std::vector<collective::ScheduleOp> &variants : *groups) {
    auto program = writeProgram(builder, machine, variants);
    if (failed(program))
      return failure();
    programs.push_back(*program);
  }
  auto options = module->getAttrOfType<StringAttr>(kOptionsAttrName);
  auto root = sched::CreateSchedule(
      builder, sched::kFormatVersion,
      builder.CreateString("blinkc " BLINK_VERSION_STRING),
      builder.CreateString(options ? options.str() : ""),
      fromIR(first.getLinks()).bits(), writeTopology(builder, machine.topology),
      builder.CreateVector(programs));
  std::vector<uint8_t> bytes = sched::sealSchedule(builder, root);

  std::string error;
  if (!sched::openSchedule(bytes.data(), bytes.size(), error))
    return first.emitOpError("breaks a rule of the file format: ") << error;
  return bytes;
}
