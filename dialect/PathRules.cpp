//===- PathRules.cpp - rules for forests and schedules --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dialect/PathRules.h"

using namespace mlir;
using namespace blink::collective;

PathChecker::PathChecker(TopologyOp topology, ArrayRef<int32_t> gpus,
                         DenseI32ArrayAttr relays, LinkKindsAttr links,
                         SymbolTableCollection &symbols)
    : table_(symbols.getSymbolTable(topology)), links_(links),
      numRanks_(gpus.size()) {
  SmallVector<NodeOp> machine;
  for (NodeOp node : topology.getBody().getOps<NodeOp>())
    if (node.getKind() == NodeKind::Gpu)
      machine.push_back(node);
  for (int32_t gpu : gpus)
    rankNodes_.push_back(machine[gpu]);
  if (relays)
    for (int32_t gpu : relays.asArrayRef())
      rankNodes_.push_back(machine[gpu]);
}

LogicalResult PathChecker::check(Operation *user, int32_t from, int32_t to,
                                 ArrayRef<StringAttr> path, Over over) {
  // The GPUs that may lie on the path.
  ArrayRef<NodeOp> between = rankNodes_;
  between = over == Over::ranks ? between : between.drop_front(numRanks_);
  if (over == Over::nobody)
    between = {};
  if (path.empty())
    return user->emitOpError()
           << "has an empty path from rank " << from << " to rank " << to;
  StringRef at = rankNodes_[from].getSymName();
  for (auto [i, name] : llvm::enumerate(path)) {
    auto link = table_.lookup<LinkOp>(name);
    if (!link)
      return user->emitOpError()
             << "names link " << name << ", which the topology does not have";
    if (!llvm::is_contained(links_.getKinds(), link.getKind()))
      return user->emitOpError()
             << "names link " << name << ", which is "
             << stringifyLinkKind(link.getKind()) << ", but links of " << links_
             << " alone may be used";
    if (link.getFrom() != at)
      return user->emitOpError()
             << "has a path that arrives at " << at << " and goes on over link "
             << name << ", which begins at " << link.getFrom();
    at = link.getTo();
    bool last = i + 1 == path.size();
    if (!last && table_.lookup<NodeOp>(at).getKind() == NodeKind::Gpu &&
        llvm::none_of(between, [&](NodeOp node) {
          return NodeOp(node).getSymName() == at;
        }))
      return user->emitOpError()
             << "has a path through GPU " << at << "; GPUs do not relay";
  }
  if (at != rankNodes_[to].getSymName())
    return user->emitOpError()
           << "has a path that ends at " << at << ", but rank " << to << " is "
           << rankNodes_[to].getSymName();
  return success();
}

LogicalResult PathChecker::checkSwitch(Operation *user, int32_t root,
                                       std::optional<SwitchUseAttr> use) {
  if (!use)
    return success();
  if (failed(check(user, root, root, use->getPath(), Over::nobody)))
    return failure();
  if (use->getPath().size() != 2)
    return user->emitOpError() << "has " << use->getPath().size()
                               << " links to a switch and back, expected 2";
  auto node = table_.lookup<NodeOp>(
      table_.lookup<LinkOp>(use->getPath().front()).getTo());
  for (auto [asked, can, name] :
       {std::tuple(use->getReduces(), node.getReduce(), "reduce"),
        std::tuple(use->getMulticasts(), node.getMulticast(), "multicast")})
    if (asked && !can)
      return user->emitOpError() << "has " << node.getSymName() << " " << name
                                 << ", which its node does not say it can";
  return success();
}

LogicalResult ShareSum::add(Operation *op, int32_t block, int32_t numBlocks,
                            int64_t numerator, int64_t denominator) {
  constexpr int64_t kMaxDenominator = UINT32_MAX;
  if (denominator < 1 || denominator > kMaxDenominator || numerator < 0 ||
      numerator > denominator)
    return op->emitOpError() << "has share " << numerator << " / "
                             << denominator << ", expected 0 to 1 with a "
                             << "denominator of 1 to " << kMaxDenominator;
  if (block < 0 || block >= numBlocks)
    return op->emitOpError() << "has block " << block << " of " << numBlocks;
  if (!sums_.empty() && sums_.back().first > block)
    return op->emitOpError()
           << "of block " << block << " stands after one of block "
           << sums_.back().first << "; expected ascending blocks";
  Sum &sum = sums_[block];
  if (numerator == 0)
    return success(); // a tree that carries nothing is a candidate
  if (sum.denominator != 0 && sum.denominator != denominator)
    return op->emitOpError()
           << "has denominator " << denominator << ", but another of block "
           << block << " has " << sum.denominator;
  sum.denominator = denominator;
  sum.numerator += numerator;
  return success();
}

LogicalResult ShareSum::verify(Operation *op, int32_t numBlocks,
                               int64_t images) {
  const bool blocksHaveImages = numBlocks > 1 && images > 1;
  if (blocksHaveImages && int64_t(sums_.size()) * images != numBlocks)
    return op->emitOpError()
           << "has shares of " << sums_.size() << " blocks with " << images
           << " images, of " << numBlocks << " blocks";
  const int64_t ofShare = numBlocks == 1 ? images : 1;
  for (int32_t block = 0; block < numBlocks; ++block) {
    if (blocksHaveImages && !sums_.contains(block))
      continue; // an image of a block that is there
    Sum sum = sums_.lookup(block);
    if (sum.denominator == 0)
      return op->emitOpError() << "has no share of block " << block;
    if (sum.numerator * ofShare != sum.denominator)
      return op->emitOpError() << "has shares of block " << block
                               << " that add up to " << sum.numerator * ofShare
                               << " / " << sum.denominator << ", not to one";
  }
  return success();
}
