//===- ForestOps.cpp - level 3, spanning trees ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of collective.forest and collective.tree.
//
//===----------------------------------------------------------------------===//

#include "dialect/Collective.h"
#include "dialect/PathRules.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace blink::collective;

LogicalResult ForestOp::verify() { return verifyStatement(*this); }

/// Checks that `edges` form an in-tree to `root` (up, children first) or an
/// out-tree from it (down, parents first) that spans all ranks.
static LogicalResult verifySpanning(TreeOp tree, ArrayAttr edges, bool up,
                                    int32_t numRanks) {
  StringRef part = up ? "up" : "down";
  int32_t root = tree.getRoot();
  SmallVector<bool> reached(numRanks, false);
  reached[root] = true;
  SmallVector<EdgeAttr> order(edges.getAsRange<EdgeAttr>());
  if (up)
    std::reverse(order.begin(), order.end());
  for (EdgeAttr edge : order) {
    int32_t parent = up ? edge.getTo() : edge.getFrom();
    int32_t child = up ? edge.getFrom() : edge.getTo();
    for (int32_t rank : {parent, child})
      if (rank < 0 || rank >= numRanks)
        return tree.emitOpError() << "has an edge at rank " << rank
                                  << ", but ranks 0 to " << numRanks - 1;
    if (!reached[parent])
      return tree.emitOpError()
             << "has " << part << " edges that are not joined to the root, or "
             << "not in order: rank " << parent << " has a child but no way to "
             << "the root " << (up ? "after" : "before") << " it";
    if (reached[child])
      return tree.emitOpError() << "has " << part << " edges that give rank "
                                << child << " two parents, or the root one";
    reached[child] = true;
  }
  if (static_cast<int32_t>(order.size()) != numRanks - 1)
    return tree.emitOpError()
           << "has " << part << " edges that reach " << order.size() + 1
           << " of " << numRanks << " ranks";
  return success();
}

/// Checks that a part which the collective uses spans, and that any other part
/// is empty.
static LogicalResult verifyPart(TreeOp tree, ArrayAttr edges, bool up,
                                bool used, int32_t numRanks) {
  if (used)
    return verifySpanning(tree, edges, up, numRanks);
  if (!edges.empty())
    return tree.emitOpError() << "has " << (up ? "up" : "down")
                              << " edges, which the collective does not use";
  return success();
}

/// Checks the edges of the sum of the ranks from `first` to before `last`. They
/// are in post-order; each part of a sum has an edge from the rank that makes
/// it to the rank that adds it. `next` is the next edge to be checked. Returns
/// the rank that makes the sum, or -1 after an error.
static int32_t verifySum(TreeOp tree, ArrayRef<EdgeAttr> edges, Sums sums,
                         int32_t first, int32_t last, size_t &next) {
  if (last - first == 1)
    return first;
  int32_t middle =
      sums == Sums::Chain ? last - 1 : first + (last - first + 1) / 2;
  int32_t places[2] = {first, middle}, ends[3] = {first, middle, last};
  for (int part : {0, 1}) {
    int32_t place =
        verifySum(tree, edges, sums, ends[part], ends[part + 1], next);
    if (place < 0)
      return -1;
    EdgeAttr edge = edges[next];
    if (edge.getFrom() != place) {
      tree.emitOpError() << "has an up edge from rank " << edge.getFrom()
                         << " where the sum of ranks " << ends[part] << " to "
                         << ends[part + 1] - 1 << " is at rank " << place;
      return -1;
    }
    if (part == 1 && last - middle > 1 && edge.getFrom() == edge.getTo()) {
      tree.emitOpError() << "adds the sum of ranks " << middle << " to "
                         << last - 1 << " second at rank " << place
                         << ", which makes it: a fold adds one after the other";
      return -1;
    }
    places[part] = edge.getTo();
    ++next;
  }
  if (places[0] != places[1]) {
    tree.emitOpError() << "adds ranks " << first << " to " << last - 1
                       << " at two ranks, " << places[0] << " and "
                       << places[1];
    return -1;
  }
  return places[0];
}

/// Checks the up part of a tree whose sums have an order.
static LogicalResult verifySums(TreeOp tree, Sums sums, int32_t numRanks) {
  constexpr int32_t kMostRanks = 4096; // verifySum recurses as deep
  if (numRanks > kMostRanks)
    return tree.emitOpError()
           << "has sums over " << numRanks << " ranks, at most " << kMostRanks;
  SmallVector<EdgeAttr> edges(tree.getUp().getAsRange<EdgeAttr>());
  if (static_cast<int32_t>(edges.size()) != 2 * numRanks - 2)
    return tree.emitOpError()
           << "has " << edges.size()
           << " up edges, one for each part of a sum is " << 2 * numRanks - 2;
  for (EdgeAttr edge : edges)
    for (int32_t rank : {edge.getFrom(), edge.getTo()})
      if (rank < 0 || rank >= numRanks)
        return tree.emitOpError() << "has an edge at rank " << rank
                                  << ", but ranks 0 to " << numRanks - 1;
  size_t next = 0;
  int32_t place = verifySum(tree, edges, sums, 0, numRanks, next);
  if (place < 0)
    return failure();
  if (place != static_cast<int32_t>(tree.getRoot()))
    return tree.emitOpError() << "makes its sum at rank " << place
                              << ", the root is " << tree.getRoot();
  return success();
}

/// Checks a part for which a switch works: each edge must have the root at one
/// end and go over the switch only.
static LogicalResult verifyStar(TreeOp tree, ArrayAttr edges, bool up) {
  const auto path = tree.getSwitchUse()->getPath();
  for (EdgeAttr edge : edges.getAsRange<EdgeAttr>())
    if (int32_t(up ? edge.getTo() : edge.getFrom()) !=
            int32_t(tree.getRoot()) ||
        edge.getPath().size() != 2 ||
        edge.getPath()[up ? 1 : 0] != path[up ? 1 : 0])
      return tree.emitOpError()
             << "has a switch " << (up ? "reduce" : "multicast")
             << " and an edge " << edge.getFrom() << " -> " << edge.getTo()
             << " that is not from one link to it to one from it, at the root";
  return success();
}

/// Checks the switch use of a forest's tree.
static LogicalResult verifySwitch(TreeOp tree, PathChecker &paths,
                                  ForestOp forest) {
  std::optional<SwitchUseAttr> use = tree.getSwitchUse();
  if (!use)
    return success();
  if (forest.getSums() || forest.getRelays())
    return tree.emitOpError()
           << "has a switch work for it in a forest with "
           << (forest.getSums() ? "sums in an order" : "relays");
  if (failed(paths.checkSwitch(tree, tree.getRoot(), use)))
    return failure();
  if (use->getReduces() && failed(verifyStar(tree, tree.getUp(), true)))
    return failure();
  return use->getMulticasts() ? verifyStar(tree, tree.getDown(), false)
                              : success();
}

LogicalResult ForestOp::verifyRegions() {
  int32_t numRanks = getGpus().size();
  CollectiveKind collective = getCollective();
  int32_t blocks = numBlocks(collective, numRanks);
  ShareSum shares;
  llvm::StringSet<> names;
  for (Operation &op : getBody().front()) {
    auto tree = dyn_cast<TreeOp>(op);
    if (!tree)
      return op.emitOpError(
          "does not belong in a forest: expected collective.tree");
    if (!names.insert(tree.getSymName()).second)
      return tree.emitOpError() << "repeats the name @" << tree.getSymName();
    int32_t root = tree.getRoot();
    if (root < 0 || root >= numRanks)
      return tree.emitOpError()
             << "has root " << root << ", but ranks 0 to " << numRanks - 1;
    if (getRoot() && static_cast<int32_t>(*getRoot()) != root)
      return tree.emitOpError()
             << "has root " << root << " in a forest of root " << *getRoot();
    int32_t block = tree.getBlock();
    if (block != (blocks == 1 ? 0 : root))
      return tree.emitOpError()
             << "of root " << root << " carries block " << block
             << ", expected " << (blocks == 1 ? 0 : root);
    if (failed(shares.add(tree, block, blocks, tree.getNumerator(),
                          tree.getDenominator())))
      return failure();
    if (failed(getSums() ? verifySums(tree, *getSums(), numRanks)
                         : verifyPart(tree, tree.getUp(), /*up=*/true,
                                      hasUpTrees(collective), numRanks)) ||
        failed(verifyPart(tree, tree.getDown(), /*up=*/false,
                          hasDownTrees(collective), numRanks)))
      return failure();
  }
  return shares.verify(*this, blocks, numImages(*this));
}

LogicalResult ForestOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<PathChecker> paths = verifyMachine(*this, symbols);
  if (failed(paths))
    return failure();
  auto verifyPath = [&](TreeOp tree, EdgeAttr edge, PathChecker::Over over) {
    return paths->check(tree, edge.getFrom(), edge.getTo(), edge.getPath(),
                        over);
  };
  for (TreeOp tree : getBody().getOps<TreeOp>()) {
    for (EdgeAttr edge : tree.getUp().getAsRange<EdgeAttr>()) {
      bool stays =
          getSums() && edge.getFrom() == edge.getTo() && edge.getPath().empty();
      if (!stays && failed(verifyPath(tree, edge,
                                      getSums() ? PathChecker::Over::ranks
                                                : PathChecker::Over::relays)))
        return failure();
    }
    for (EdgeAttr edge : tree.getDown().getAsRange<EdgeAttr>())
      if (failed(verifyPath(tree, edge, PathChecker::Over::relays)))
        return failure();
    if (failed(verifySwitch(tree, *paths, *this)))
      return failure();
  }
  return success();
}
