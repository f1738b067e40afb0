//===- CollectiveDialect.cpp - registration, shared facts -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Registers the dialect and holds the facts that its levels share.
//
//===----------------------------------------------------------------------===//

#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace blink::collective;

#include "dialect/CollectiveDialect.cpp.inc"
#include "dialect/CollectiveEnums.cpp.inc"
#include "dialect/CollectiveInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/CollectiveAttrs.cpp.inc"

void CollectiveDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/CollectiveAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/CollectiveOps.cpp.inc"
      >();
}

namespace {
/// The properties that tell collectives apart. The dialect knows no file
/// format; a test checks that they agree with schedules/Collectives.h.
struct Traits {
  bool rooted, up, down;
  bool treesOfEachRank; ///< A forest has trees for each rank's block.
  bool routed;          ///< Shares are chains, n for each of those blocks.
};
} // namespace

static const Traits &traitsOf(CollectiveKind collective) {
  static constexpr Traits kTraits[] = {
      // rooted up   down  of each routed
      {false, true, true, false, false}, // all_reduce
      {true, false, true, false, false}, // broadcast
      {true, true, false, false, false}, // reduce
      {false, false, true, true, false}, // all_gather
      {false, true, false, true, false}, // reduce_scatter
      {true, true, false, false, true},  // gather
      {true, false, true, false, true},  // scatter
      {false, false, true, true, true},  // all_to_all
      {false, false, true, true, true},  // send_recv
  };
  static_assert(std::size(kTraits) == getMaxEnumValForCollectiveKind() + 1);
  return kTraits[static_cast<size_t>(collective)];
}

bool blink::collective::isRooted(CollectiveKind collective) {
  return traitsOf(collective).rooted;
}

bool blink::collective::hasUpTrees(CollectiveKind collective) {
  return traitsOf(collective).up;
}

bool blink::collective::hasDownTrees(CollectiveKind collective) {
  return traitsOf(collective).down;
}

bool blink::collective::reduces(CollectiveKind collective) {
  return traitsOf(collective).up && !traitsOf(collective).routed;
}

int32_t blink::collective::numBlocks(CollectiveKind collective,
                                     int32_t numRanks) {
  return traitsOf(collective).treesOfEachRank ? numRanks : 1;
}

int32_t blink::collective::numShareBlocks(CollectiveKind collective,
                                          int32_t numRanks) {
  return numBlocks(collective, numRanks) *
         (traitsOf(collective).routed ? numRanks : 1);
}

TopologyOp blink::collective::lookupTopology(Operation *user,
                                             SymbolTableCollection &symbols,
                                             FlatSymbolRefAttr topology) {
  // Look up from the parent, since a schedule is a symbol table of its own.
  auto op = symbols.lookupNearestSymbolFrom<TopologyOp>(user->getParentOp(),
                                                        topology);
  if (!op)
    user->emitOpError() << "names no collective.topology: " << topology;
  return op;
}

LogicalResult blink::collective::verifyAllocation(
    Operation *user, SymbolTableCollection &symbols, FlatSymbolRefAttr topology,
    ArrayRef<int32_t> gpus, DenseI32ArrayAttr relays,
    std::optional<int32_t> root) {
  TopologyOp op = lookupTopology(user, symbols, topology);
  if (!op)
    return failure();
  if (gpus.empty())
    return user->emitOpError("has no GPUs");
  int32_t numGpus = op.getNumGpus();
  llvm::SmallSet<int32_t, 16> seen;
  SmallVector<int32_t> all(gpus);
  if (relays)
    llvm::append_range(all, relays.asArrayRef());
  for (int32_t gpu : all) {
    if (gpu < 0 || gpu >= numGpus)
      return user->emitOpError() << "names GPU " << gpu << ", but " << topology
                                 << " has GPUs 0 to " << numGpus - 1;
    if (!seen.insert(gpu).second)
      return user->emitOpError() << "names GPU " << gpu << " twice";
  }
  if (root && (*root < 0 || *root >= static_cast<int32_t>(gpus.size())))
    return user->emitOpError()
           << "has root " << *root << ", but ranks 0 to " << gpus.size() - 1;
  return success();
}
