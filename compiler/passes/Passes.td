// The passes, in the order of the pipeline. Each has a file of its own.
#ifndef BLINK_COMPILER_PASSES_PASSES_TD
#define BLINK_COMPILER_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

// Limits of a schedule. Passes that choose by the predicted time of a schedule
// plan it down to its lanes and chunks within these limits.
defvar maxLanesOption = Option<"maxLanes", "max-lanes", "unsigned", /*default=*/"0",
                               "Maximum number of lanes of a rank (0: 16, or 32 for fast links)">;
defvar chunkBytesOption = Option<"chunkBytes", "chunk-bytes", "unsigned", /*default=*/"0",
                                 "Size of a chunk in bytes (0: chosen by the model of time)">;

def PackTreesPass : Pass<"collective-pack-trees", "::mlir::ModuleOp"> {
  let summary = "Replace each request with an optimal forest";
  let description = [{
    Packs spanning trees into the links of the allocation, first by
    multiplicative weights, then by column generation with GLPK until a dual
    certificate proves that the rate is optimal. The forest also contains, with
    share 0, the other trees that the solver found. These are candidates for
    `collective-select-trees`.
  }];
  let options = [
    Option<"slack", "slack", "double", /*default=*/"0",
           "Largest fraction of the optimal rate that a rooted collective over "
           "many ranks may lose">,
  ];
  let dependentDialects = ["::blink::collective::CollectiveDialect"];
}

def SelectTreesPass : Pass<"collective-select-trees", "::mlir::ModuleOp"> {
  let summary = "Replace each forest with one of fewer, lower trees";
  let description = [{
    Replaces each forest with one of fewer trees whose rate is at least
    (1 - slack) times the old rate. The new forest is simulated on links that
    are shared fairly, with the default number of lanes per rank. If it then
    sustains less than 97 % of its rate, trees of equal weight may cost up to
    5 % of the rate, unless slack is 0. Over TCP, forests in which ranks have
    few peers are tried, too, and over equal boxes, forests that cross to each
    box once, whose ranks may have any peers. The certificate does not change.
    With a `medium-slack`, the trees of each forest over few ranks are selected
    once more, for medium messages, and between servers also with a slack of 5 %:
    `collective-add-medium-variants` uses or removes these forests.
    With fewer lanes than by default, the trees that are fastest within them may
    give up a quarter of the rate or more, and `collective-spread-trees`, which
    needs the same limits, splits them into the parts that are chosen here.
    Forests that are variants for a range of sizes are not changed.
  }];
  let options = [
    Option<"slack", "slack", "double", /*default=*/"0.01",
           "Largest fraction of the rate that may be lost">,
    Option<"maxTrees", "max-trees", "unsigned", /*default=*/"0",
           "Maximum number of trees (0: no limit)">,
    Option<"changesPeers", "changes-peers", "bool", /*default=*/"true",
           "Try forests in which ranks have other peers">,
    Option<"mediumSlack", "medium-slack", "double", /*default=*/"0",
           "Largest fraction of the rate that a forest for medium messages may "
           "lose (0: none is selected)">,
    maxLanesOption,
    chunkBytesOption,
  ];
}

def SpreadTreesPass : Pass<"collective-spread-trees", "::mlir::ModuleOp"> {
  let summary = "Split trees that are too fast for one lane into equal trees";
  let description = [{
    The model of time limits the GB/s that a lane can move. A tree with a fold
    above that limit is split into equal trees: into as many as the limit
    requires or, if a rank has too few lanes for that, into as many as the model
    predicts to be fastest with shared lanes. Trees are split further if that is
    necessary to load all lanes equally. The shares of the parts add up to the
    share of the tree, so rate, bound and certificate do not change.

    If `collective-select-trees` has chosen the parts, these are taken.

    Before that, the trees of an allreduce over two ranks are divided into
    halves over the same links, one rooted at each rank, unless the model
    predicts that a large message then takes longer.

    Forests that are variants for a range of sizes are not changed.
  }];
  let options = [
    maxLanesOption,
    Option<"maxTrees", "max-trees", "unsigned", /*default=*/"0",
           "Maximum number of trees to make (0: no limit)">,
    chunkBytesOption,
  ];
}

def AddLatencyVariantPass
    : Pass<"collective-add-latency-variant", "::mlir::ModuleOp"> {
  let summary = "Add variants for small messages before each forest";
  let description = [{
    Inserts a forest for small messages before each forest. The new forest has
    one tree per block, or a single tree if the collective lets roots be chosen;
    its trees are as low as the machine allows, with the least latency. It uses
    protocol low_latency. Its trees are split into equal parts if one lane is
    slower than the links. It serves messages below the size from which on the
    model of time, which knows the lanes and chunks of both, predicts the old
    forest to be as fast; the old forest begins at that size. The size is a
    power of two from 64 bytes to 16 MiB, or a quarter, half or three quarters
    more than one. Forests that already are for a range of sizes, of one rank,
    or of more than `max-ranks` ranks are not changed.

    For a gather, scatter or all_to_all the new tree consists of the fastest
    chains, and serves messages below 256 KiB. For a send_recv there is one star
    per rank, of the shortest paths.

    For an all_reduce in which every two ranks have a direct path, a
    `collective.schedule` of one hop is inserted before the new forest: each
    rank sends its input to all others and adds up all inputs itself, in the
    number of lanes that is fastest. It serves messages below the size at which
    the tree becomes as fast. Either of the two is omitted if it is not the
    fastest at any size. Over several boxes, a schedule in which boxes exchange
    their sums replaces the tree if it is faster.
  }];
  let options = [
    Option<"maxRanks", "max-ranks", "unsigned", /*default=*/"16384",
           "Maximum number of ranks for which variants are added">,
    Option<"maxOneHopRanks", "max-one-hop-ranks", "unsigned", /*default=*/"16",
           "Maximum number of ranks for the exchange in one hop, which takes "
           "n (n - 1) channels">,
    Option<"maxExchangeRanks", "max-exchange-ranks", "unsigned",
           /*default=*/"1024",
           "Maximum number of ranks for exchanges between boxes">,
    maxLanesOption,
    chunkBytesOption,
  ];
}

def AddMediumVariantsPass
    : Pass<"collective-add-medium-variants", "::mlir::ModuleOp"> {
  let summary = "Add variants for medium messages before each large forest";
  let description = [{
    Inserts up to two forests before each forest that serves all messages from
    some size on. They have the same trees in fewer parts, or those of the
    forest for medium messages that `collective-select-trees` left before it.
    The sizes that they serve are chosen by simulation, with the costs of the
    model of time, and may be taken from the variant before as well. Between
    servers nothing is inserted unless the selection left a forest, and the
    variant with smaller chunks is removed if that forest serves its messages.
    Forests of a send_recv, or for a range of sizes are not changed.
  }];
  let options = [
    maxLanesOption,
    chunkBytesOption,
  ];
}

def ExpandFoldsPass : Pass<"collective-expand-folds", "::mlir::ModuleOp"> {
  let summary = "Replace each forest with the folds of every rank";
  let description = [{
    A rank inside an allreduce tree gets two folds: up (own input and children
    to the parent) and down (parent to own output and children); the root gets
    one for both. Each edge becomes a channel. Trees of share 0 are removed.
  }];
}

def AssignLanesPass : Pass<"collective-assign-lanes", "::mlir::ModuleOp"> {
  let summary = "Assign loose folds to lanes";
  let description = [{
    Each fold gets a lane of its own if there are enough lanes. Otherwise folds
    are distributed such that lanes are loaded evenly: first the folds that move
    data with zero copy, then the passive ones, by the bytes that they move
    through slots. If both directions (up and down) move data, lanes are shared
    only by folds of the same direction.

    The folds of a lane are ordered by (hops that data makes before it reaches
    the fold, tree). This order cannot deadlock: every fold waits only for folds
    that come earlier in it, or for earlier chunks. Folds that can start early
    are not behind folds that have to wait. The order of trees is chosen by
    simulation: as given, or the copies of trees, or the trees of roots, in turn.
  }];
  let options = [maxLanesOption];
}

def TuneRangesPass : Pass<"collective-tune-ranges", "::mlir::ModuleOp"> {
  let summary = "Choose the sizes at which variants take over, by simulation";
  let description = [{
    Moves the end of each variant's range to the size from which on the next
    variant is no slower in simulations with the costs of the model of time,
    whose own choice is where the search begins. A variant that is nowhere the
    faster one is removed if the one before it has the same rate. Schedules that
    already have a chunk size keep their ranges.
  }];
  let options = [chunkBytesOption];
}

def TuneChunksPass : Pass<"collective-tune-chunks", "::mlir::ModuleOp"> {
  let summary = "Choose the size and number of the slots of channels";
  let description = [{
    Chooses the chunk size that the model of time predicts to be fastest for a
    64 MiB buffer. Schedules that already have a chunk size keep it. In a
    low_latency schedule with `max_bytes`, the largest message fills one chunk,
    since lines are passed on one by one, and further chunks would only cost
    lanes more turns. A second slot is for the next call. `chunk-bytes` can only
    make the chunks of such a schedule smaller.
  }];
  let options = [chunkBytesOption];
}

def EstimateTimesPass : Pass<"collective-estimate-times", "::mlir::ModuleOp"> {
  let summary = "State what messages of each size take";
  let description = [{
    Simulates the first rounds of messages of some sizes, with the costs of the
    model of time, which says what later rounds take. Schedules that already
    have times keep them.
  }];
}

def VerifySchedulePass : Pass<"collective-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Verify result, progress, bandwidth and bound of each schedule";
  let description = [{
    Serialises the module and checks the bytes with the code of `blinkc verify`.
    The errors name the checks that fail.
  }];
}

#endif // BLINK_COMPILER_PASSES_PASSES_TD
