//===- ForeignForest.h - trees that another program made --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_FOREIGNFOREST_H
#define BLINK_COMPILER_IMPORT_FOREIGNFOREST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blink {

/// A hop of a tree away from its root, as a path of named nodes: the GPU of the
/// first node sends, that of the last node receives, and the nodes between them
/// forward.
struct ForeignHop {
  std::vector<std::string> path; ///< at least two
  std::string where;             ///< "trees.xml:12:5"
};

struct ForeignTree {
  std::string root;
  uint32_t chunks; ///< of all chunks that start at its root; at least 1
  std::vector<ForeignHop> hops;
  std::string where;
};

/// An allgather: trees from every rank to all others. Each tree carries a part
/// of its root's chunks.
struct ForeignForest {
  std::string fileName;
  std::vector<ForeignTree> trees;
};

/// Reads ForestColl's trees, as its spanning_trees_to_xml writes them:
///
///   <Algo nchunkspernode="2">
///     <tree root="(0, 'GPU', 0)" index="0" nchunks="2" height="1">
///       <send src="(0, 'GPU', 0)" dst="(0, 'GPU', 1)"
///             path="(0, 'GPU', 0),(0, 'NVSwitch', 0),(0, 'GPU', 1)"/>
///
/// `index`, `height` and `path` may be missing; a missing `path` goes straight
/// from `src` to `dst`. Errors: "FILE:LINE:COLUMN: error: ..." with a remedy;
/// roots whose chunks do not add up to nchunkspernode.
llvm::Expected<ForeignForest> readForestColl(llvm::StringRef text,
                                             llvm::StringRef fileName);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_FOREIGNFOREST_H
