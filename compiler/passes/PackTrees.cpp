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

LogicalResult packRequest(collective::RequestOpInterface request) {
  auto from = problemFromIR(request, request.getCollective(),
                            request.getTopologyAttr(), request.getGpus(),
                            request.getLinks(), request.getRootRank());
  if (failed(from))
    return failure();
  llvm::Expected<PackedTrees> packed = packTrees((*from)->problem);
  if (!packed)
    return request->emitError(toString(packed.takeError()));
  OpBuilder builder(request);
  if (failed(buildForest(builder, request.getLoc(), request.getTopologyAttr(),
                         **from, packed->packing, packed->certificate,
                         packed->candidates)))
    return failure();
  request->erase();
  return success();
}

struct PackTrees : impl::PackTreesPassBase<PackTrees> {
  void runOnOperation() override {
    SmallVector<collective::RequestOpInterface> requests;
    getOperation().walk([&](collective::RequestOpInterface request) {
      requests.push_back(request);
    });
    for (collective::RequestOpInterface request : requests)
      if (failed(packRequest(request)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
