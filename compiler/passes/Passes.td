// The passes, in the order of the pipeline. One file each implements them.
#ifndef BLINK_COMPILER_PASSES_PASSES_TD
#define BLINK_COMPILER_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

// Limits of a schedule. Passes that choose by the predicted time of a schedule
// plan it down to its lanes and chunks within these limits.
defvar maxLanesOption = Option<"maxLanes", "max-lanes", "unsigned", /*default=*/"16",
                               "No more lanes than this on any rank">;
defvar chunkBytesOption = Option<"chunkBytes", "chunk-bytes", "unsigned", /*default=*/"0",
                                 "Chunks of this size; 0 chooses one">;

def PackTreesPass : Pass<"collective-pack-trees", "::mlir::ModuleOp"> {
  let summary = "Replace each request by an optimal forest";
  let description = [{
    Packs spanning trees into the links of the allocation: multiplicative
    weights first, then column generation with GLPK until a dual certificate
    meets the rate. The forest also lists, with share 0, the other trees the
    solver met: candidates for `collective-select-trees`.
  }];
  let options = [
    Option<"slack", "slack", "double", /*default=*/"0",
           "Most of a rooted collective's rate that may be given up where ranks "
           "are many, relative">,
  ];
  let dependentDialects = ["::blink::collective::CollectiveDialect"];
}

def SelectTreesPass : Pass<"collective-select-trees", "::mlir::ModuleOp"> {
  let summary = "Keep few and low trees, giving up little rate";
  let description = [{
    Replaces each forest by one of fewer trees whose rate is at least
    (1 - slack) of the old one. Where links that share themselves fairly would
    keep less than 97 % of its rate, by a simulation with the lanes that a rank
    has by default, trees of one weight may cost up to 5 % of the rate, unless
    slack is 0. The certificate stays. Forests that are variants for some sizes
    stay as they are.
  }];
  let options = [
    Option<"slack", "slack", "double", /*default=*/"0.01",
           "Most of the rate that may be given up, relative">,
    Option<"maxTrees", "max-trees", "unsigned", /*default=*/"0",
           "No more than this many trees; 0 is no limit">,
  ];
}

def SpreadTreesPass : Pass<"collective-spread-trees", "::mlir::ModuleOp"> {
  let summary = "Make several equal trees of each that is too fast for a lane";
  let description = [{
    A lane moves so many GB/s at most, by a model of time. A tree with a fold
    above that becomes as many equal trees as it takes, where lanes suffice, or
    as many as are the fastest by that model, where they share lanes; and as
    many as it takes for all lanes to move as much. Their
    shares add up to that of the tree, so rate, bound and certificate stay.
    Before that an allreduce's trees over two ranks go in halves with a root at
    each, over the same links, where no long message takes longer by that model.
    Forests that are variants for some sizes stay as they are.
  }];
  let options = [
    maxLanesOption,
    Option<"maxTrees", "max-trees", "unsigned", /*default=*/"0",
           "Make no more than this many trees; 0 is no limit">,
    chunkBytesOption,
  ];
}

def AddLatencyVariantPass
    : Pass<"collective-add-latency-variant", "::mlir::ModuleOp"> {
  let summary = "Add to each forest variants for small messages";
  let description = [{
    Puts a forest before each one, of one tree a block, or of one in all where
    the roots are free, that is as low and early as the machine allows: protocol
    low_latency, in several equal parts where one lane is slower than links,
    for messages below the size from which on the model of time says that the
    other, in its lanes and chunks, is as fast: a power of two from 64 bytes to
    16 MiB, or a quarter, half or three quarters more. The forest that was there begins at that
    size. Left alone are forests that are for some sizes already and those of one
    rank or of more than `max-ranks`. In a gather, scatter or all_to_all it is
    the tree of the fastest chains, for messages below 256 KiB; in a send_recv
    one star a rank, of the nearest paths.

    Before that of an all_reduce, where every two ranks have a direct path,
    comes a `collective.schedule` in which each rank sends its input to all
    others and adds all up itself, in as many lanes as are the fastest: one
    hop. It is for messages below the size where the tree becomes as fast. What
    is nowhere the fastest is left out, be it the hop or the tree. Over several
    boxes a schedule in which boxes exchange their sums takes the place of the
    tree where it is faster.
  }];
  let options = [
    Option<"maxRanks", "max-ranks", "unsigned", /*default=*/"16384",
           "Forests of more ranks stay alone">,
    Option<"maxOneHopRanks", "max-one-hop-ranks", "unsigned", /*default=*/"16",
           "More ranks never exchange in one hop: that takes n (n - 1) "
           "channels">,
    Option<"maxExchangeRanks", "max-exchange-ranks", "unsigned",
           /*default=*/"1024", "More ranks never exchange over several boxes">,
    maxLanesOption,
    chunkBytesOption,
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
    A fold gets a lane of its own while there are enough. Otherwise lanes share
    what moves with zero copy, and then what is passive, by the bytes that go
    through slots. Folds of one direction (up or down) share lanes where both
    directions move something.

    In a lane folds stand in the order (distance along the data, tree), which
    cannot deadlock: every fold waits only for folds that come before it in that
    order, or for earlier chunks. What can start first does not stand behind
    what has to wait.
  }];
  let options = [maxLanesOption];
}

def TuneChunksPass : Pass<"collective-tune-chunks", "::mlir::ModuleOp"> {
  let summary = "Choose the size and number of the channels' slots";
  let description = [{
    Chooses the chunk size that the model of time predicts to be fastest for a
    64 MiB buffer. Schedules that have a chunk size keep it. The largest message
    of a low_latency schedule with a `max_bytes` is two chunks, one for each
    of two slots, or one where a lane sends and then receives, since there a
    chunk waits for a round trip of the one before it; `chunk-bytes` can only
    make them smaller.
  }];
  let options = [chunkBytesOption];
}

def VerifySchedulePass : Pass<"collective-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Prove each schedule right, free of deadlock and within bandwidth";
  let description = [{
    Serialises the module and judges the bytes, as `blinkc verify` does. Fails
    with the checks that do not hold.
  }];
}

#endif // BLINK_COMPILER_PASSES_PASSES_TD
