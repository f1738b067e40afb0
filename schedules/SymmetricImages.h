//===- SymmetricImages.h - images of a variant's parts ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The renaming that a step of a symmetric variant refers to, and the images of
// trees and blocks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SYMMETRICIMAGES_H
#define BLINK_SCHEDULES_SYMMETRICIMAGES_H

#include "schedules/Collectives.h"
#include "schedules/SymmetryGroup.h"

namespace blink::sched {

/// The action of the elements of `group` on the blocks of `collective`. `group`
/// is a SymmetryGroup or any type that maps ranks in the same way.
template <typename Group> class BlockImages {
public:
  BlockImages(const Group &group, Collective collective, uint32_t numRanks)
      : group_(group), scatters_(traitsOf(collective).scattersInput),
        gathers_(traitsOf(collective).gathersOutput), numRanks_(numRanks) {}

  /// Returns the image of a tree's block.
  uint32_t ofTree(uint32_t element, uint32_t block) const {
    if (scatters_ && gathers_)
      return mapRank(element, block / numRanks_) * numRanks_ +
             mapRank(element, block % numRanks_);
    return scatters_ || gathers_ ? mapRank(element, block) : block;
  }
  /// Returns the image of an operand's block. The operand is not a channel.
  uint32_t ofOperand(uint32_t element, OperandKind kind, uint32_t block) const {
    const bool ofRanks = kind == OperandKind::input ? scatters_ : gathers_;
    return ofRanks ? mapRank(element, block) : block;
  }

private:
  uint32_t mapRank(uint32_t element, uint32_t rank) const {
    return static_cast<uint32_t>(group_.mapRank(element, rank));
  }

  const Group &group_;
  bool scatters_, gathers_;
  uint32_t numRanks_;
};

/// Returns the element g of Variant.symmetric that one end of a tree or channel
/// refers to: the element that takes `rank` to its representative.
inline uint32_t elementFrom(const SymmetryGroup &group, uint32_t rank) {
  return group.inverse(group.elementTo(rank));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRICIMAGES_H
