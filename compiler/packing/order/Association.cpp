//===- Association.cpp - the order in which a sum is added up -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/order/Association.h"

using namespace blink;

std::optional<ReductionOrder> blink::parseReductionOrder(llvm::StringRef word) {
  for (ReductionOrder order : sched::EnumValuesReductionOrder())
    if (toString(order) == word)
      return order;
  return std::nullopt;
}

llvm::StringRef blink::toString(ReductionOrder order) {
  return sched::EnumNameReductionOrder(order);
}

ReductionOrder blink::orderOf(Parentheses parentheses) {
  return parentheses == Parentheses::chain ? ReductionOrder::rank
                                           : ReductionOrder::invariant;
}

Association::Association(Parentheses parentheses, int numRanks)
    : parentheses_(parentheses) {
  add(0, numRanks);
}

/// Adds the sum of the ranks from `first` to before `last`.
int Association::add(int first, int last) {
  if (last - first == 1) {
    nodes_.emplace_back().rank = first;
    return root();
  }
  const int middle = parentheses_ == Parentheses::chain
                         ? last - 1
                         : first + (last - first + 1) / 2;
  const int left = add(first, middle), right = add(middle, last);
  Node &sum = nodes_.emplace_back();
  sum.left = left;
  sum.right = right;
  nodes_[left].user = nodes_[right].user = root();
  return root();
}
