//===- ExportSchedule.cpp - IR to .sched ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ExportSchedule.h"

#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/target/SettingsIR.h"
#include "compiler/target/TopologyIR.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/ScheduleCopy.h"

#include <limits>
#include <map>
#include <tuple>

using namespace mlir;
using namespace blink;

/// Writes one collective.schedule as a variant.
static FailureOr<flatbuffers::Offset<sched::Variant>>
exportVariant(flatbuffers::FlatBufferBuilder &builder,
              const TopologyFromIR &machine, collective::ScheduleOp op) {
  constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  if (failed(checkComplete(op)))
    return failure();
  FailureOr<FoldProgram> read = readProgram(op, machine);
  if (failed(read))
    return failure();
  const FoldProgram &program = *read;
  const sched::Protocol protocol = protocolOf(op);
  std::vector<sched::TimePoint> times;
  if (auto sizes = op.getTimeBytes())
    for (auto [bytes, microseconds] : llvm::zip_equal(*sizes, *op.getTimeUs()))
      times.emplace_back(uint64_t(bytes), microseconds);
  return writeVariant(builder, program, op.getMinBytes().value_or(0),
                      op.getMaxBytes() ? *op.getMaxBytes() : kNoLimit, protocol,
                      chunksOf(op), times);
}

/// Returns the renamings of a program's symmetric variants. Errors: two
/// variants have different ones.
static FailureOr<std::vector<sched::Renaming>>
symmetryOf(ArrayRef<collective::ScheduleOp> schedules) {
  ArrayAttr found;
  for (collective::ScheduleOp schedule : schedules) {
    ArrayAttr own = schedule.getSymmetryAttr();
    if (found && own && own != found)
      return schedule.emitOpError("is a variant of one with another symmetry");
    found = own ? own : found;
  }
  std::vector<sched::Renaming> renamings;
  if (found)
    for (auto renaming : found.getAsRange<collective::RenamingAttr>())
      renamings.push_back(
          {{renaming.getNodes().begin(), renaming.getNodes().end()},
           uint32_t(renaming.getSteps())});
  return renamings;
}

static FailureOr<flatbuffers::Offset<sched::Program>>
writeProgram(flatbuffers::FlatBufferBuilder &builder,
             const TopologyFromIR &machine,
             ArrayRef<collective::ScheduleOp> schedules) {
  std::vector<flatbuffers::Offset<sched::Variant>> variants;
  for (collective::ScheduleOp schedule : schedules) {
    auto variant = exportVariant(builder, machine, schedule);
    if (failed(variant))
      return failure();
    variants.push_back(*variant);
  }
  FailureOr<std::vector<sched::Renaming>> symmetry = symmetryOf(schedules);
  if (failed(symmetry))
    return failure();
  collective::ScheduleOp op = schedules.front();
  std::vector<double> prices = op.getPrices().vec();
  auto certificate = sched::CreateCertificate(
      builder, op.getBound().convertToDouble(), builder.CreateVector(prices));
  std::vector<uint16_t> allocation(op.getGpus().begin(), op.getGpus().end());
  flatbuffers::Offset<flatbuffers::Vector<uint16_t>> relays;
  if (auto gpus = op.getRelays())
    relays =
        builder.CreateVector(std::vector<uint16_t>(gpus->begin(), gpus->end()));
  // One statement per offset, because the order of the calls is that of the
  // file, as in ScheduleCopy.cpp.
  const auto allVariants = builder.CreateVector(variants);
  const auto ranks = builder.CreateVector(allocation);
  const auto renamings = sched::writeRenamings(builder, *symmetry);
  return sched::CreateProgram(
      builder, fromIR(op.getCollective()), op.getRoot().value_or(0), ranks,
      op.getAlgbw().convertToDouble(), certificate, allVariants, relays,
      op.getSums() ? orderOf(fromIR(*op.getSums())) : ReductionOrder::none,
      op.getAccumulate() ? fromIR(*op.getAccumulate())
                         : sched::Accumulation::none,
      renamings);
}

/// Checks that `op` continues `before`, the previous variant of its program, or
/// is a first variant if `before` is null.
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
      op.getRelaysAttr() != before.getRelaysAttr() ||
      op.getSumsAttr() != before.getSumsAttr() ||
      op.getAccumulateAttr() != before.getAccumulateAttr())
    return op.emitOpError("is a variant of the collective.schedule before it, "
                          "but states another algbw, bound, price, relay, "
                          "order of sums or accumulation");
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

FailureOr<std::vector<uint8_t>> blink::exportSchedule(ModuleOp module) {
  FailureOr<std::vector<uint8_t>> bytes = exportAsIs(module);
  if (failed(bytes))
    return failure();
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(bytes->data(), bytes->size(), error);
  if (!sched::isSymmetric(*file))
    return bytes;
  std::vector<uint8_t> full = sched::expandSchedule(*file, error);
  if (full.empty())
    return module.emitError(error)
           << "; ask for the symmetric form, with --symmetric";
  return full;
}

FailureOr<std::vector<uint8_t>> blink::exportAsIs(ModuleOp module) {
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
  auto provenance = sched::writeProvenance(
      builder, "blinkc " BLINK_VERSION_STRING, settingsOf(module));
  auto topology = writeTopology(builder, machine.topology);
  auto root = sched::CreateSchedule(builder, sched::kFormatVersion, provenance,
                                    fromIR(first.getLinks()).bits(), topology,
                                    builder.CreateVector(programs));
  std::vector<uint8_t> bytes = sched::sealSchedule(builder, root);

  std::string error;
  if (!sched::openAnySchedule(bytes.data(), bytes.size(), error))
    return first.emitOpError("breaks a rule of the file format: ") << error;
  return bytes;
}
