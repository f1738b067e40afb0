//===- Pipeline.h - from a topology to a schedule ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compile pipeline as data: phases, each a list of passes that takes IR to
// the next level.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_PIPELINE_H
#define BLINK_COMPILER_DRIVER_PIPELINE_H

#include "compiler/import/ForeignForest.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/topology/DegradeLinks.h"

#include "schedules/Provenance.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <optional>

namespace blink {

/// What a user may choose. Everything that decides the result's bytes is here.
struct CompileOptions {
  Collective collective = Collective::allreduce;
  std::vector<int> gpus; ///< GPU number of each rank; empty: all of them
  int root = 0;          ///< rank
  LinkKindSet links = LinkKindSet::all();
  bool relays = false;             ///< GPUs outside the allocation may forward
  std::vector<LinkEdit> linkEdits; ///< what the machine lacks of its type
  double slack = 0.01;
  unsigned maxTrees = 0;
  /// Ranks of other servers that a rank has channels with, at most; 0: any
  /// number. Without, as many as the rate takes, where there are many.
  std::optional<unsigned> maxPeers;
  bool phases = false; ///< trees pass each server through one rank
  ReductionOrder order = ReductionOrder::none; ///< of sums
  /// In what partial sums of types of 8 and 16 bits travel.
  sched::Accumulation accumulate = sched::Accumulation::none;
  bool inSwitch = false; ///< switches that can may reduce and multicast
  unsigned maxLanes = 16;
  unsigned chunkBytes = 0;
  bool smallVariant = true; ///< other variants for small messages
  /// Trees that take the place of Blink's own; null: none do.
  std::shared_ptr<const ForeignForest> trees;
  double timeLimit = 0; ///< seconds; 0: none, and the same bytes every time

  /// The GPUs that may forward: with `relays` all of the machine's but `gpus`.
  std::vector<int> relayGpus(const Topology &topology) const;

  /// As recorded in a file with a program for each of `roots`: one fixed order,
  /// defaults spelled out.
  sched::Settings settings(llvm::ArrayRef<int> roots) const;
  /// The settings that are not about collective, GPUs and roots.
  sched::Settings commonSettings() const;
};

/// The levels IR passes through. `sched` is the file.
enum class Phase { request, forest, folds, lanes, sched };
std::optional<Phase> parsePhase(llvm::StringRef word);
llvm::StringRef toString(Phase phase);

/// A context with the dialect loaded, single-threaded: one machine's schedule
/// is no work for a thread pool.
std::unique_ptr<mlir::MLIRContext> createContext();

/// A module with `topology`, its links edited, and the request `options` ask
/// for. Errors: an allocation, a root or a link the topology does not have.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildRequest(mlir::MLIRContext *context, const Topology &topology,
             const CompileOptions &options);
/// The same with one request for each of `roots` instead of options.root.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildRequests(mlir::MLIRContext *context, const Topology &topology,
              const CompileOptions &options, llvm::ArrayRef<int> roots);

/// The two halves of Phase::forest: to trees that are whole and for messages of
/// all sizes, whatever reads or writes them; and from these to trees in parts,
/// for several lanes, and variants for small messages. Of a failure diagnostics
/// say the reason.
mlir::LogicalResult packForests(mlir::ModuleOp module,
                                const CompileOptions &options);
mlir::LogicalResult spreadForests(mlir::ModuleOp module,
                                  const CompileOptions &options);

/// Takes `module`, of whatever level, to `last`; to `lanes` when `last` is
/// `sched`, which leaves only exportSchedule. What a user wrote is kept: ops
/// that are past a phase are left alone by it, and without a request no forest
/// is packed or thinned out. `afterPhase` sees the module after each phase and
/// may stop the pipeline. `watcher` watches the packing; once it has said stop,
/// the selection of trees stops, too. Errors go to the context's diagnostic
/// handler.
mlir::LogicalResult runPipeline(
    mlir::ModuleOp module, const CompileOptions &options, Phase last,
    const SolveWatcher &watcher,
    const std::function<llvm::Error(Phase, mlir::ModuleOp)> &afterPhase);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_PIPELINE_H
