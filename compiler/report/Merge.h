//===- Merge.h - two sorted lists side by side ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_MERGE_H
#define BLINK_COMPILER_REPORT_MERGE_H

#include <cstddef>
#include <vector>

namespace blink {

/// Walks two sorted lists in the order of `isLess` and calls one of the three
/// functions for each item: `onBoth` if the item has a partner in the other
/// list, else `onGone` or `onNew`. An item that repeats needs a partner for
/// each repetition.
template <typename Item, typename Less, typename Both, typename Gone,
          typename New>
void mergeSorted(const std::vector<Item> &before,
                 const std::vector<Item> &after, Less isLess, Both onBoth,
                 Gone onGone, New onNew) {
  size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (j == after.size() || (i < before.size() && isLess(before[i], after[j])))
      onGone(before[i++]);
    else if (i == before.size() || isLess(after[j], before[i]))
      onNew(after[j++]);
    else
      onBoth(before[i++], after[j++]);
  }
}

} // namespace blink

#endif // BLINK_COMPILER_REPORT_MERGE_H
