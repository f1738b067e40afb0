//===- ExpandOneHop.cpp - an allreduce of one exchange --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// No tree says this, so it becomes folds at once:
//
//     every rank    (input) -> (to each other rank)
//                   (from rank 0, ..., input, ..., from rank n - 1) -> (output)
//
// All add up in the order of ranks, so all get the same bits. One lane holds
// both folds, in this order: in place the second overwrites what the first
// reads.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FoldBuilder.h"

using namespace blink;
using namespace mlir;

FailureOr<collective::ScheduleOp>
blink::expandOneHop(collective::ForestOp forest, const ProblemFromIR &from,
                    const OneHop &oneHop) {
  FoldBuilder builder(forest, from);
  int n = builder.numRanks();
  FlatSymbolRefAttr share = builder.addShare("t0", /*root=*/0, /*depth=*/1);
  SmallVector<SmallVector<Attribute>> sent(n);
  SmallVector<SmallVector<Attribute>> read(
      n, SmallVector<Attribute>(n, builder.input(0)));
  for (int rank = 0; rank < n; ++rank)
    for (const TreeEdge &edge : oneHop.sends[rank]) {
      auto connection = builder.connect(rank, edge.to, edge.path, share);
      if (failed(connection))
        return failure();
      sent[rank].push_back(connection->entry);
      read[edge.to][rank] = connection->exit;
    }
  for (int rank = 0; rank < n; ++rank) {
    builder.addFold(rank, share, {builder.input(0)}, sent[rank], false);
    builder.addFold(rank, share, read[rank], {builder.output(0)}, true);
  }
  builder.joinLanes();
  return builder.schedule();
}
