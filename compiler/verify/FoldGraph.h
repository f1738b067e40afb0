//===- FoldGraph.h - the steps of a variant and their order -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All steps of all ranks of a variant in one numbering, with the two relations
// that order them within one chunk: a lane runs its folds in order, and a fold
// waits for the folds that write its in-channels.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_FOLDGRAPH_H
#define BLINK_COMPILER_VERIFY_FOLDGRAPH_H

#include "schedules/schedule_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blink::verify {

inline constexpr uint32_t kNone = UINT32_MAX;

/// One step of the file.
struct Fold {
  uint32_t rank;
  uint32_t lane;     ///< of the rank
  uint32_t position; ///< in the lane
  uint32_t tree;
  uint32_t inTree;   ///< position among the tree's folds
  uint32_t operands; ///< first operand
  uint32_t sources;
  uint32_t destinations;
  bool completes;
  uint32_t delay; ///< rounds of its lane before its first chunk
};

/// A contiguous part of one of FoldGraph's vectors.
template <typename T> struct Slice {
  const T *first;
  const T *last;
  const T *begin() const { return first; }
  const T *end() const { return last; }
  size_t size() const { return static_cast<size_t>(last - first); }
  const T &operator[](size_t index) const { return first[index]; }
};

/// Folds are numbered by (rank, lane, position), so the neighbours of a fold
/// in its lane are its neighbours in number. The variant must have passed
/// sched::openSchedule, and must outlive the graph.
class FoldGraph {
public:
  /// `ranks`: the ranks whose programs the variant has; empty: all, in order.
  explicit FoldGraph(const sched::Variant &variant,
                     const std::vector<uint32_t> &ranks = {});

  const sched::Variant &variant() const { return variant_; }
  uint32_t numFolds() const { return static_cast<uint32_t>(folds_.size()); }
  uint32_t numLanes() const { return numLanes_; }
  uint32_t numTrees() const { return variant_.trees()->size(); }
  const sched::Tree &tree(uint32_t tree) const {
    return *variant_.trees()->Get(tree);
  }
  const Fold &fold(uint32_t fold) const { return folds_[fold]; }

  Slice<sched::Operand> sources(uint32_t fold) const;
  Slice<sched::Operand> destinations(uint32_t fold) const;
  /// Returns a tree's folds, ascending.
  Slice<uint32_t> foldsOf(uint32_t tree) const;

  /// Return the fold that writes, or reads, a channel.
  uint32_t writer(uint32_t channel) const { return writers_[channel]; }
  uint32_t reader(uint32_t channel) const { return readers_[channel]; }

  /// Returns the number of rounds between the one in which a channel's writer
  /// takes a chunk and the one in which its reader takes it; negative if the
  /// reader comes first.
  int64_t lag(uint32_t channel) const {
    return int64_t(folds_[readers_[channel]].delay) -
           folds_[writers_[channel]].delay;
  }

  /// Returns how many more rounds the slots of a channel let its reader lag.
  int64_t room(uint32_t channel) const {
    return variant_.channels()->Get(channel)->slots() - lag(channel);
  }

  /// Returns the chunks of a channel that may be on their way; 0: as many as
  /// slots.
  uint32_t window(uint32_t channel) const {
    return variant_.channels()->Get(channel)->window();
  }

  /// Return the fold before, or after, `fold` in its lane; kNone at the ends.
  uint32_t previousInLane(uint32_t fold) const;
  uint32_t nextInLane(uint32_t fold) const;
  /// Do the same, but skip the folds of other trees.
  uint32_t previousInTree(uint32_t fold) const;
  uint32_t nextInTree(uint32_t fold) const;

  /// Returns "rank 3 lane 1 step 7"; steps count from 0 in their lane.
  std::string describe(uint32_t fold) const;

private:
  bool sameLane(uint32_t a, uint32_t b) const {
    return folds_[a].rank == folds_[b].rank && folds_[a].lane == folds_[b].lane;
  }
  void addRank(uint32_t rank, const sched::RankProgram &program);
  void groupByTree();

  const sched::Variant &variant_;
  uint32_t numLanes_ = 0;
  std::vector<Fold> folds_;
  std::vector<sched::Operand> operands_;
  std::vector<uint32_t> writers_;   // by channel
  std::vector<uint32_t> readers_;   // by channel
  std::vector<uint32_t> treeBegin_; // into treeFolds_; one more than trees
  std::vector<uint32_t> treeFolds_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_FOLDGRAPH_H
