//===- AddMediumVariants.cpp - collective-add-medium-variants -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Puts forests for medium messages before each forest for large ones.
// MediumForests.h chooses their trees.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/MediumForests.h"
#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ADDMEDIUMVARIANTSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct AddMediumVariants : impl::AddMediumVariantsPassBase<AddMediumVariants> {
  using Base::Base;

  ScheduleLimits limitsOn(const RankTopology &rankTopology) const {
    const unsigned lanes =
        maxLanes > 0 ? maxLanes : defaultLimits(rankTopology).maxLanes;
    return {lanes, chunkBytes};
  }

  /// Returns the variant `op` for messages below `end` bytes with its lanes;
  /// none if it is not for messages right below that.
  FailureOr<std::optional<RangedProgram>>
  variantBelow(Operation *op, int64_t end, unsigned lanes) {
    std::optional<RangedProgram> none;
    if (auto forest = dyn_cast_or_null<collective::ForestOp>(op)) {
      if (forest.getMaxBytes() != end)
        return none;
      auto from = problemFromIR(forest, getAnalysis<PeerLimits>());
      if (failed(from))
        return failure();
      const Protocol protocol = forest.getProtocol()
                                    ? fromIR(*forest.getProtocol())
                                    : Protocol::simple;
      llvm::Expected<FoldProgram> program =
          planForest((*from)->problem, readForest(forest, **from).packing,
                     protocol, lanes);
      if (!program)
        return forest.emitError(toString(program.takeError()));
      return std::optional(RangedProgram{std::move(*program), protocol,
                                         forest.getMinBytes().value_or(0),
                                         uint64_t(end)});
    }
    auto schedule = dyn_cast_or_null<collective::ScheduleOp>(op);
    if (!schedule || schedule.getMaxBytes() != end)
      return none;
    FailureOr<FoldProgram> program = readProgram(schedule);
    if (failed(program))
      return failure();
    const Protocol protocol = protocolOf(schedule);
    assignLanes(*program, protocol, lanes);
    return std::optional(RangedProgram{std::move(*program), protocol,
                                       schedule.getMinBytes().value_or(0),
                                       uint64_t(end)});
  }

  /// Makes `op`, if there is a variant, end at `bytes`.
  static void endAt(Operation *op, uint64_t bytes) {
    if (auto forest = dyn_cast_or_null<collective::ForestOp>(op))
      forest.setMaxBytes(int64_t(bytes));
    if (auto schedule = dyn_cast_or_null<collective::ScheduleOp>(op))
      schedule.setMaxBytes(int64_t(bytes));
  }

  /// Tells AssignLanes the order, so that it need not find it again.
  static void setLaneOrder(collective::ForestOp forest, LaneOrder order) {
    OpBuilder builder(forest);
    forest->setAttr(collective::kTreeOrderAttr,
                    builder.getStringAttr(nameOf(order.trees)));
    if (order.mayMix)
      forest->setAttr(collective::kMixedLanesAttr, builder.getUnitAttr());
  }

  /// Returns the forest before `large` if it has the same trees, for messages
  /// that want smaller chunks (AddLatencyVariant); otherwise `large`.
  static collective::ForestOp firstOfSame(collective::ForestOp large,
                                          const Packing &trees,
                                          const ProblemFromIR &from) {
    auto before = dyn_cast_or_null<collective::ForestOp>(large->getPrevNode());
    return before && before.getMaxBytes() &&
                   before.getMaxBytes() == large.getMinBytes() &&
                   readForest(before, from).packing.trees == trees.trees
               ? before
               : large;
  }

  /// Adds variants before `large`. Trees of `others` compete. Between servers
  /// nothing is added if there are none.
  LogicalResult addVariants(collective::ForestOp large,
                            ArrayRef<collective::ForestOp> others) {
    auto from = problemFromIR(large, getAnalysis<PeerLimits>());
    if (failed(from))
      return failure();
    const PackingProblem &problem = (*from)->problem;
    const bool leaves = leavesMachine((*from)->rankTopology);
    if ((leaves && others.empty()) || isPairwise(problem.collective))
      return success();
    const PackedTrees trees = readForest(large, **from);
    collective::ForestOp forest = firstOfSame(large, trees.packing, **from);
    const ScheduleLimits limits = limitsOn((*from)->rankTopology);
    const int64_t begin = forest.getMinBytes().value_or(0);
    Operation *before = begin > 0 ? forest->getPrevNode() : nullptr;
    auto small = variantBelow(before, begin, limits.maxLanes);
    if (failed(small))
      return failure();
    if (!leaves && *small && (*small)->protocol == Protocol::simple)
      return success(); // has variants for medium messages
    const bool isMany = problem.rankTopology->numRanks() > kFewRanks;
    if (isMany)
      small->reset(); // AssignLanes assigns its lanes in other ways, too
    Neighbours given{*small, trees.packing, uint64_t(begin), {}, {}};
    if (forest.getMaxBytes())
      given.end = uint64_t(*forest.getMaxBytes());
    for (collective::ForestOp other : others) {
      auto ofOther = problemFromIR(other, getAnalysis<PeerLimits>());
      if (failed(ofOther))
        return failure();
      Packing packing = readForest(other, **ofOther).packing;
      given.others.push_back(other.getSymmetryAttr() == large.getSymmetryAttr()
                                 ? std::move(packing)
                                 : packing.inFull());
    }
    llvm::Expected<MediumForests> medium =
        mediumForests(problem, given, limits);
    if (!medium)
      return large.emitError(toString(medium.takeError()));
    if (!isMany && !leaves)
      setLaneOrder(large, medium->largeOrder);
    if (medium->forests.empty())
      return success();
    if (medium->forests.front().begin < uint64_t(begin))
      endAt(before, medium->forests.front().begin);
    return insertBefore(forest, large, medium->forests, **from,
                        trees.certificate);
  }

  /// Inserts `forests` before `forest`, which begins where they end. It is
  /// `large` or has the same trees, and is removed if it serves no size.
  static LogicalResult insertBefore(collective::ForestOp forest,
                                    collective::ForestOp large,
                                    ArrayRef<MediumForest> forests,
                                    const ProblemFromIR &from,
                                    const PackingCertificate &certificate) {
    OpBuilder builder(forest);
    for (const MediumForest &medium : forests) {
      auto trees =
          buildForest(builder, forest.getLoc(), forest.getTopologyAttr(), from,
                      medium.packing, certificate, {});
      if (failed(trees))
        return failure();
      // A program states the rate of its last variant.
      trees->setAlgbwAttr(forest.getAlgbwAttr());
      if (medium.begin > 0)
        trees->setMinBytes(int64_t(medium.begin));
      trees->setMaxBytes(int64_t(medium.end));
    }
    const uint64_t end = forests.back().end;
    if (forest != large && end >= *forest.getMaxBytes()) {
      forest.erase();
      forest = large;
    }
    forest.setMinBytes(int64_t(end));
    return success();
  }

  void runOnOperation() override {
    Operation *module = getOperation();
    if (failed(checkOption(module, "max-lanes", maxLanes, 0, kLanesLimit)) ||
        failed(checkOption(module, "chunk-bytes", chunkBytes, 0,
                           kChunkBytesLimit)))
      return signalPassFailure();
    markAnalysesPreserved<PeerLimits>();
    // Forests for medium messages precede the one that they are to compete
    // with.
    SmallVector<collective::ForestOp> others;
    for (auto forest : llvm::make_early_inc_range(
             getOperation().getOps<collective::ForestOp>())) {
      if (forest->hasAttr(collective::kMediumAttr)) {
        others.push_back(forest);
        continue;
      }
      if (forest.getProtocol() || forest.getMaxBytes())
        continue; // made for small messages
      if (failed(addVariants(forest, others)))
        return signalPassFailure();
      for (collective::ForestOp other : others)
        other.erase();
      others.clear();
    }
  }
};

} // namespace
} // namespace blink
