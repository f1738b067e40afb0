// The passes, in the order of the pipeline. One file each implements them.
#ifndef BLINK_COMPILER_PASSES_PASSES_TD
#define BLINK_COMPILER_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackTreesPass : Pass<"collective-pack-trees", "::mlir::ModuleOp"> {
  let summary = "Replace each request by an optimal forest";
  let description = [{
    Packs spanning trees into the links of the allocation: multiplicative
    weights first, then column generation with GLPK until a dual certificate
    meets the rate. The forest also lists, with share 0, the other trees the
    solver met: candidates for `collective-select-trees`.
  }];
  let dependentDialects = ["::blink::collective::CollectiveDialect"];
}

def SelectTreesPass : Pass<"collective-select-trees", "::mlir::ModuleOp"> {
  let summary = "Keep few and low trees, giving up little rate";
  let description = [{
    Replaces each forest by one of fewer trees whose rate is at least
    (1 - slack) of the old one. The certificate stays.
  }];
  let options = [
    Option<"slack", "slack", "double", /*default=*/"0.01",
           "Most of the rate that may be given up, relative">,
    Option<"maxTrees", "max-trees", "unsigned", /*default=*/"0",
           "No more than this many trees; 0 is no limit">,
  ];
}

def ExpandFoldsPass : Pass<"collective-expand-folds", "::mlir::ModuleOp"> {
  let summary = "Replace each forest by the folds of every rank";
  let description = [{
    A rank inside an allreduce tree gets two folds: up (own input and children
    to the parent) and down (parent to own output and children); the root gets
    one. Each edge becomes a channel. Trees of share 0 are dropped.
  }];
}

def AssignLanesPass : Pass<"collective-assign-lanes", "::mlir::ModuleOp"> {
  let summary = "Put loose folds into lanes";
  let description = [{
    A fold gets a lane of its own while there are enough. Otherwise folds of one
    direction (up or down) share lanes, balanced by the bytes they move, in the
    order (tree, distance along the data), which cannot deadlock: every fold
    waits only for folds that come before it in that order, or for earlier
    chunks.
  }];
  let options = [
    Option<"maxLanes", "max-lanes", "unsigned", /*default=*/"16",
           "No more lanes than this on any rank">,
  ];
}

def TuneChunksPass : Pass<"collective-tune-chunks", "::mlir::ModuleOp"> {
  let summary = "Choose the size and number of the channels' slots";
  let description = [{
    Chooses the chunk size that a pipeline model predicts to be fastest for a
    64 MiB buffer. Schedules that have a chunk size keep it.
  }];
  let options = [
    Option<"chunkBytes", "chunk-bytes", "unsigned", /*default=*/"0",
           "Use this size instead of choosing one">,
  ];
}

def VerifySchedulePass : Pass<"collective-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Prove each schedule right, free of deadlock and within bandwidth";
  let description = [{
    Serialises the module and judges the bytes, as `blinkc verify` does. Fails
    with the checks that do not hold.
  }];
}

#endif // BLINK_COMPILER_PASSES_PASSES_TD
