//===- SymmetricImages.h - what a renaming makes of a variant ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which renaming a step of a symmetric variant asks for, and where trees and
// blocks go.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SYMMETRICIMAGES_H
#define BLINK_SCHEDULES_SYMMETRICIMAGES_H

#include "schedules/Collectives.h"
#include "schedules/SymmetryGroup.h"

namespace blink::sched {

/// Elements of `group`, a SymmetryGroup or whatever else maps ranks as one
/// does, on the blocks of `collective`.
template <typename Group> class BlockImages {
public:
  BlockImages(const Group &group, Collective collective, uint32_t numRanks)
      : group_(group), scatters_(traitsOf(collective).scattersInput),
        gathers_(traitsOf(collective).gathersOutput), numRanks_(numRanks) {}

  /// Of a tree.
  uint32_t ofTree(uint32_t element, uint32_t block) const {
    if (scatters_ && gathers_)
      return mapRank(element, block / numRanks_) * numRanks_ +
             mapRank(element, block % numRanks_);
    return scatters_ || gathers_ ? mapRank(element, block) : block;
  }
  /// Of an operand, which is not a channel.
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

/// The element g of Variant.symmetric that one end of a tree or channel asks
/// for: it takes `rank` to its representative.
inline uint32_t elementFrom(const SymmetryGroup &group, uint32_t rank) {
  return group.inverse(group.elementTo(rank));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRICIMAGES_H
