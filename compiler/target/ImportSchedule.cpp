//===- ImportSchedule.cpp - .sched to IR ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ImportSchedule.h"

#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/target/SettingsIR.h"
#include "compiler/target/TopologyIR.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace blink;

/// Sizes are signed 64-bit integers in the IR.
static constexpr uint64_t kMostSaid = std::numeric_limits<int64_t>::max();

static void importVariant(OpBuilder &builder, Location loc,
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
      program.algbw(), program.certificate()->bound(), priceList);
  setChunks(schedule, sched::chunksOf(variant));
  if (const auto *times = variant.times()) {
    SmallVector<int64_t> bytes;
    SmallVector<double> microseconds;
    for (const sched::TimePoint *point : *times) {
      bytes.push_back(int64_t(std::min(point->bytes(), kMostSaid)));
      microseconds.push_back(point->microseconds());
    }
    schedule.setTimeBytes(bytes);
    schedule.setTimeUs(microseconds);
  }
  if (const auto *relays = program.relays(); relays && relays->size() > 0)
    schedule.setRelaysAttr(builder.getDenseI32ArrayAttr(
        SmallVector<int32_t>(relays->begin(), relays->end())));
  if (program.order() != ReductionOrder::none)
    schedule.setSums(toIR(program.order() == ReductionOrder::rank
                              ? Parentheses::chain
                              : Parentheses::halves));
  if (program.accumulate() != sched::Accumulation::none)
    schedule.setAccumulate(toIR(program.accumulate()));
  if (variant.protocol() != sched::Protocol::simple)
    schedule.setProtocol(toIR(variant.protocol()));
  if (variant.min_bytes() != 0)
    schedule.setMinBytes(variant.min_bytes());
  if (variant.max_bytes() != std::numeric_limits<uint64_t>::max())
    schedule.setMaxBytes(variant.max_bytes());
  fillSchedule(schedule, machine, readProgram(file, program, variant));
}

OwningOpRef<ModuleOp> blink::importSchedule(MLIRContext *context,
                                            const sched::Schedule &file) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (sched::Settings settings = sched::settingsOf(*file.provenance());
      !settings.empty())
    setSettings(*module, settings);
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
      importVariant(builder, loc, file, *program, *variant, machine);
    }
  }
  if (failed(mlir::verify(*module)))
    return nullptr;
  return module;
}
