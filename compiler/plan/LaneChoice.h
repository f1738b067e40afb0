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

/// The load of one fold of a rank. Bytes are in any unit.
struct FoldLoad {
  double bytes;     ///< loaded and stored; 0: it is passive (FoldMoves.h)
  double slots;     ///< the same if all channels go through slots
  bool up;          ///< it sends towards a root
  double turns = 0; ///< bytes that its lane could load and store in the time
                    ///< that each of its chunks costs besides
};

/// Whether lanes that have less to do than others take moving folds of the
/// other direction.
enum class Directions { apart, mixed };

/// Returns the folds of each lane as indices into `folds`, ascending. Each fold
/// gets a lane of its own while there are enough. Otherwise lanes first share
/// the moving folds, by bytes and turns (longest processing time first), and
/// then the passive folds, by their bytes through slots. So every lane moves
/// something if there are at least as many moving folds as lanes.
///
/// If both directions move something, they have separate lanes: a lane that
/// reduces chunk c and then distributes it would wait for a round trip in
/// between. Only passive folds mix with those of the other direction: if their
/// direction is all passive, or if its lanes would otherwise have far more to
/// do through slots than the rest. With `maxLanes` 1 all folds are in one lane.
///
/// No number of lanes may be in proportion to what the directions have to do.
/// If they are `mixed`, a moving fold that would give its lane more than the
/// mean of all lanes goes to the lane with the least work, of either direction.
///
/// No lane is empty. `maxLanes` is at least 1.
std::vector<std::vector<size_t>>
chooseLanes(const std::vector<FoldLoad> &folds, size_t maxLanes,
            Directions directions = Directions::apart);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LANECHOICE_H
