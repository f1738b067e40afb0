//===- Pipeline.h - from a topology to a schedule ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compile pipeline as data: a list of phases, each a list of passes that
// lower the IR to the next level.
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

/// The options that a user may choose. They determine all bytes of the result.
struct CompileOptions {
  Collective collective = Collective::allreduce;
  std::vector<int> gpus; ///< GPU number of each rank; empty: all GPUs.
  int root = 0;          ///< A rank.
  LinkKindSet links = LinkKindSet::all();
  bool relays = false; ///< GPUs outside the allocation may forward.
  /// Links that the machine lacks or that are limited.
  std::vector<LinkEdit> linkEdits;
  double slack = 0.01;
  unsigned maxTrees = 0;
  /// The most ranks of other servers to which a rank has channels; 0: no limit.
  /// If unset, jobs of many ranks get a limit that costs no rate.
  std::optional<unsigned> maxPeers;
  bool phases = false; ///< A tree enters and leaves a server by one rank.
  ReductionOrder order = ReductionOrder::none; ///< The order of sums.
  /// The type in which partial sums of 8-bit and 16-bit types travel.
  sched::Accumulation accumulate = sched::Accumulation::none;
  bool inSwitch = false; ///< Switches that can may reduce and multicast.
  unsigned maxLanes = 0; ///< Of a rank; 0: defaultLanes of the job.
  unsigned chunkBytes = 0;
  bool smallVariant = true; ///< Also make variants for small messages.
  /// Trees that replace Blink's own; null: none.
  std::shared_ptr<const ForeignForest> trees;
  double timeLimit = 0; ///< Seconds; 0: no limit, and reproducible bytes.

  /// Returns the GPUs that may forward: with `relays` all GPUs but `gpus`,
  /// otherwise none.
  std::vector<int> relayGpus(const Topology &topology) const;

  /// Returns the settings as recorded in a file with a program for each of
  /// `roots`: in a fixed order, with defaults written out.
  sched::Settings settings(llvm::ArrayRef<int> roots) const;
  /// Returns the settings except collective, GPUs and roots.
  sched::Settings commonSettings() const;
};

/// The levels that IR passes through. `sched` is the file.
enum class Phase { request, forest, folds, lanes, sched };
std::optional<Phase> parsePhase(llvm::StringRef word);
llvm::StringRef toString(Phase phase);

/// Returns a context with the dialect loaded. It is single-threaded, because
/// the schedule of one machine is too little work for a thread pool.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Returns a module with `topology`, its links edited, and the request that
/// `options` describe. Errors: an allocation, a root or a link that the
/// topology does not have.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildRequest(mlir::MLIRContext *context, const Topology &topology,
             const CompileOptions &options);
/// Does the same with one request for each of `roots` instead of options.root.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildRequests(mlir::MLIRContext *context, const Topology &topology,
              const CompileOptions &options, llvm::ArrayRef<int> roots);

/// The two halves of Phase::forest. packForests() makes whole trees for
/// messages of all sizes, independent of the lanes that will carry them.
/// spreadForests() splits them into parts for several lanes and adds variants
/// for small messages. On failure diagnostics give the reason.
mlir::LogicalResult packForests(mlir::ModuleOp module,
                                const CompileOptions &options);
mlir::LogicalResult spreadForests(mlir::ModuleOp module,
                                  const CompileOptions &options);

/// Takes `module`, of whatever level, to `last`; to `lanes` if `last` is
/// `sched`, after which only exportSchedule is left to do. Input of a user is
/// kept: a phase leaves ops alone that are past it, and without a request no
/// forest is packed or thinned out. `afterPhase` sees the module after each
/// phase and may stop the pipeline. `watcher` watches the packing; once it has
/// returned false, the selection of trees stops, too. Errors go to the
/// context's diagnostic handler.
mlir::LogicalResult runPipeline(
    mlir::ModuleOp module, const CompileOptions &given, Phase last,
    const SolveWatcher &watcher,
    const std::function<llvm::Error(Phase, mlir::ModuleOp)> &afterPhase);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_PIPELINE_H
