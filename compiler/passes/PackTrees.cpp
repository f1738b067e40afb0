//===- PackTrees.cpp - collective-pack-trees ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Requests become optimal forests. The solver is compiler/packing's.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_PACKTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

bool sameEdges(const std::vector<TreeEdge> &a, const std::vector<TreeEdge> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TreeEdge &x, const TreeEdge &y) {
                      return x.from == y.from && x.to == y.to &&
                             x.path == y.path;
                    });
}

/// The candidates that the optimum does not use.
std::vector<Tree> unused(const PackedTrees &packed) {
  std::vector<Tree> rest;
  for (const Tree &tree : packed.candidates)
    if (llvm::none_of(packed.packing.trees, [&](const Tree &used) {
          return used.root == tree.root && sameEdges(used.up, tree.up) &&
                 sameEdges(used.down, tree.down);
        }))
      rest.push_back(tree);
  return rest;
}

LogicalResult packRequest(collective::RequestOpInterface request,
                          const SolveWatcher &watcher) {
  auto from =
      problemFromIR(request, request.getCollective(), request.getTopologyAttr(),
                    request.getGpus(), request.getRelaysAttr(),
                    request.getLinks(), request.getRootRank());
  if (failed(from))
    return failure();
  llvm::Expected<PackedTrees> packed = packTrees((*from)->problem, watcher);
  if (!packed)
    return request->emitError(toString(packed.takeError()));
  OpBuilder builder(request);
  if (failed(buildForest(builder, request.getLoc(), request.getTopologyAttr(),
                         **from, packed->packing, packed->certificate,
                         unused(*packed))))
    return failure();
  request->erase();
  return success();
}

struct PackTrees : impl::PackTreesPassBase<PackTrees> {
  PackTrees() = default;
  explicit PackTrees(const SolveWatcher &watcher) : watcher_(watcher) {}

  void runOnOperation() override {
    SmallVector<collective::RequestOpInterface> requests;
    getOperation().walk([&](collective::RequestOpInterface request) {
      requests.push_back(request);
    });
    for (collective::RequestOpInterface request : requests)
      if (failed(packRequest(request, watcher_)))
        return signalPassFailure();
  }

  SolveWatcher watcher_;
};

} // namespace

std::unique_ptr<Pass> createPackTreesPass(const SolveWatcher &watcher) {
  return std::make_unique<PackTrees>(watcher);
}

} // namespace blink
