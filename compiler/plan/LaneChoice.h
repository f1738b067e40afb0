//===- LaneChoice.h - which folds share a lane ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_LANECHOICE_H
#define BLINK_COMPILER_PLAN_LANECHOICE_H

#include <cstddef>
#include <vector>

namespace blink {

/// A fold of one rank. Bytes are in any unit.
struct FoldLoad {
  double bytes; ///< that it loads and stores; 0: it is passive (FoldMoves.h)
  double slots; ///< likewise, where all channels go through slots
  bool up;      ///< it sends towards a root
  double turns = 0; ///< likewise, what its lane could in the time that each
                    ///< chunk of it costs besides
};

/// The folds of each lane, by their places in `folds`, ascending. A fold gets a
/// lane of its own while there are enough. Else lanes share what moves, by
/// bytes and turns (longest processing time first), and then what is passive,
/// by the bytes through slots. So every lane moves something if there are as
/// many folds that do.
///
/// Folds of both directions have lanes of their own where both move something:
/// a lane that reduces chunk c and then distributes it would wait for a round
/// trip in between. Only passive folds mix with others, where one direction is
/// all passive, or else its lanes would have far more to do through slots than
/// the others. With `maxLanes` 1 all are in one lane. No lane is empty.
/// `maxLanes` is at least 1.
std::vector<std::vector<size_t>> chooseLanes(const std::vector<FoldLoad> &folds,
                                             size_t maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LANECHOICE_H
