//===- ExpandChains.cpp - chains of copies --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// In gather, scatter and alltoall each pair of ranks has data of its own. A
// tree says by which ranks it goes:
//
//     source        input -> channel
//     on the way    channel -> channel
//     destination   channel -> output
//
// and one fold, input -> output, for what a rank keeps.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FoldBuilder.h"

#include "llvm/ADT/MapVector.h"

using namespace blink;
using namespace mlir;

namespace {

/// What a chain between the root of a tree and `far` carries. The tables are at
/// Collective in schedules/schedule.fbs.
struct Cargo {
  int block;  ///< of the file's trees
  int input;  ///< block of the source's input
  int output; ///< block of the destination's output
};

Cargo cargoOf(collective::CollectiveKind kind, int root, int far,
              int numRanks) {
  switch (kind) {
  case collective::CollectiveKind::Gather:
    return {far, 0, far};
  case collective::CollectiveKind::Scatter:
    return {far, far, 0};
  case collective::CollectiveKind::AllToAll:
    return {root * numRanks + far, far, root};
  case collective::CollectiveKind::AllReduce:
  case collective::CollectiveKind::Broadcast:
  case collective::CollectiveKind::Reduce:
  case collective::CollectiveKind::AllGather:
  case collective::CollectiveKind::ReduceScatter:
    break;
  }
  llvm_unreachable("the trees of this collective are no chains");
}

class ChainExpander {
public:
  ChainExpander(FoldBuilder &builder, collective::TreeOp tree)
      : builder_(&builder), tree_(tree),
        gathers_(collective::hasUpTrees(builder.forest().getCollective())),
        edgeOf_(builder.numRanks()) {
    ArrayAttr edges = gathers_ ? tree.getUp() : tree.getDown();
    for (auto edge : edges.getAsRange<collective::EdgeAttr>())
      edgeOf_[gathers_ ? edge.getFrom() : edge.getTo()] = edge;
  }

  LogicalResult expand(int far);

private:
  FoldBuilder *builder_;
  collective::TreeOp tree_;
  bool gathers_;
  /// Per rank: the edge to its parent. Null for the root.
  SmallVector<collective::EdgeAttr> edgeOf_;
};

LogicalResult ChainExpander::expand(int far) {
  // In the direction of the data.
  SmallVector<collective::EdgeAttr> edges;
  for (int rank = far; edgeOf_[rank];
       rank = gathers_ ? edgeOf_[rank].getTo() : edgeOf_[rank].getFrom())
    edges.push_back(edgeOf_[rank]);
  if (!gathers_)
    std::reverse(edges.begin(), edges.end());

  int root = static_cast<int>(tree_.getRoot());
  Cargo cargo = cargoOf(builder_->forest().getCollective(), root, far,
                        builder_->numRanks());
  std::string name = (tree_.getSymName() + "." + Twine(far)).str();
  FlatSymbolRefAttr share = builder_->addShare(tree_, name, cargo.block,
                                               static_cast<int>(edges.size()));
  int at = gathers_ ? far : root;
  Attribute source = builder_->input(cargo.input);
  for (collective::EdgeAttr edge : edges) {
    auto connection = builder_->connect(edge, share);
    if (failed(connection))
      return failure();
    builder_->addFold(at, share, {source}, {connection->entry}, false);
    at = edge.getTo();
    source = connection->exit;
  }
  builder_->addFold(at, share, {source}, {builder_->output(cargo.output)},
                    false);
  return success();
}

} // namespace

LogicalResult blink::expandChains(FoldBuilder &builder,
                                  ArrayRef<collective::TreeOp> trees) {
  // The file sorts trees by block: of one root by far rank, then by tree.
  llvm::MapVector<int, SmallVector<ChainExpander>> byRoot;
  for (collective::TreeOp tree : trees)
    byRoot[static_cast<int>(tree.getRoot())].emplace_back(builder, tree);
  for (auto &[root, expanders] : byRoot)
    for (int far = 0; far < builder.numRanks(); ++far)
      for (ChainExpander &expander : expanders)
        if (failed(expander.expand(far)))
          return failure();
  return success();
}
