//===- ExpandOneHop.cpp - an allreduce of one exchange --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// No tree says this, so it becomes folds at once:
//
//     every rank    (input) -> (to each other rank)
//                   (from rank 0, ..., input, ..., from rank n - 1) -> (output)
//
// All add up in the order of ranks, so all get the same bits. A lane holds both
// folds, in this order: in place the second overwrites what the first reads.
// Several lanes do so for a part of the buffer each.
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
  // The folds of each lane; they stand rank by rank.
  struct Exchange {
    FlatSymbolRefAttr share;
    SmallVector<SmallVector<Attribute>> sent, read;
  };
  SmallVector<Exchange> exchanges;
  for (unsigned lane = 0; lane < oneHop.lanes; ++lane) {
    Exchange &exchange = exchanges.emplace_back();
    exchange.share = builder.addShare("t" + std::to_string(lane), /*root=*/0,
                                      int(oneHop.lanes), /*depth=*/1);
    exchange.sent.resize(n);
    exchange.read.assign(n, SmallVector<Attribute>(n, builder.input(0)));
  }
  for (Exchange &exchange : exchanges)
    for (int rank = 0; rank < n; ++rank)
      for (const TreeEdge &edge : oneHop.sends[rank]) {
        auto connection =
            builder.connect(rank, edge.to, edge.path, exchange.share);
        if (failed(connection))
          return failure();
        exchange.sent[rank].push_back(connection->entry);
        exchange.read[edge.to][rank] = connection->exit;
      }
  for (int rank = 0; rank < n; ++rank)
    for (const Exchange &exchange : exchanges) {
      builder.addFold(rank, exchange.share, {builder.input(0)},
                      exchange.sent[rank], false);
      builder.addFold(rank, exchange.share, exchange.read[rank],
                      {builder.output(0)}, true);
    }
  builder.joinLanes();
  return builder.schedule();
}
