//===- UnsolvedPrograms.cpp - programs without solution -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/UnsolvedPrograms.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

UnsolvedPrograms::Columns
UnsolvedPrograms::columnsOf(const ColumnPool &pool,
                            const std::vector<int> &columns) {
  Columns all;
  for (int column : columns) {
    const std::vector<RowUse> &uses = pool.uses(column);
    all.insert(all.end(), {pool.depth(column), pool.tree(column).root,
                           static_cast<int>(uses.size())});
    for (const RowUse &use : uses)
      all.insert(all.end(), {use.row, use.times});
  }
  return all;
}

bool UnsolvedPrograms::include(const Columns &columns, int copies,
                               const std::vector<double> &room) const {
  const auto known = rooms_.find({copies, columns});
  return known != rooms_.end() &&
         llvm::any_of(known->second, [&](const std::vector<double> &other) {
           return llvm::all_of(llvm::zip_equal(room, other), [](auto rooms) {
             return std::get<0>(rooms) <= std::get<1>(rooms);
           });
         });
}

void UnsolvedPrograms::add(const Columns &columns, int copies,
                           std::vector<double> room) {
  rooms_[{copies, columns}].push_back(std::move(room));
}
