//===- AssignLanes.cpp - collective-assign-lanes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Puts loose folds into lanes. AssignLanes.h in compiler/plan chooses the
// lanes, SymmetricLanes.h those of ranks that are alike, and FastestOrder.h the
// order of trees.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignLanes.h"
#include "compiler/passes/FastestOrder.h"
#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/SymmetricLanes.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <optional>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct AssignLanes : impl::AssignLanesPassBase<AssignLanes> {
  using Base::Base;

  /// Returns the order that an earlier pass has found, if one has.
  static std::optional<LaneOrder> knownOrder(collective::ScheduleOp schedule) {
    auto word = schedule->getAttrOfType<StringAttr>(collective::kTreeOrderAttr);
    if (!word)
      return std::nullopt;
    return LaneOrder{*parseTreeOrder(word.getValue()),
                     schedule->hasAttr(collective::kMixedLanesAttr)};
  }

  LogicalResult assign(collective::ScheduleOp schedule) {
    SymbolTableCollection symbols;
    collective::TopologyOp topology = collective::lookupTopology(
        schedule, symbols, schedule.getTopologyAttr());
    if (!topology)
      return failure();
    const TopologyFromIR machine(topology);
    FailureOr<FoldProgram> program = readProgram(schedule, machine);
    if (failed(program))
      return failure();
    const unsigned maxLanes =
        this->maxLanes > 0 ? unsigned(this->maxLanes)
                           : defaultLanes(machine.topology, schedule.getGpus(),
                                          fromIR(schedule.getLinks()));
    const bool loose = llvm::all_of(
        program->ranks, [](const auto &rank) { return rank.lanes.empty(); });
    // Trees over fewer ranks are hardly ever images of each other.
    std::optional<Symmetry> symmetry;
    if (loose && !program->symmetry && schedule.getGpus().size() > kFewRanks) {
      auto from = problemFromIR(schedule, schedule.getCollective(),
                                schedule.getTopologyAttr(), schedule.getGpus(),
                                schedule.getRelaysAttr(), schedule.getLinks(),
                                schedule.getRoot().value_or(0));
      if (failed(from))
        return failure();
      symmetry = Symmetry::find((*from)->rankTopology);
    }
    auto share = [&](FoldProgram &assigned) {
      if (symmetry)
        shareLanes(assigned, *symmetry);
    };

    const sched::Protocol protocol = protocolOf(schedule);
    // Folds of the variant for the smallest messages move hardly any bytes. If
    // lanes have only a few of them, it matters more which folds share a lane,
    // and assignLanes decides.
    constexpr unsigned kFewLanes = 16;
    const bool many = llvm::any_of(program->ranks, [&](const auto &rank) {
      return rank.folds.size() > 2 * size_t(std::min(maxLanes, kFewLanes));
    });
    if (!loose || isPairwise(program->collective)) {
      assignLanes(*program, protocol, maxLanes);
    } else if (many && protocol == sched::Protocol::simple &&
               !schedule.getMinBytes() && schedule.getMaxBytes()) {
      assignSmallLanes(*program, maxLanes);
      share(*program);
    } else if (const auto order = knownOrder(schedule)) {
      assignLanes(*program, protocol, maxLanes,
                  placesOf(*program, order->trees), order->mayMix);
      share(*program);
    } else {
      llvm::Expected<LaneOrder> fastest =
          assignFastestOrder(*program,
                             {protocol, schedule.getMaxBytes(),
                              schedule.getMinBytes().value_or(0)},
                             maxLanes, share);
      if (!fastest)
        return schedule.emitError(toString(fastest.takeError()));
    }
    schedule->removeAttr(collective::kTreeOrderAttr);
    schedule->removeAttr(collective::kMixedLanesAttr);
    writeLanes(schedule, *program);
    return success();
  }

  void runOnOperation() override {
    Operation *module = getOperation();
    if (failed(checkOption(module, "max-lanes", maxLanes, 0, kLanesLimit)))
      return signalPassFailure();
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>())
      if (failed(assign(schedule)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
