//===- Mirroring.h - out-trees that mirror in-trees -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On a symmetric fabric (every usable link has a usable twin the other way, of
// the same kind and bandwidth) an allreduce loses nothing when its out-trees
// mirror its in-trees: the mean of a packing and of its mirror image is a
// packing of the same rate. Prices can then be symmetric, too. Mirroring halves
// the rows that bind, and with them the trees of a packing and the iterations
// of column generation.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_MIRRORING_H
#define BLINK_COMPILER_PACKING_MIRRORING_H

#include "compiler/packing/Packing.h"

namespace blink {

/// The twin of each link, -1 for links not usable; empty where trees are not
/// to be mirrored.
std::vector<int> mirrorTwins(const PackingProblem &problem);

/// Makes `tree.down` the mirror image of `tree.up`.
void addMirrored(Tree &tree, const std::vector<int> &twins);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_MIRRORING_H
